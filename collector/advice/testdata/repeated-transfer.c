/* Data that are sent again as they were sent before; hashes tell.  */
#include "program.h"
#define N 100000

static double field[N], result[N];

static void
bad (void)
{
#pragma acc data create(field) copyout(result)
  for (int step = 0; step < 20; step++)
    {
#pragma acc update device(field)
#pragma acc parallel loop
      for (int i = 0; i < N; i++)
        result[i] = field[i] + step;
    }
}

static void
mended (void)
{
#pragma acc data copyin(field) copyout(result)
  for (int step = 0; step < 20; step++)
    {
#pragma acc parallel loop
      for (int i = 0; i < N; i++)
        result[i] = field[i] + step;
    }
}

#pragma acc routine seq
static void
add (double *where, double what)
{
  *where += what;
}

/* The host changes a little of field each time; and what kernels write to is set back,
   whether all of it comes back, a part, or nothing.  */
static void
alike (void)
{
  static double work[N], bins[N], sums[N];
#pragma acc data create(field, work, bins, sums) copyout(result)
  {
    for (int step = 0; step < 20; step++)
      {
        field[N - 1 - step] = 1;
#pragma acc update device(field)
#pragma acc parallel loop
        for (int i = 0; i < N; i++)
          result[i] = field[i];
      }
    for (int step = 0; step < 20; step++)
      {
#pragma acc update device(work)
#pragma acc parallel loop
        for (int i = 0; i < N; i++)
          result[i] = work[i]++;
      }
#pragma acc update self(work)
    for (int step = 0; step < 20; step++)
      {
#pragma acc update device(bins, sums)
#pragma acc parallel loop
        for (int i = 0; i < N; i++)
          {
            bins[i % 100] = step;
            add (&sums[i], step + 1);
          }
#pragma acc update self(sums[0:1])
        sums[0] = 0;
#pragma acc parallel loop
        for (int i = 0; i < N; i++)
          result[i] = bins[i] + sums[i];
      }
  }
}

PROGRAMS
