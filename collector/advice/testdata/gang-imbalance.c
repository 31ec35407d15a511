/* A triangle whose rows are divided among gangs in blocks: the last one has the longest.  */
#include "program.h"
#define N 4096

static double a[N], sum[N];

static void
bad (void)
{
#pragma acc data copyin(a) copy(sum)
  {
#pragma acc parallel loop gang num_gangs(32)
    for (int i = 0; i < N; i++)
      {
	double s = 0;
#pragma acc loop vector reduction(+:s)
	for (int j = 0; j < i; j++)
	  s += a[j] * a[i];
	sum[i] = s;
      }
  }
}

/* By turns.  */
static void
mended (void)
{
#pragma acc data copyin(a) copy(sum)
  {
#pragma acc parallel loop gang(static:1) num_gangs(32)
    for (int i = 0; i < N; i++)
      {
	double s = 0;
#pragma acc loop vector reduction(+:s)
	for (int j = 0; j < i; j++)
	  s += a[j] * a[i];
	sum[i] = s;
      }
  }
}

/* Rows of one length, and fewer of them than gangs: what the others lack is rows.  */
static void
alike (void)
{
#pragma acc data copyin(a) copy(sum)
  {
#pragma acc parallel loop gang num_gangs(32)
    for (int i = 0; i < N; i++)
      {
	double s = 0;
#pragma acc loop vector reduction(+:s)
	for (int j = 0; j < N / 8; j++)
	  s += a[j] * a[i];
	sum[i] = s;
      }
#pragma acc parallel loop gang num_gangs(128)
    for (int i = 0; i < 40; i++)
      {
	double s = 0;
#pragma acc loop vector reduction(+:s)
	for (int j = 0; j < N; j++)
	  s += a[j] * a[i];
	sum[i] = s;
      }
  }
}

PROGRAMS
