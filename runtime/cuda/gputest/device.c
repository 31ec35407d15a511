/* What only a device shows: declare variables, link variables, printf in a
   kernel, and the device that is chosen.  */
#include <openacc.h>
#include <stdio.h>

float table[8];
int linked[4] = { 1, 2, 3, 4 };
#pragma acc declare create (table)
#pragma acc declare link (linked)

#pragma acc routine seq
float
entry (int i)
{
  return table[i];
}

int
main (void)
{
  float out[8];
  int i, sum = 0, on = 0;

  for (i = 0; i < 8; i++)
    table[i] = i * i;
#pragma acc update device (table[0:8])
#pragma acc parallel loop copyout (out)
  for (i = 0; i < 8; i++)
    out[i] = entry (i);
#pragma acc parallel loop copy (linked) reduction (+:sum)
  for (i = 0; i < 4; i++)
    {
      linked[i] += 10;
      sum += linked[i];
    }
#pragma acc parallel copyout (on)
  {
    on = acc_on_device (acc_device_nvidia);
    printf ("printed by a kernel\n");
  }
#pragma acc wait
  printf ("device type %d, on device %d, out[7] %g, linked %d, sum %d\n",
	  acc_get_device_type (), on, out[7], linked[3], sum);
  return !(on == 1 && out[7] == 49 && linked[3] == 14 && sum == 50);
}
