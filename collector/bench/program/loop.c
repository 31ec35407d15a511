/* A loop of launches with twelve scalars and three arrays that are present: what a
   launch costs around its kernel.
     loop [LAUNCHES [sync|async [work|empty [turns]]]]
   async waits after every 64 launches; empty kernels look at their scalars only.
   turns switches the callbacks of tools off and on again (OpenACC 3.3 5.4) by turns of
   TURN launches: what they cost is seen inside one run then, so that what differs from
   run to run is not in it.  */
#include <acc_prof.h>
#include <openacc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { N = 1000, TOGETHER = 64, TURN = 128 * TOGETHER };
static double a[N], b[N], c[N];

static double
now (void)
{
  struct timespec t;
  clock_gettime (CLOCK_MONOTONIC, &t);
  return (double) t.tv_sec + (double) t.tv_nsec / 1e9;
}

static void
work (int queue, int n, int from, int step, double p, double q, double r, double s, double t, double u, double v,
      double w, double x)
{
#pragma acc parallel loop present(a, b, c) async(queue)
  for (int i = from; i < n; i += step)
    {
      a[i] = a[i] * p + b[i] * q + r;
      b[i] = b[i] * s + c[i] * t + u;
      c[i] = c[i] * v + a[i] * w + x;
    }
}

static void
empty (int queue, int n, int from, int step, double p, double q, double r, double s, double t, double u, double v,
       double w, double x)
{
#pragma acc parallel present(a, b, c) async(queue) num_gangs(1)
  if (n + from + step + p + q + r + s + t + u + v + w + x < 0)
    a[0] = b[0] = c[0] = 1;
}

/* Switches the callbacks of every event on or off, whichever they are not.  */
static void
switch_callbacks (int on)
{
  (on ? acc_prof_register : acc_prof_unregister) (acc_ev_none, NULL, acc_toggle);
}

static int
ascending (const void *left, const void *right)
{
  double a = *(const double *) left, b = *(const double *) right;
  return (a > b) - (a < b);
}

/* Of turns that took so many seconds, callbacks on and off one after the other.  */
static void
tell (double *took, long turns)
{
  long pairs = turns / 2;
  double *ratio = took; /* the place of what has been read */
  for (long i = 0; i < pairs; i++)
    ratio[i] = took[2 * i] / took[2 * i + 1];
  qsort (ratio, (size_t) pairs, sizeof *ratio, ascending);
  printf ("callbacks on, off: ratio   %12.4f (quartiles %.4f and %.4f of %ld turns)\n", ratio[pairs / 2],
	  ratio[pairs / 4], ratio[3 * pairs / 4], pairs);
}

int
main (int count, char **argument)
{
  long launches = count > 1 ? strtol (argument[1], NULL, 10) : 20000;
  int asynchronous = count > 2 && strcmp (argument[2], "async") == 0;
  int works = count < 4 || strcmp (argument[3], "empty") != 0;
  int queue = asynchronous ? 1 : acc_async_sync;
  int by_turns = count > 4 && strcmp (argument[4], "turns") == 0;
  double start, initialized, end, began, sum = 0, *took = NULL;
  long turns = 0;

  if (launches < 1 || (by_turns && launches < 2 * TURN))
    {
      fprintf (stderr, "usage: %s [LAUNCHES [sync|async [work|empty [turns]]]]\n"
	       "with turns, at least %d launches\n", argument[0], 2 * TURN);
      return 2;
    }
  if (by_turns && (took = malloc ((size_t) (launches / TURN) * sizeof *took)) == NULL)
    return 1;
  for (int i = 0; i < N; i++)
    a[i] = b[i] = c[i] = i;
  start = now ();
  acc_init (acc_get_device_type ());
#pragma acc enter data copyin(a, b, c)
  began = initialized = now ();
  for (long i = 1; i <= launches; i++)
    {
      double small = 1e-6 * (double) (i % 1000);
      (works ? work : empty) (queue, N, 0, 1, 0.5, 0.25, small, 0.5, 0.25, small, 0.5, 0.25, small);
      if (asynchronous && (i % TOGETHER == 0 || i == launches))
	{
#pragma acc wait(1)
	}
      if (by_turns && i % TURN == 0)
	{
	  double ended = now ();
	  took[turns++] = ended - began;
	  switch_callbacks (turns % 2 == 0);
	  began = now ();
	}
    }
  end = now ();
#pragma acc exit data copyout(a, b, c)
  for (int i = 0; i < N; i++)
    sum += a[i] + b[i] + c[i];
  printf ("initialization             %12.6f s\n", initialized - start);
  printf ("first launch to last wait  %12.6f s\n", end - initialized);
  printf ("launches                   %12ld\n", launches);
  if (by_turns)
    tell (took, turns);
  free (took);
  printf ("check  sum %.9e\n", sum);
  return 0;
}
