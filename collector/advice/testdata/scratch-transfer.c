/* Data that go to the device and come back, though kernels write them before they read them.  */
#include "program.h"
#define N 100000

static double field[N];

static void
bad (void)
{
  double *work = malloc (N * sizeof *work);
  for (int step = 0; step < 10; step++)
    {
#pragma acc data copy(field, work[0:N])
      {
#pragma acc parallel loop
	for (int i = 0; i < N; i++)
	  work[i] = field[i] * 0.5;
#pragma acc parallel loop
	for (int i = 1; i < N; i++)
	  field[i] = work[i - 1];
      }
    }
  free (work);
}

static void
mended (void)
{
  double *work = malloc (N * sizeof *work);
  for (int step = 0; step < 10; step++)
    {
#pragma acc data copy(field) create(work[0:N])
      {
#pragma acc parallel loop
	for (int i = 0; i < N; i++)
	  work[i] = field[i] * 0.5;
#pragma acc parallel loop
	for (int i = 1; i < N; i++)
	  field[i] = work[i - 1];
      }
    }
  free (work);
}

/* The first element is what the host has set.  */
static void
alike (void)
{
  double *work = malloc (N * sizeof *work);
  for (int step = 0; step < 10; step++)
    {
      work[0] = step;
#pragma acc data copy(field) copyin(work[0:N])
      {
#pragma acc parallel loop
	for (int i = 1; i < N; i++)
	  work[i] = field[i] * 0.5;
#pragma acc parallel loop
	for (int i = 1; i < N; i++)
	  field[i] = work[i - 1];
      }
    }
  free (work);
}

PROGRAMS
