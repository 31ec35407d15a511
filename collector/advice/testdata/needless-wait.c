/* Waits for a queue that goes on by itself.  */
#include "program.h"
#define N 100000

static double field[N];

static void
bad (void)
{
#pragma acc data copy(field)
  {
    for (int step = 0; step < 20; step++)
      {
#pragma acc parallel loop async(1)
        for (int i = 0; i < N; i++)
          field[i] += 1;
#pragma acc wait(1)
        host_step ();
#pragma acc parallel loop async(1)
        for (int i = 0; i < N; i++)
          field[i] *= 2;
      }
#pragma acc wait(1)
  }
}

static void
mended (void)
{
#pragma acc data copy(field)
  {
    for (int step = 0; step < 20; step++)
      {
#pragma acc parallel loop async(1)
        for (int i = 0; i < N; i++)
          field[i] += 1;
        host_step ();
#pragma acc parallel loop async(1)
        for (int i = 0; i < N; i++)
          field[i] *= 2;
      }
#pragma acc wait(1)
  }
}

/* The host needs what the queue brings.  */
static void
alike (void)
{
  double sum = 0;
#pragma acc data copy(field)
  for (int step = 0; step < 20; step++)
    {
#pragma acc parallel loop async(1)
      for (int i = 0; i < N; i++)
        field[i] += 1;
#pragma acc update self(field[0:100]) async(1)
#pragma acc wait(1)
      sum += field[step];
    }
  /* A number is enough to wait for.  */
#pragma acc data copy(field)
  for (int step = 0; step < 20; step++)
    {
      double most = 0;
#pragma acc parallel loop reduction(max:most) async(1)
      for (int i = 0; i < N; i++)
        most = field[i] > most ? field[i] : most;
#pragma acc wait(1)
      sum += most;
    }
  printf ("%g\n", sum);
}

PROGRAMS
