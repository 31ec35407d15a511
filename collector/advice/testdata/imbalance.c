/* Ranks that have more to do in a kernel than others.  Each rank is a process.  */
#include "program.h"
#define N 100

static double block[N];

/* What a block costs is the launch.  */
static void
work (int blocks)
{
#pragma acc data copy(block)
  for (int i = 0; i < blocks; i++)
    {
#pragma acc parallel loop
      for (int i = 0; i < N; i++)
        block[i] += 1;
    }
}

static int
rank (void)
{
  const char *text = getenv ("OMPI_COMM_WORLD_RANK");
  return text == NULL ? 0 : atoi (text);
}

static void
bad (void)
{
  work (rank () == 0 ? 9 : 1);
}

static void
mended (void)
{
  work (5);
}

/* Each rank has a kernel of its own.  */
static void
alike (void)
{
  if (rank () == 0)
    work (10);
}

PROGRAMS
