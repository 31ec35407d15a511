/* Data that come down at the end of a construct and go up unchanged for the next.  */
#include "program.h"
#define N 100000

static double field[N];

static void
bad (void)
{
  for (int step = 0; step < 20; step++)
    {
#pragma acc parallel loop copy(field)
      for (int i = 0; i < N; i++)
        field[i] += i;
    }
}

static void
mended (void)
{
#pragma acc data copy(field)
  for (int step = 0; step < 20; step++)
    {
#pragma acc parallel loop present(field)
      for (int i = 0; i < N; i++)
        field[i] += i;
    }
}

/* The host sets an element of field each time.  */
static void
alike (void)
{
  for (int step = 0; step < 20; step++)
    {
#pragma acc parallel loop copy(field)
      for (int i = 0; i < N; i++)
        field[i] += i;
      field[step] = -1;
    }
}

PROGRAMS
