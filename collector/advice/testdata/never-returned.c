/* Data that a kernel writes and that never come back.  */
#include "program.h"
#define N 10000

static double field[N], result[N];

static void
bad (void)
{
  for (int step = 0; step < 20; step++)
    {
#pragma acc parallel loop copyin(field)
      for (int i = 0; i < N; i++)
        field[i] += 1;
    }
  printf ("%g\n", field[5]);
}

static void
mended (void)
{
#pragma acc data copy(field)
  for (int step = 0; step < 20; step++)
    {
#pragma acc parallel loop present(field)
      for (int i = 0; i < N; i++)
        field[i] += 1;
    }
  printf ("%g\n", field[5]);
}

/* The host sets them anew before it reads them; and a part is enough to have come back.  */
static void
alike (void)
{
  for (int step = 0; step < 20; step++)
    {
      for (int i = 0; i < N; i++)
        field[i] = i + step;
#pragma acc parallel loop copyin(field) copyout(result)
      for (int i = 0; i < N; i++)
        {
          field[i] *= 2;
          result[i] = field[i];
        }
    }
  printf ("%g\n", result[5]);
#pragma acc data copyin(field)
  {
#pragma acc parallel loop
    for (int i = 0; i < N; i++)
      field[i] += 1;
#pragma acc update self(field[0:100])
  }
  printf ("%g\n", field[5]);
}

PROGRAMS
