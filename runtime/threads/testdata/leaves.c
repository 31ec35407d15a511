/* Returns from main while other threads use the device.  A thread that finds a
   result missing says so.  */
#include <openacc.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum { THREADS = 8, LENGTH = 1000000 };

static pthread_barrier_t started;

static void *
work (void *argument)
{
  static const char complaint[] = "a result is missing\n";
  int queue = *(int *) argument, round, i, *x = malloc (LENGTH * sizeof *x);

  for (round = 0;; round++)
    {
      for (i = 0; i < LENGTH; i++)
	x[i] = i;
#pragma acc parallel loop copy(x[0:LENGTH]) async(queue)
      for (i = 0; i < LENGTH; i++)
	x[i]++;
#pragma acc wait(queue)
      if (x[LENGTH - 1] != LENGTH && write (2, complaint, sizeof complaint - 1))
	abort ();
      if (round == 0)
	pthread_barrier_wait (&started);
    }
  return NULL;
}

int
main (void)
{
  static int queue[THREADS];
  pthread_t thread;
  int i;

  pthread_barrier_init (&started, NULL, THREADS + 1);
  for (i = 0; i < THREADS; i++)
    {
      queue[i] = i % 2 ? i : acc_async_sync;
      pthread_create (&thread, NULL, work, &queue[i]);
    }
  pthread_barrier_wait (&started);
  return 0;
}
