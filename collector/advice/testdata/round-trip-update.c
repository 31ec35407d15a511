/* Data that the host reads between two kernels, and sends back though it has not changed
   them.  */
#include "program.h"
#define N 100000

static double field[N], sum;

static void
bad (void)
{
#pragma acc data copyin(field)
  for (int step = 0; step < 20; step++)
    {
#pragma acc parallel loop
      for (int i = 0; i < N; i++)
        field[i] += i;
#pragma acc update self(field)
      sum += field[step];
#pragma acc update device(field)
    }
}

static void
mended (void)
{
#pragma acc data copyin(field)
  for (int step = 0; step < 20; step++)
    {
#pragma acc parallel loop
      for (int i = 0; i < N; i++)
        field[i] += i;
#pragma acc update self(field)
      sum += field[step];
    }
}

/* The host sets a boundary value each time.  */
static void
alike (void)
{
#pragma acc data copyin(field)
  for (int step = 0; step < 20; step++)
    {
#pragma acc parallel loop
      for (int i = 0; i < N; i++)
        field[i] += i + 1;
#pragma acc update self(field)
      field[0] = 0;
#pragma acc update device(field)
    }
}

PROGRAMS
