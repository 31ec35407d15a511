/* Kernels in which few of a warp's lanes have work.  */
#include "program.h"
#define N 4096

static double a[N][8], b[N], c[N][64];

/* A vector loop of eight.  */
static void
bad (void)
{
#pragma acc data copy(a, b)
  {
#pragma acc parallel loop gang vector_length(32)
    for (int i = 0; i < N; i++)
#pragma acc loop vector
      for (int k = 0; k < 8; k++)
	a[i][k] = a[i][k] * 0.5 + k;
  }
}

static void
mended (void)
{
#pragma acc data copy(a, b)
  {
#pragma acc parallel loop collapse(2)
    for (int i = 0; i < N; i++)
      for (int k = 0; k < 8; k++)
	a[i][k] = a[i][k] * 0.5 + k;
  }
}

/* Loops that do not divide by 32, and a condition that is the same for neighbours.  */
static void
alike (void)
{
#pragma acc data copy(b, c)
  {
#pragma acc parallel loop gang vector_length(32)
    for (int i = 0; i < N; i++)
#pragma acc loop vector
      for (int k = 0; k < 63; k++)
	c[i][k] = c[i][k] * 0.5 + k;
#pragma acc parallel loop
    for (int i = 0; i < N; i++)
      if (i / 64 % 2)
	b[i] += 1;
  }
}

PROGRAMS
