/* Data that are brought back behind kernels that read them only; hashes tell.  */
#include "program.h"
#define N 100000

static double field[N], result[N];

static void
bad (void)
{
#pragma acc data copyin(field) copyout(result)
  for (int step = 0; step < 20; step++)
    {
#pragma acc parallel loop
      for (int i = 0; i < N; i++)
        result[i] = field[i] + step;
#pragma acc update self(field)
    }
}

static void
mended (void)
{
#pragma acc data copyin(field) copyout(result)
  for (int step = 0; step < 20; step++)
    {
#pragma acc parallel loop
      for (int i = 0; i < N; i++)
        result[i] = field[i] + step;
    }
}

/* One of the kernels changes an element: the host could not know which.  */
static void
alike (void)
{
#pragma acc data copyin(field) copyout(result)
  for (int step = 0; step < 20; step++)
    {
#pragma acc parallel loop
      for (int i = 0; i < N; i++)
        {
          result[i] = field[i] + step;
          if (step == 10 && i == 0)
            field[i] = 1;
        }
#pragma acc update self(field)
    }
}

PROGRAMS
