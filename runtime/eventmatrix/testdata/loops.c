/* Constructs that come again and again at the same places, with one thing or
   another that is not as it was the last time.  */
#include <acc_callback.h>
#include <openacc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

extern void record_section_ (const char *);
extern void record_variable_ (const char *, const void *, const int64_t *);

#define N 64
#define ROUNDS 12
static float a[N], b[N];

/* One place for synchronous and asynchronous constructs, of any shape.  */
static __attribute__ ((noinline)) void
shaped (int gangs, int vector, int queue)
{
#pragma acc parallel loop present(a) num_gangs(gangs) vector_length(vector) async(queue)
  for (int i = 0; i < N; i++)
    a[i] += 1.0f;
}

static __attribute__ ((noinline)) void
synchronous (int scalar)
{
#pragma acc parallel loop present(a) firstprivate(scalar)
  for (int i = 0; i < N; i++)
    a[i] += (float) scalar;
#pragma acc parallel loop present(a)
  for (int i = 0; i < N; i++)
    a[i] += 1.0f;
}

static __attribute__ ((noinline)) void
moving (int queue)
{
#pragma acc parallel loop copyin(a) copy(b) async(queue)
  for (int i = 0; i < N; i++)
    b[i] = a[i];
#pragma acc kernels copyout(b)
  for (int i = 0; i < N; i++)
    b[i] = 2.0f;
}

static void
section (const char *what, int round)
{
  char name[64];

  snprintf (name, sizeof name, "%s %d", what, round);
  record_section_ (name);
}

static void
loop (int seed)
{
#pragma acc data copy(a)
  for (int round = seed; round < seed + ROUNDS; round++)
    {
      section ("shaped", round);
      shaped (1 + round / 3 % 2, round % 4 ? 32 : 64, acc_async_sync);
      shaped (2, 32, round / 2 % 3);
      shaped (2, 32, acc_async_noval);
      for (int gangs = 1; gangs < 4; gangs++)
	shaped (gangs, gangs < 3 ? 32 : 64, 1);
      section ("synchronous", round);
      synchronous (round);
      section ("moving", round);
      moving (round % 5 ? acc_async_sync : 1);
      acc_wait_all ();
      if (round % 4 == 3)
	acc_set_default_async (round % 3);
    }
}

static void *
thread (void *argument)
{
  (void) argument;
  loop (3);
  return NULL;
}

/* Which callbacks are called changes.  */
static void
toggles (void)
{
  static const acc_event_t events[] = {
    acc_ev_none, acc_ev_enqueue_launch_start, acc_ev_compute_construct_end,
    acc_ev_wait_start, acc_ev_error,
  };

#pragma acc data copy(a)
  for (int i = 0; i < 20; i++)
    {
      acc_event_t event = events[i % 5];
      acc_register_t how = event == acc_ev_none && i % 2 ? acc_toggle_per_thread : acc_toggle;

      section ("toggles", i);
      shaped (2, 32, 1);
      acc_callback_unregister (event, NULL, how);
      shaped (2, 32, 1);
      synchronous (ROUNDS + i);	/* what no launch before had, wherever a lies */
      acc_callback_register (event, NULL, how);
      synchronous (ROUNDS + i);
    }
}

int
main (void)
{
  int64_t bytes = sizeof a;
  pthread_t one;

  record_variable_ ("a", a, &bytes);
  record_variable_ ("b", b, &bytes);
  loop (0);
  for (int i = 0; i < 3; i++)	/* threads take over what others have left */
    {
      section ("thread", i);
      if (pthread_create (&one, NULL, thread, NULL) != 0)
	return 0;
      pthread_join (one, NULL);
    }
  toggles ();
  section ("another time of the device", 0);
  acc_shutdown (acc_get_device_type ());
  loop (1);
  section ("present(b), absent, in the middle of a data region", 0);
#pragma acc data copyin(a)
#pragma acc parallel loop present(a, b)
  for (int i = 0; i < N; i++)
    b[i] = a[i];
  return 0;
}
