/* A routine that the host has no code of: GCC must see at compile time that the host
   does not call it.  */
#define ACC_ON_DEVICE_CONSTANT
#include <openacc.h>
#include <stdio.h>

#pragma acc routine nohost seq
__attribute__ ((noinline)) static int
on_gpu (int value)
{
  return value + 1;
}

#pragma acc routine seq
static int
anywhere (int value)
{
  return acc_on_device (acc_device_host) ? value : on_gpu (value);
}

int
main (void)
{
  if (anywhere (1) == 1)
    printf ("all is so\n");
  return 0;
}
