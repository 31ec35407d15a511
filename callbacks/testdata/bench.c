/* Times what dispatch of one event costs.  Arguments: threads, callbacks, events
   for each thread.  Prints nanoseconds for one event on one thread.  */
#define _GNU_SOURCE
#include "dispatch.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static struct acc_dispatch *dispatch;
static long events;
static pthread_barrier_t barrier;

static __thread long calls;

static void
callback (acc_callback_info *info, acc_event_info *event, acc_api_info *api)
{
  (void) info, (void) event, (void) api;
  calls++;
}

static void *
dispatching (void *argument)
{
  struct acc_dispatch_thread thread = { .thread_id = (int) (intptr_t) argument };
  acc_callback_info info = { 0 };
  acc_event_info specific = { 0 };
  acc_api_info api = { 0 };
  struct timespec start, end;
  double *nanoseconds = malloc (sizeof *nanoseconds);
  long n;

  pthread_barrier_wait (&barrier);
  clock_gettime (CLOCK_MONOTONIC, &start);
  for (n = 0; n < events; n++)
    {
      struct acc_dispatch_pair pair;
      acc_dispatch_pair_init (&pair);
      if (acc_dispatch_wanted (dispatch, acc_ev_enqueue_upload_start))
	acc_dispatch_event (dispatch, acc_ev_enqueue_upload_start, &thread,
			    &pair, &info, &specific, &api);
      acc_dispatch_pair_release (&pair);
    }
  clock_gettime (CLOCK_MONOTONIC, &end);
  if (nanoseconds != NULL)
    *nanoseconds = ((end.tv_sec - start.tv_sec) * 1e9
		    + (end.tv_nsec - start.tv_nsec)) / events;
  return nanoseconds;
}

int
main (int argc, char **argv)
{
  int threads, callbacks, i;
  struct acc_dispatch_entry entry[64];
  pthread_t thread[64];
  double sum = 0;

  if (argc != 4 || (threads = atoi (argv[1])) < 1 || threads > 64
      || (callbacks = atoi (argv[2])) < 0 || callbacks > 64
      || (events = atol (argv[3])) < 1)
    {
      fputs ("usage: bench threads callbacks events\n", stderr);
      return 1;
    }
  dispatch = acc_dispatch_new ();
  if (dispatch == NULL
      || acc_dispatch_reserve (dispatch, acc_ev_enqueue_upload_start, 64) != 0)
    return 1;
  for (i = 0; i < callbacks; i++)
    {
      /* Different callbacks; that they are one routine does not matter here.  */
      entry[i].sequence = (uint64_t) i + 1;
      entry[i].callback = (uintptr_t) callback;
      entry[i].tool = (uintptr_t) i + 1;
    }
  acc_dispatch_publish (dispatch, acc_ev_enqueue_upload_start, entry,
			(uint32_t) callbacks);
  pthread_barrier_init (&barrier, NULL, (unsigned) threads);
  for (i = 0; i < threads; i++)
    if (pthread_create (&thread[i], NULL, dispatching, (void *) (intptr_t) i))
      return 1;
  for (i = 0; i < threads; i++)
    {
      void *result;
      pthread_join (thread[i], &result);
      if (result == NULL)
	return 1;
      sum += *(double *) result;
      free (result);
    }
  printf ("%.2f\n", sum / threads);
  return 0;
}
