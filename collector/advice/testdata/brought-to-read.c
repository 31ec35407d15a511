/* Data that come back whole in each step, for the host to read something of them.  */
#include "program.h"
#define N 100000

static double field[N];
static double most;

static void
bad (void)
{
#pragma acc data copy(field)
  for (int step = 0; step < 20; step++)
    {
#pragma acc parallel loop
      for (int i = 0; i < N; i++)
        field[i] += i % 7;
#pragma acc update self(field)
      for (int i = 0; i < N; i++)
        most = field[i] > most ? field[i] : most;
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
        field[i] += i % 7;
#pragma acc parallel loop reduction(max:most)
      for (int i = 0; i < N; i++)
        most = field[i] > most ? field[i] : most;
    }
}

/* All of each step is written.  */
static void
alike (void)
{
  FILE *file = fopen ("/dev/null", "w");
#pragma acc data copy(field)
  for (int step = 0; step < 20; step++)
    {
#pragma acc parallel loop
      for (int i = 0; i < N; i++)
        field[i] += i % 7;
#pragma acc update self(field)
      fwrite (field, sizeof *field, N, file);
    }
  fclose (file);
}

PROGRAMS
