/* Calls OpenACC with less than 8 KiB of a thread's stack left.  */
#include <openacc.h>
#include <pthread.h>
#include <stdio.h>

#define STACK (256 << 10)
#define LEFT (7 << 10)

static char stack[STACK] __attribute__ ((aligned (4096)));

static int
deeper (volatile char *above)
{
  volatile char frame[256];

  frame[0] = *above;
  if ((char *) frame - stack > LEFT)
    return deeper (frame) + frame[0];
  return acc_get_num_devices (acc_device_host);
}

static void *
use (void *argument)
{
  char none = 0;

  deeper (&none);
  return argument;
}

int
main (void)
{
  pthread_attr_t attributes;
  pthread_t thread;

  acc_init (acc_device_default);
  pthread_attr_init (&attributes);
  if (pthread_attr_setstack (&attributes, stack, STACK) != 0
      || pthread_create (&thread, &attributes, use, NULL) != 0)
    return 2;
  pthread_join (thread, NULL);
  printf ("went on\n");
  return 0;
}
