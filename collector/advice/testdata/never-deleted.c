/* Data that stay on the device.  */
#include "program.h"
#define N 10000

static void
work (double *block)
{
#pragma acc parallel loop present(block[0:N])
  for (int i = 0; i < N; i++)
    block[i] += 1;
}

/* The host's memory is freed, the device's is not.  */
static void
bad (void)
{
  double *blocks[20];
  for (int step = 0; step < 20; step++)
    {
      double *block = blocks[step] = calloc (N, sizeof *block);
#pragma acc enter data copyin(block[0:N])
      work (block);
    }
  for (int step = 0; step < 20; step++)
    free (blocks[step]);
}

static void
mended (void)
{
  double *blocks[20];
  for (int step = 0; step < 20; step++)
    {
      double *block = blocks[step] = calloc (N, sizeof *block);
#pragma acc enter data copyin(block[0:N])
      work (block);
    }
  for (int step = 0; step < 20; step++)
    {
      double *block = blocks[step];
#pragma acc exit data delete(block[0:N])
      free (block);
    }
}

static void
take_to_device (double *array)
{
#pragma acc enter data copyin(array[0:N])
}

/* What the program uses to its end is mapped once, and all arrays by one function; others
   when they are used first.  */
static void
alike (void)
{
  static double block[N], arrays[5][N], later[5][N];
#pragma acc enter data copyin(block)
  for (int i = 0; i < 5; i++)
    take_to_device (arrays[i]);
  for (int step = 0; step < 20; step++)
    {
      work (block);
      work (arrays[step % 5]);
      if (step < 5)
	take_to_device (later[step]);
      work (later[step % 5]);
    }
}

PROGRAMS
