/* program.h - a test program is three: the argument bad, mended or alike chooses, how
   often follows.  With the argument time, the bad and the mended one take turns, five
   times for a tenth of a second and more each, and the milliseconds of one go of each
   are printed, the bad one's first.  */
#include <openacc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* What the host does of its own in a step: nothing, unless -DHOST_STEP=NANOSECONDS says how
   long it takes.  */
#ifndef HOST_STEP
#define HOST_STEP 0
#endif
static inline void
host_step (void)
{
  if (HOST_STEP > 0)
    nanosleep (&(struct timespec){ 0, HOST_STEP }, NULL);
}

/* The milliseconds that a function takes, called so often.  */
static double
timed (void (*function) (void), int often)
{
  struct timespec start, end;
  clock_gettime (CLOCK_MONOTONIC, &start);
  for (int i = 0; i < often; i++)
    function ();
  clock_gettime (CLOCK_MONOTONIC, &end);
  return (double) (end.tv_sec - start.tv_sec) * 1e3
	 + (double) (end.tv_nsec - start.tv_nsec) / 1e6;
}

static void
compare (void (*bad) (void), void (*mended) (void))
{
  void (*const both[2]) (void) = { bad, mended };
  int often[2];
  for (int i = 0; i < 2; i++)
    {
      timed (both[i], 1);
      often[i] = 1 + (int) (120 / timed (both[i], 1));
    }
  for (int turn = 0; turn < 5; turn++)
    for (int i = 0; i < 2; i++)
      printf ("%.6f%c", timed (both[i], often[i]) / often[i], i ? '\n' : ' ');
}

#define PROGRAMS                                                              \
  int main (int count, char **arguments)                                      \
  {                                                                           \
    const char *which = count > 1 ? arguments[1] : "";                        \
    void (*function) (void) = strcmp (which, "bad") == 0 ? bad                \
			      : strcmp (which, "mended") == 0 ? mended        \
			      : strcmp (which, "alike") == 0 ? alike : NULL;  \
    acc_init (acc_device_default);                                            \
    if (strcmp (which, "time") == 0)                                          \
      compare (bad, mended);                                                  \
    else if (function == NULL)                                                \
      return 2;                                                               \
    else                                                                      \
      timed (function, count > 2 ? atoi (arguments[2]) : 1);                  \
    return 0;                                                                 \
  }
