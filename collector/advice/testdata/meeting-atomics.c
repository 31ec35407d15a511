/* Atomic updates of one place by many lanes.  */
#include "program.h"
#define N 100000

static int values[N], count, bins[1024];

static void
bad (void)
{
#pragma acc data copyin(values) copy(count)
#pragma acc parallel loop
  for (int i = 0; i < N; i++)
    {
#pragma acc atomic
      count += values[i] + 1;
    }
}

static void
mended (void)
{
#pragma acc data copyin(values)
#pragma acc parallel loop reduction(+:count)
  for (int i = 0; i < N; i++)
    count += values[i] + 1;
}

/* A histogram whose bins seldom meet.  */
static void
alike (void)
{
#pragma acc data copyin(values) copy(bins)
#pragma acc parallel loop
  for (int i = 0; i < N; i++)
    {
#pragma acc atomic
      bins[(values[i] + i * 7) & 1023]++;
    }
}

PROGRAMS
