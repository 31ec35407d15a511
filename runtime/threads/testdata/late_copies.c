/* Copies to the host after the end of the program has shut the device down: in
   a thread that an exit handler lets go on and waits for.  */
#include <openacc.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LENGTH = 1000 };

static const char *what;
static sem_t ready, end;
static pthread_t thread;
static int x[LENGTH], y[LENGTH];

static void
set (int *a)
{
#pragma acc parallel loop present(a[0:LENGTH])
  for (int i = 0; i < LENGTH; i++)
    a[i] = 2;
}

static void
wait_for_end (void)
{
  sem_post (&ready);
  sem_wait (&end);
}

static void *
work (void *argument)
{
  if (strcmp (what, "data") == 0)
    {
#pragma acc data copy(x)
      {
	set (x);
	wait_for_end ();
      }
      return argument;
    }
  if (strcmp (what, "outer data") == 0)
    {
#pragma acc data copy(x)
#pragma acc data copyin(y)
      {
	set (x);
	wait_for_end ();
      }
      return argument;
    }
  acc_copyin (x, sizeof x);
  acc_copyin (y, sizeof y);
  set (x);
  if (strcmp (what, "before") == 0)
    acc_copyout (x, sizeof x);
  wait_for_end ();
  if (strcmp (what, "acc_copyout") == 0)
    acc_copyout (x + 100, 100 * sizeof *x);
  else if (strcmp (what, "acc_copyout_async") == 0)
    {
      acc_copyout_async (x, sizeof x, 1);
      acc_update_self (x, sizeof x);	/* one line is enough */
    }
  else if (strcmp (what, "acc_update_self") == 0)
    acc_update_self (x, sizeof x);
  else if (strcmp (what, "exit data") == 0)
    {
#pragma acc exit data delete(y) copyout(x)
    }
  else if (strcmp (what, "update") == 0)
    {
#pragma acc update self(x)
    }
  else if (strcmp (what, "delete") == 0)
    {
      acc_delete (x, sizeof x);
#pragma acc exit data delete(y)
    }
  else if (strcmp (what, "before") == 0)
    acc_copyout (x, sizeof x);
  return argument;
}

static void
at_exit (void)
{
  sem_post (&end);
  pthread_join (thread, NULL);
  printf ("joined, x is %d\n", x[150]);
}

int
main (int argc, char **argv)
{
  what = argc > 1 ? argv[1] : "";
  atexit (at_exit);		/* before the first use: it runs after the end */
  sem_init (&ready, 0, 0);
  sem_init (&end, 0, 0);
  x[150] = 1;
  pthread_create (&thread, NULL, work, NULL);
  sem_wait (&ready);
  return 0;
}
