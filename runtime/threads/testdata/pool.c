/* Returns from main while the threads of a pool use the device, which an exit
   handler then tells to stop and waits for.  */
#include <openacc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, LENGTH = 20000 };

static const char *what;
static int stop;
static pthread_t thread[THREADS];
static pthread_barrier_t started;

static void
set (int *x)
{
#pragma acc parallel loop copy(x[0:LENGTH])
  for (int i = 0; i < LENGTH; i++)
    x[i] = i;
}

static void *
work (void *argument)
{
  int *x = malloc (LENGTH * sizeof *x), round;

  for (round = 0; !__atomic_load_n (&stop, __ATOMIC_ACQUIRE); round++)
    {
      if (strcmp (what, "constructs") == 0)
	set (x);
      else
	{
	  acc_copyin (x, LENGTH * sizeof *x);
	  if (strcmp (what, "both") == 0)
	    set (x);
	  acc_copyout (x, LENGTH * sizeof *x);
	}
      if (round == 3)
	pthread_barrier_wait (&started);
    }
  free (x);
  return argument;
}

static void
at_exit (void)
{
  __atomic_store_n (&stop, 1, __ATOMIC_RELEASE);
  for (int i = 0; i < THREADS; i++)
    pthread_join (thread[i], NULL);
}

int
main (int argc, char **argv)
{
  what = argc > 1 ? argv[1] : "constructs";
  atexit (at_exit);		/* before the first use: it runs after the end */
  pthread_barrier_init (&started, NULL, THREADS + 1);
  for (int i = 0; i < THREADS; i++)
    pthread_create (&thread[i], NULL, work, NULL);
  pthread_barrier_wait (&started);
  return 0;
}
