/* Data that are mapped and deleted again and again.  */
#include "program.h"
#define N 100000

static double field[N], rows[40][N / 10];

static void
advance (double *x, int n, int step)
{
#pragma acc parallel loop copy(x[0:n])
  for (int i = 0; i < n; i++)
    x[i] += step;
}

static void
bad (void)
{
  for (int step = 0; step < 20; step++)
    advance (field, N, step);
}

/* copy finds the data present.  */
static void
mended (void)
{
#pragma acc data copy(field)
  for (int step = 0; step < 20; step++)
    advance (field, N, step);
}

/* Each time other data: a data region around the loop would hold them all.  */
static void
alike (void)
{
  for (int step = 0; step < 40; step++)
    advance (rows[step], N / 10, step);
}

PROGRAMS
