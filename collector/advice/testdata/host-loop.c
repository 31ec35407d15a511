/* A loop of the host that takes long between kernels.  */
#include "program.h"
#define N 200000
#define STEPS 30

static double field[N], other[N], given[N];

/* As a kernel could do it.  */
static void __attribute__ ((noinline))
smooth (double *restrict to, const double *restrict from)
{
  for (int i = 1; i < N - 1; i++)
    {
      double x = from[i];
      for (int k = 0; k < 40; k++)
        x = 0.5 * x + 0.25 * (from[i - 1] + from[i + 1]);
      to[i] = x;
    }
}

static void
bad (void)
{
#pragma acc data copy(field)
  for (int step = 0; step < STEPS; step++)
    {
#pragma acc parallel loop present(field)
      for (int i = 0; i < N; i++)
        field[i] += 1;
      smooth (other, given);
    }
}

static void
mended (void)
{
#pragma acc data copy(field) copyin(given) copyout(other)
  for (int step = 0; step < STEPS; step++)
    {
#pragma acc parallel loop present(field)
      for (int i = 0; i < N; i++)
        field[i] += 1;
#pragma acc parallel loop present(given, other)
      for (int i = 1; i < N - 1; i++)
        {
          double x = given[i];
          for (int k = 0; k < 40; k++)
            x = 0.5 * x + 0.25 * (given[i - 1] + given[i + 1]);
          other[i] = x;
        }
    }
}

/* What the host does is nothing for a device: it writes text.  */
static void
alike (void)
{
  static char line[64];
#pragma acc data copy(field)
  for (int step = 0; step < STEPS; step++)
    {
#pragma acc parallel loop present(field)
      for (int i = 0; i < N; i++)
        field[i] += 1;
#pragma acc update self(field)
      for (int i = 0; i < N; i += 10)
        snprintf (line, sizeof line, "%.17g %.17g", field[i], field[i] / 3);
    }
}

PROGRAMS
