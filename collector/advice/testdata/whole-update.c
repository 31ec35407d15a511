/* Data that go up whole in each step, though the host has changed a row of them.  */
#include "program.h"
#define ROWS 400
#define COLUMNS 250

static double field[ROWS][COLUMNS], result[ROWS][COLUMNS];

static void
bad (void)
{
#pragma acc data copyin(field) copy(result)
  for (int step = 0; step < 20; step++)
    {
      for (int j = 0; j < COLUMNS; j++)
        field[0][j] = step + j;
#pragma acc update device(field)
#pragma acc parallel loop present(field, result)
      for (int i = 0; i < ROWS; i++)
        result[i][0] += field[i][1];
    }
}

static void
mended (void)
{
#pragma acc data copyin(field) copy(result)
  for (int step = 0; step < 20; step++)
    {
      for (int j = 0; j < COLUMNS; j++)
        field[0][j] = step + j;
#pragma acc update device(field[0:1])
#pragma acc parallel loop present(field, result)
      for (int i = 0; i < ROWS; i++)
        result[i][0] += field[i][1];
    }
}

/* What the kernel has written is to be what it was, in each step.  */
static void
alike (void)
{
#pragma acc data copyin(field) copy(result)
  for (int step = 0; step < 20; step++)
    {
      for (int j = 0; j < COLUMNS; j++)
        field[0][j] = step + j;
#pragma acc update device(field)
#pragma acc parallel loop present(field, result)
      for (int i = 0; i < ROWS; i++)
        {
          field[i][2] += 1;
          result[i][0] += field[i][2];
        }
    }
}

PROGRAMS
