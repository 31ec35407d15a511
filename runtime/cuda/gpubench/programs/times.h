/* What the programs print: "name value unit", for the table.  */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double
now (void)
{
  struct timespec t;
  clock_gettime (CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

static int
compare (const void *x, const void *y)
{
  double p = *(const double *) x, q = *(const double *) y;
  return (p > q) - (p < q);
}

static inline void
tell (const char *name, double value, const char *unit)
{
  printf ("%-40s  %12.3f %s\n", name, value, unit);
  fflush (stdout);
}

/* Of rounds of some milliseconds of launches each, and a wait.  */
static inline void
take (const char *name, void (*launch) (void), void (*wait) (void))
{
  double times[9];
  launch ();
  wait ();
  double start = now ();
  launch ();
  launch ();
  wait ();
  double once = (now () - start) / 2;
  int launches = once > 2000 ? 4 : once < 26 ? 300 : (int) (8000 / once);
  for (int round = 0; round < 9; round++)
    {
      start = now ();
      for (int i = 0; i < launches; i++)
	launch ();
      wait ();
      times[round] = (now () - start) / launches;
    }
  qsort (times, 9, sizeof *times, compare);
  tell (name, times[4], "us");
}
