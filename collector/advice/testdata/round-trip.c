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

/* Each time a kernel runs between the two transfers, and the host sets an element; and what
   lies in several places comes into one buffer by turns.  */
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
  double *here = acc_malloc (sizeof field), *there = acc_malloc (sizeof field);
  for (int step = 0; step < 20; step++)
    {
      acc_memcpy_from_device (result, here, sizeof result);
      acc_memcpy_from_device (result, there, sizeof result);
    }
  acc_free (here);
  acc_free (there);
}

PROGRAMS
