/* Raises events for so long at a steady rate, or so many as fast as they go, and
   prints how many operations a second that were: events SECONDS RATE (in
   operations a second, 0: as fast as they go) or events -OPERATIONS 0.  One
   operation is an update of 64 bytes, six events.  */
#include <openacc.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double
now (void)
{
  struct timespec t;
  clock_gettime (CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

int
main (int argc, char **argv)
{
  double seconds = argc > 1 ? atof (argv[1]) : 1, rate = argc > 2 ? atof (argv[2]) : 0;
  static char data[64];
  long done = 0, all = seconds < 0 ? (long) -seconds : 0;
#pragma acc enter data copyin(data)
  double start = now (), end = start + seconds;
  while (all ? done < all : now () < end)
    {
      long due = rate > 0 ? (long) ((now () - start) * rate) : done + 100;
      for (; done < due && (!all || done < all); done++)
	{
#pragma acc update device(data)
	}
      if (rate > 0)
	{
	  struct timespec pause = { 0, 1000000 };
	  nanosleep (&pause, NULL);
	}
    }
  printf ("%.9f %.0f\n", now () - start, done / (now () - start));
#pragma acc exit data delete(data)
  return 0;
}
