/* A loop of launches with twelve scalars and three arrays that are present: what a
   launch costs around its kernel.
     loop [LAUNCHES [sync|async [work|empty]]]
   async waits after every 64 launches; empty kernels look at their scalars only.  */
#include <openacc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { N = 1000, TOGETHER = 64 };
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

int
main (int count, char **argument)
{
  long launches = count > 1 ? strtol (argument[1], NULL, 10) : 20000;
  int asynchronous = count > 2 && strcmp (argument[2], "async") == 0;
  int works = count < 4 || strcmp (argument[3], "empty") != 0;
  int queue = asynchronous ? 1 : acc_async_sync;
  double start, initialized, end, sum = 0;

  if (launches < 1)
    {
      fprintf (stderr, "usage: %s [LAUNCHES [sync|async [work|empty]]]\n", argument[0]);
      return 2;
    }
  for (int i = 0; i < N; i++)
    a[i] = b[i] = c[i] = i;
  start = now ();
  acc_init (acc_get_device_type ());
#pragma acc enter data copyin(a, b, c)
  initialized = now ();
  for (long i = 1; i <= launches; i++)
    {
      double small = 1e-6 * (double) (i % 1000);
      (works ? work : empty) (queue, N, 0, 1, 0.5, 0.25, small, 0.5, 0.25, small, 0.5, 0.25, small);
      if (asynchronous && (i % TOGETHER == 0 || i == launches))
	{
#pragma acc wait(1)
	}
    }
  end = now ();
#pragma acc exit data copyout(a, b, c)
  for (int i = 0; i < N; i++)
    sum += a[i] + b[i] + c[i];
  printf ("initialization             %12.6f s\n", initialized - start);
  printf ("first launch to last wait  %12.6f s\n", end - initialized);
  printf ("launches                   %12ld\n", launches);
  printf ("check  sum %.9e\n", sum);
  return 0;
}
