/* Kernels that are over before the next one can be launched.  */
#include "program.h"
#define ROWS 200
#define COLUMNS 2000

static double field[ROWS][COLUMNS];

static void
advance (double *x)
{
#pragma acc parallel loop async(1) present(x[0:COLUMNS])
  for (int column = 0; column < COLUMNS; column++)
    x[column] += 1;
}

static void
bad (void)
{
#pragma acc data copy(field)
  {
    for (int row = 0; row < ROWS; row++)
      advance (field[row]);
#pragma acc wait(1)
  }
}

static void
mended (void)
{
#pragma acc data copy(field)
  {
#pragma acc parallel loop collapse(2) async(1)
    for (int row = 0; row < ROWS; row++)
      for (int column = 0; column < COLUMNS; column++)
        field[row][column] += 1;
#pragma acc wait(1)
  }
}

/* The host needs something of each.  */
static void
alike (void)
{
#pragma acc data copy(field)
  for (int row = 1; row < ROWS; row++)
    {
#pragma acc parallel loop async(1)
      for (int column = 0; column < COLUMNS; column++)
        field[row][column] += field[row - 1][column];
#pragma acc update self(field[row:1]) async(1)
#pragma acc wait(1)
      if (field[row][0] < 0)
        break;
    }
}

PROGRAMS
