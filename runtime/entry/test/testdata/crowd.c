/* Eight threads begin at once: which one opens the Go part is a race, and so is all
   after it.  Prints what came out of their constructs.  */
#include <openacc.h>
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 8, LENGTH = 64 };

static pthread_barrier_t gate;
static int results[THREADS];

static void *
work (void *argument)
{
  int *result = argument, a[LENGTH] = { 0 };

  pthread_barrier_wait (&gate);
  for (int round = 0; round < 100; round++)
    {
#pragma acc data copy(a)
      {
#pragma acc parallel loop
	for (int i = 0; i < LENGTH; i++)
	  a[i] += 1;
#pragma acc update self(a)
      }
      acc_copyin (a, sizeof a);
      *result += acc_hostptr (acc_deviceptr (a)) == a;
      acc_delete (a, sizeof a);
    }
  *result += a[LENGTH - 1];
  return NULL;
}

int
main (void)
{
  pthread_t threads[THREADS];
  int sum = 0;

  pthread_barrier_init (&gate, NULL, THREADS);
  for (int i = 0; i < THREADS; i++)
    pthread_create (&threads[i], NULL, work, &results[i]);
  for (int i = 0; i < THREADS; i++)
    {
      pthread_join (threads[i], NULL);
      sum += results[i];
    }
  fprintf (stderr, "sum %d\n", sum);
  return 0;
}
