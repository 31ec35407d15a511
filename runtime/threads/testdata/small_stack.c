/* Uses OpenACC on a thread with argv[1] KiB of stack: for the process's first time, or
   with argv[2] after the main thread has.  */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int data[256];

static void *
use (void *argument)
{
#pragma acc parallel loop copy(data)
  for (int i = 0; i < 256; i++)
    data[i]++;
#pragma acc parallel loop copy(data) async(1)
  for (int i = 0; i < 256; i++)
    data[i]++;
#pragma acc wait
  return argument;
}

int
main (int argc, char **argv)
{
  pthread_attr_t attributes;
  pthread_t thread;

  if (argc > 2)
    use (NULL);
  pthread_attr_init (&attributes);
  if (pthread_attr_setstacksize (&attributes, (size_t) atoi (argv[1]) << 10) != 0
      || pthread_create (&thread, &attributes, use, NULL) != 0)
    return 2;
  pthread_join (thread, NULL);
  printf ("%d\n", data[0]);
  return 0;
}
