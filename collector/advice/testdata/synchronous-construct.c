/* Kernels in a row, each waited for.  */
#include "program.h"
#define N 20000

static double field[N];

static void
bad (void)
{
#pragma acc data copy(field)
  for (int step = 0; step < 50; step++)
    {
#pragma acc parallel loop
      for (int i = 0; i < N; i++)
        field[i] += 1;
      host_step ();
    }
}

static void
mended (void)
{
#pragma acc data copy(field)
  {
    for (int step = 0; step < 50; step++)
      {
#pragma acc parallel loop async(1)
        for (int i = 0; i < N; i++)
          field[i] += 1;
        host_step ();
      }
#pragma acc wait(1)
  }
}

/* The host needs something of each before it launches the next.  */
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
      if (field[step] < 0)
        break;
    }
#pragma acc data copy(field)
  for (int step = 0; step < 20; step++)
    {
      double most = 0;
#pragma acc parallel loop reduction(max:most)
      for (int i = 0; i < N; i++)
        most = field[i] > most ? field[i] : most;
      if (most < 0)
        break;
    }
}

PROGRAMS
