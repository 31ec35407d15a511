/* Raises events at a pace: steps of a launch and an update, of 16 events.
     paced EVENTS_A_SECOND SECONDS
   At 0 events a second as many steps as 1,000 a second would be, as fast as they go.  At
   its end it tells the processor time that it took, ns.  */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { N = 1000, EVENTS = 16 };
static double a[N];

static double
now (clockid_t clock)
{
  struct timespec t;
  clock_gettime (clock, &t);
  return (double) t.tv_sec * 1e9 + (double) t.tv_nsec;
}

int
main (int count, char **argument)
{
  double rate = count > 1 ? strtod (argument[1], NULL) : 1000;
  double seconds = count > 2 ? strtod (argument[2], NULL) : 1;
  long steps = (long) ((rate > 0 ? rate : 1000) * seconds / EVENTS);

#pragma acc enter data copyin(a)
  double start = now (CLOCK_MONOTONIC);
  for (long step = 0; step < steps; step++)
    {
      if (rate > 0)
	{
	  double due = start + (double) step * EVENTS / rate * 1e9, early = due - now (CLOCK_MONOTONIC);
	  if (early > 2e6)
	    {
	      struct timespec t = { (time_t) (due / 1e9), (long) (due - 1e9 * (double) (time_t) (due / 1e9)) };
	      clock_nanosleep (CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
	    }
	}
#pragma acc parallel loop present(a)
      for (int i = 0; i < N; i++)
	a[i] += i;
#pragma acc update self(a[0:8])
    }
#pragma acc exit data delete(a)
  printf ("%.0f\n", now (CLOCK_PROCESS_CPUTIME_ID));
  return 0;
}
