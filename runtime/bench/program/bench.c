/* What the runtime costs, one line "name nanoseconds" each: run on two runtimes, in
   turn, by the command in the folder above.

     bench [NAME]    all, or one  */
#include <openacc.h>
#include <acc_prof.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define N 1024
static float a[N], b[N];
static const char *only;

static double
now (void)
{
  struct timespec t;
  clock_gettime (CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}

static int
compare (const void *x, const void *y)
{
  double p = *(const double *) x, q = *(const double *) y;
  return (p > q) - (p < q);
}

/* How many calls of body take about 50 us, when the first of all is done: long for the
   clock, short enough for most batches to run undisturbed on a machine that has other
   work too.  */
static int
batch_of (void (*body) (int))
{
  int calls = 1;

  body (1);
  for (;;)
    {
      double start = now ();
      body (calls);
      if (now () - start > 5e4 || calls > (1 << 24))
	return calls;
      calls *= 2;
    }
}

/* The median time of one call in BATCHES batches.  */
#define BATCHES 401

static double
median_of (void (*body) (int), int calls)
{
  double *times = malloc (BATCHES * sizeof *times), median;

  for (int i = 0; i < BATCHES; i++)
    {
      double start = now ();
      body (calls);
      times[i] = (now () - start) / calls;
    }
  qsort (times, BATCHES, sizeof *times, compare);
  median = times[BATCHES / 2];
  free (times);
  return median;
}

static double
measure (void (*body) (int), int per_call)
{
  return median_of (body, batch_of (body)) / per_call;
}

static void
report (const char *name, void (*body) (int), int per_call)
{
  if (only && strcmp (only, name) != 0)
    return;
  printf ("%s %.2f\n", name, measure (body, per_call));
  fflush (stdout);
}

static void
data_region (int calls)
{
  for (int i = 0; i < calls; i++)
    {
#pragma acc data copyin(a) create(b)
      __asm__ volatile ("" ::: "memory");
    }
}

static void
enter_exit (int calls)
{
  for (int i = 0; i < calls; i++)
    {
#pragma acc enter data create(a)
#pragma acc exit data delete(a)
    }
}

static void
update (int calls)
{
  for (int i = 0; i < calls; i++)
    {
#pragma acc update device(a)
    }
}

static void
launch (int calls)
{
  for (int i = 0; i < calls; i++)
    {
#pragma acc parallel loop present(a, b)
      for (int j = 0; j < N; j++)
	a[j] = b[j] + 1.0f;
    }
}

static void
launch_empty (int calls)
{
  for (int i = 0; i < calls; i++)
    {
#pragma acc parallel present(a)
      a[0] = 1.0f;
    }
}

static void
launch_async (int calls)
{
  for (int i = 0; i < calls; i++)
    {
      for (int k = 0; k < 64; k++)
	{
#pragma acc parallel present(a) async(1)
	  a[0] = 1.0f;
	}
#pragma acc wait(1)
    }
}

static void
is_present (int calls)
{
  for (int i = 0; i < calls; i++)
    acc_is_present (a, sizeof a);
}

static void *device_of_a;

static void
hostptr (int calls)
{
  for (int i = 0; i < calls; i++)
    acc_hostptr (device_of_a);
}

static void
deviceptr (int calls)
{
  for (int i = 0; i < calls; i++)
    acc_deviceptr (a);
}

static char *block;
static int mappings;
static unsigned state = 1;

static void
lookup (int calls)
{
  for (int i = 0; i < calls; i++)
    {
      state = state * 1664525u + 1013904223u;
      acc_deviceptr (block + (size_t) (state % mappings) * 128);
    }
}

static void
lookups (int count)
{
  char name[32];
  snprintf (name, sizeof name, "lookup-%d", count);
  if (only && strcmp (only, name) != 0)
    return;
  block = malloc ((size_t) count * 128);
  mappings = count;
  for (int i = 0; i < count; i++)
    acc_create (block + (size_t) i * 128, 64);
  report (name, lookup, 1);
  for (int i = 0; i < count; i++)
    acc_delete (block + (size_t) i * 128, 64);
  free (block);
}

/* Dispatch: an update directive raises two events on every runtime.  */
static __thread unsigned long seen;
#define CALLBACK(n)							\
  static void callback##n (acc_prof_info *p, acc_event_info *e, acc_api_info *x) \
  { (void) p; (void) e; (void) x; seen++; }
CALLBACK (1) CALLBACK (2) CALLBACK (3) CALLBACK (4)
static acc_prof_callback callbacks[] = { callback1, callback2, callback3, callback4 };

static void
register_some (int count, void (*how) (acc_event_t, acc_prof_callback, acc_register_t))
{
  for (int i = 0; i < count; i++)
    {
      how (acc_ev_update_start, callbacks[i], acc_reg);
      how (acc_ev_update_end, callbacks[i], acc_reg);
    }
}

static pthread_barrier_t barrier;
static double thread_time[2];
static int update_batch;

static void *
hammer (void *argument)
{
  int number = *(int *) argument;

  update (1000);
  pthread_barrier_wait (&barrier);
  thread_time[number] = median_of (update, update_batch);
  return NULL;
}

/* Nanoseconds of an update on each of so many threads.  */
static double
threads (int count)
{
  pthread_t id[2];
  int number[2] = { 0, 1 };
  double sum = 0;

  pthread_barrier_init (&barrier, NULL, count);
  for (int i = 0; i < count; i++)
    pthread_create (&id[i], NULL, hammer, &number[i]);
  for (int i = 0; i < count; i++)
    {
      pthread_join (id[i], NULL);
      sum += thread_time[i];
    }
  pthread_barrier_destroy (&barrier);
  return sum / count;
}

/* Nanoseconds an event: what its two events add to an update.  */
static void
dispatch (void)
{
  if (only && strncmp (only, "dispatch", 8) != 0)
    return;
  update_batch = batch_of (update);
  for (int count = 1; count <= 2; count++)
    {
      double without = threads (count);
      for (int n = 1; n <= 4; n += 3)
	{
	  register_some (n, acc_prof_register);
	  printf ("dispatch-%d-callbacks-%d-threads %.2f\n", n, count, (threads (count) - without) / 2);
	  fflush (stdout);
	  register_some (n, acc_prof_unregister);
	}
      printf ("update-0-callbacks-%d-threads %.2f\n", count, without);
    }
}

static void
all_events (int count, void (*how) (acc_event_t, acc_prof_callback, acc_register_t))
{
  for (int i = 0; i < count; i++)
    for (int event = acc_ev_device_init_start; event <= acc_ev_wait_end; event++)
      how (event, callbacks[i], acc_reg);
}

/* Nanoseconds that the events of a launch add to it, all of them together.  */
static void
added (const char *name, void (*body) (int), int per_call)
{
  int calls = batch_of (body);
  double without = median_of (body, calls) / per_call;

  for (int n = 1; n <= 4; n += 3)
    {
      all_events (n, acc_prof_register);
      printf ("%s-events-%d-callbacks %.2f\n", name, n,
	      median_of (body, calls) / per_call - without);
      fflush (stdout);
      all_events (n, acc_prof_unregister);
    }
}

int
main (int argc, char **argv)
{
  only = argc > 1 ? argv[1] : NULL;
#pragma acc enter data copyin(a, b)
  report ("data-region", data_region, 1);
  report ("update", update, 1);
  report ("launch-1024", launch, 1);
  report ("launch-empty", launch_empty, 1);
  report ("launch-async-64", launch_async, 64);
  report ("is-present", is_present, 1);
  report ("deviceptr", deviceptr, 1);
  device_of_a = acc_deviceptr (a);
  report ("hostptr", hostptr, 1);
#pragma acc exit data delete(a, b)
  report ("enter-exit-data", enter_exit, 1);
  lookups (1);
  lookups (1000);
  lookups (20000);
  lookups (100000);
#pragma acc enter data copyin(a, b)
  dispatch ();
  if (!only || strcmp (only, "events") == 0)
    {
      added ("launch", launch_empty, 1);
      added ("launch-async-64", launch_async, 64);
    }
  return 0;
}
