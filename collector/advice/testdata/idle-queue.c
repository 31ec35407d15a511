/* A device that is idle while the host prepares what it is to do next.  */
#include "program.h"
#define N 500000

static double left[N], right[N], sum[N];

static void
prepare (double *x, int step)
{
  for (int i = 0; i < N; i++)
    x[i] = (double) (i % 1000) / (step + 1);
}

static void
bad (void)
{
#pragma acc data create(left) copy(sum)
  for (int step = 0; step < 20; step++)
    {
      prepare (left, step);
#pragma acc update device(left)
#pragma acc parallel loop present(left, sum)
      for (int i = 0; i < N; i++)
        for (int k = 0; k < 200; k++)
          sum[i] = sum[i] * 0.5 + left[i];
    }
}

/* While one half is worked on, the other one is prepared.  */
static void
mended (void)
{
#pragma acc data create(left, right) copy(sum)
  {
    for (int step = 0; step < 20; step++)
      {
        double *x = step % 2 ? right : left;
        int queue = 1 + step % 2;
#pragma acc wait(queue)
        prepare (x, step);
#pragma acc update device(x[0:N]) async(queue)
#pragma acc parallel loop present(x[0:N], sum) async(queue) wait(3 - queue)
        for (int i = 0; i < N; i++)
          for (int k = 0; k < 200; k++)
            sum[i] = sum[i] * 0.5 + x[i];
      }
#pragma acc wait
  }
}

/* What the host prepares comes from what the device did last.  */
static void
alike (void)
{
#pragma acc data create(left) copy(sum)
  for (int step = 0; step < 20; step++)
    {
      for (int i = 0; i < N; i++)
        left[i] = left[i] * 0.5 + sum[i];
#pragma acc update device(left)
#pragma acc parallel loop present(left, sum)
      for (int i = 0; i < N; i++)
        sum[i] = sum[i] * 0.5 + left[i];
#pragma acc update self(sum)
    }
}

PROGRAMS
