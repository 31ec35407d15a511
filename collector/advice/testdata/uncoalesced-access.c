/* Kernels whose lanes use memory at places far from each other.  */
#include "program.h"
#define N 512

struct point { double x, y, z, mass, charge, spin; };

static double a[N][N], b[N][N], sum[N * 64];
static struct point points[N * 64];
static double x[N * 64], mass[N * 64];

/* The lanes have the rows, and each goes along one; and a member of structures.  */
static void
bad (void)
{
#pragma acc data copyin(a, points) copy(b, sum)
  {
#pragma acc parallel loop gang
    for (int j = 0; j < N; j++)
#pragma acc loop vector
      for (int i = 0; i < N; i++)
	b[i][j] = 2 * a[i][j];
#pragma acc parallel loop
    for (int i = 0; i < N * 64; i++)
      sum[i] += points[i].x * points[i].mass;
  }
}

static void
mended (void)
{
#pragma acc data copyin(a, x, mass) copy(b, sum)
  {
#pragma acc parallel loop gang
    for (int i = 0; i < N; i++)
#pragma acc loop vector
      for (int j = 0; j < N; j++)
	b[i][j] = 2 * a[i][j];
#pragma acc parallel loop
    for (int i = 0; i < N * 64; i++)
      sum[i] += x[i] * mass[i];
  }
}

/* Neighbours that begin between two sectors, one value for all lanes, and a few rows.  */
static void
alike (void)
{
#pragma acc data copyin(a, x) copy(b, sum)
  {
#pragma acc parallel loop
    for (int i = 1; i < N * 64 - 1; i++)
      sum[i] = x[i - 1] + x[i + 1] + a[3][5];
#pragma acc parallel loop
    for (int i = 0; i < 32; i++)
      b[i][0] = 1;
  }
}

PROGRAMS
