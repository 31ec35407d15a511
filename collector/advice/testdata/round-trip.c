/* Data that come back from the device as they were sent.  */
#include "program.h"
#define N 100000

static double field[N], result[N];

/* Nothing writes field on the device, and copy brings it back.  */
static void
bad (void)
{
  for (int step = 0; step < 20; step++)
    {
#pragma acc data copyin(field)
      {
#pragma acc update self(field)
#pragma acc parallel loop copyout(result)
        for (int i = 0; i < N; i++)
          result[i] = 2 * field[i];
      }
    }
}

static void
mended (void)
{
  for (int step = 0; step < 20; step++)
    {
#pragma acc data copyin(field)
      {
#pragma acc parallel loop copyout(result)
        for (int i = 0; i < N; i++)
          result[i] = 2 * field[i];
      }
    }
}

/* Each time a kernel runs between the two transfers, and the host sets an element.  */
static void
alike (void)
{
  for (int step = 0; step < 20; step++)
    {
#pragma acc data copyin(field)
      {
#pragma acc parallel loop copyout(result)
        for (int i = 0; i < N; i++)
          {
            result[i] = 2 * field[i];
            field[i] += 1;
          }
#pragma acc update self(field)
      }
      field[step] = -1;
    }
}

PROGRAMS
