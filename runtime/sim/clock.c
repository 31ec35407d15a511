/* The clock of a sim device: the host's, counted from its opening.  See queue.h.  */
#include "queue.h"

#include <errno.h>
#include <time.h>

int64_t
accscope_sim_monotonic (void)
{
  struct timespec t;
  clock_gettime (CLOCK_MONOTONIC, &t);
  return t.tv_sec * INT64_C (1000000000) + t.tv_nsec;
}

int64_t
accscope_sim_now (const struct accscope_sim_device *d)
{
  return accscope_sim_monotonic () - d->epoch;
}

int64_t
accscope_sim_clock (struct accscope_sim_device *d, int64_t *host)
{
  *host = accscope_sim_monotonic ();
  return *host - d->epoch;
}

void
accscope_sim_sleep_until (const struct accscope_sim_device *d, int64_t when)
{
  int64_t host = when + d->epoch;
  /* The kernel wakes a sleeper some tens of microseconds late.  */
  int64_t early = host - 60000;
  if (early > accscope_sim_monotonic ())
    {
      struct timespec t = { early / 1000000000, early % 1000000000 };
      while (clock_nanosleep (CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
	continue;
    }
  while (accscope_sim_monotonic () < host)
    accscope_pause ();
}
