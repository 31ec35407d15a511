/* A loop of a parallel construct that all gangs go through.  */
#include "program.h"
#define N 2048

static double a[N], b[N], c[N];

static void
bad (void)
{
#pragma acc data copyin(a) copy(b, c)
  {
#pragma acc parallel num_gangs(64)
    {
      for (int i = 0; i < N; i++)
	{
	  double x = a[i] * 0.5;
	  b[i] = x * x + 1;
	}
#pragma acc loop gang vector
      for (int i = 0; i < N; i++)
	c[i] += a[i];
    }
  }
}

static void
mended (void)
{
#pragma acc data copyin(a) copy(b, c)
  {
#pragma acc parallel loop
    for (int i = 0; i < N; i++)
      {
	double x = a[i] * 0.5;
	b[i] = x * x + 1;
      }
#pragma acc parallel num_gangs(64)
    {
#pragma acc loop gang vector
      for (int i = 0; i < N; i++)
	c[i] += a[i];
    }
  }
}

/* What each gang needs for itself, rows that gangs divide among them, as many for each, and one gang alone.  */
static void
alike (void)
{
#pragma acc data copyin(a) copy(b, c)
  {
#pragma acc parallel num_gangs(64)
    {
      double first = a[0] + a[N - 1];
#pragma acc loop gang
      for (int i = 0; i < N; i++)
	{
	  double x = first;
#pragma acc loop seq
	  for (int j = 0; j < 64; j++)
	    x = x * 0.5 + a[j];
	  b[i] = x;
	}
    }
#pragma acc parallel num_gangs(1)
    {
      for (int i = 1; i < N; i++)
	c[i] = c[i - 1] + a[i];
    }
  }
}

PROGRAMS
