/* Small transfers that follow one another.  */
#include "program.h"
#define N 100

static double field[N][16], border[N];

static void
bad (void)
{
#pragma acc data create(field) copyout(border)
  {
    for (int row = 0; row < N; row++)
      {
        field[row][0] = row;
#pragma acc update device(field[row:1])
      }
#pragma acc parallel loop
    for (int row = 0; row < N; row++)
      border[row] = field[row][0];
  }
}

static void
mended (void)
{
#pragma acc data create(field) copyout(border)
  {
    for (int row = 0; row < N; row++)
      field[row][0] = row;
#pragma acc update device(field)
#pragma acc parallel loop
    for (int row = 0; row < N; row++)
      border[row] = field[row][0];
  }
}

/* Each clause sends the pointer that it names, and nothing else.  */
static void
advance (double *x, double *y)
{
#pragma acc data present(x, y)
  {
#pragma acc parallel loop present(x, y)
    for (int i = 0; i < 16; i++)
      x[i] += y[i];
  }
}

/* A kernel needs each of them before the next one can be known.  */
static void
alike (void)
{
#pragma acc data create(field) copyout(border)
  for (int row = 0; row < N; row++)
    {
      field[row][0] = row;
#pragma acc update device(field[row:1])
#pragma acc parallel present(field, border)
      border[row] = field[row][0];
    }
#pragma acc data create(field)
  for (int row = 1; row < N; row++)
    advance (field[0], field[row]);
}

PROGRAMS
