/* Kernels that use a small part of the device.  */
#include "program.h"
#define N 20000

static double field[N], result[4][N];
static int target[N];

static void
number (void)
{
  for (int i = 0; i < N; i++)
    target[i] = (int) ((long) i * 7919 % N);
}

/* GCC cannot tell that no two iterations write the same element: one gang does all.  */
static void
bad (void)
{
  number ();
#pragma acc data copyin(target) copy(field)
#pragma acc kernels present(target, field)
  for (int i = 0; i < N; i++)
    field[target[i]] = field[target[i]] * 0.5 + i;
}

static void
mended (void)
{
  number ();
#pragma acc data copyin(target) copy(field)
#pragma acc parallel loop present(target, field)
  for (int i = 0; i < N; i++)
    field[target[i]] = field[target[i]] * 0.5 + i;
}

static void
repeat (double *x, int queue)
{
#pragma acc parallel loop num_gangs(16) vector_length(32) async(queue) present(x[0:N])
  for (int i = 0; i < N; i++)
    for (int k = 0; k < 2000; k++)
      x[i] = x[i] * 0.5 + k;
}

/* A little work, work that the program itself wants done by one, and kernels with few
   gangs side by side.  */
static void
alike (void)
{
  double last = 0;
#pragma acc data copy(field, result)
  {
#pragma acc parallel loop present(field)
    for (int i = 0; i < 64; i++)
      field[i] += 1;
#pragma acc serial present(field) copy(last)
    for (int i = 0; i < N / 10; i++)
      last = last * 0.5 + field[i];
    for (int part = 0; part < 4; part++)
      repeat (result[part], part + 1);
#pragma acc wait
  }
}

PROGRAMS
