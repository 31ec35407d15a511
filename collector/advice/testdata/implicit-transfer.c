/* Arrays that no clause names.  */
#include "program.h"
#define N 100000

static double field[N], result[N];

static void
bad (void)
{
  for (int step = 0; step < 20; step++)
    {
#pragma acc parallel loop
      for (int i = 0; i < N; i++)
        result[i] += field[i];
    }
}

static void
mended (void)
{
#pragma acc data copyin(field) copy(result)
  for (int step = 0; step < 20; step++)
    {
#pragma acc parallel loop default(present)
      for (int i = 0; i < N; i++)
        result[i] += field[i];
    }
}

/* No clause names them here either, but they are present.  */
static void
alike (void)
{
#pragma acc data copyin(field) copy(result)
  for (int step = 0; step < 20; step++)
    {
#pragma acc parallel loop
      for (int i = 0; i < N; i++)
        result[i] += field[i];
    }
}

PROGRAMS
