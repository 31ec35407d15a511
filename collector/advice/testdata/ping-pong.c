/* Data that go back and forth for what the host does in each step.  */
#include "program.h"
#define N 100000

static double field[N];

static void
bad (void)
{
#pragma acc data copy(field)
  for (int step = 0; step < 20; step++)
    {
#pragma acc parallel loop
      for (int i = 0; i < N; i++)
        field[i] += 1;
#pragma acc update self(field)
      for (int i = 0; i < N; i += 2)
        field[i] = field[i] > 5 ? 5 : field[i];
#pragma acc update device(field)
    }
}

static void
mended (void)
{
#pragma acc data copy(field)
  for (int step = 0; step < 20; step++)
    {
#pragma acc parallel loop
      for (int i = 0; i < N; i++)
        field[i] += 1;
#pragma acc parallel loop
      for (int i = 0; i < N; i += 2)
        field[i] = field[i] > 5 ? 5 : field[i];
    }
}

/* A border goes back and forth.  */
static void
alike (void)
{
#pragma acc data copy(field)
  for (int step = 0; step < 20; step++)
    {
#pragma acc parallel loop
      for (int i = 0; i < N; i++)
        field[i] += 1;
#pragma acc update self(field[0:100])
      field[0] = field[99];
#pragma acc update device(field[0:100])
    }
}

PROGRAMS
