/* stack.c - a program whose every construct costs little but its events: what
   the call stack of an event costs under a runtime that tells no place.  Prints
   the nanoseconds of the thread that an event takes, by rounds, one a line.

   usage: stack [constructs]  */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double data[16];

static double
now (void)
{
  struct timespec t;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &t);
  return (double) t.tv_sec * 1e9 + (double) t.tv_nsec;
}

__attribute__ ((noinline)) static void
constructs (long n)
{
  for (long i = 0; i < n; i++)
    {
#pragma acc enter data copyin(data)
#pragma acc update device(data)
#pragma acc exit data delete(data)
    }
}

int
main (int argc, char **argv)
{
  long n = argc > 1 ? atol (argv[1]) : 200000;

  constructs (n / 10);
  for (int round = 0; round < 3; round++)
    {
      double start = now ();
      constructs (n);
      printf ("%.1f\n", (now () - start) / (double) (n * 6));
    }
  return 0;
}
