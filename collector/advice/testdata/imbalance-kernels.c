/* Ranks that have more to do in one kernel and less in another.  Each rank is a process; with
   -DMEET they meet behind each kernel.  */
#ifdef MEET
#include <mpi.h>
#define BEGIN() MPI_Init (NULL, NULL)
#define MEETING() MPI_Barrier (MPI_COMM_WORLD)
#define END() MPI_Finalize ()
#else
#define BEGIN() (void) 0
#define MEETING() (void) 0
#define END() (void) 0
#endif
#include "program.h"
#define N 100

static double block[N];

/* What a block costs is the launch.  */
static void
first (int blocks)
{
  for (int i = 0; i < blocks; i++)
    {
#pragma acc parallel loop present(block)
      for (int i = 0; i < N; i++)
        block[i] += 1;
    }
}

static void
second (int blocks)
{
  for (int i = 0; i < blocks; i++)
    {
#pragma acc parallel loop present(block)
      for (int i = 0; i < N; i++)
        block[i] *= 2;
    }
}

static int
rank (void)
{
  const char *text = getenv ("OMPI_COMM_WORLD_RANK");
  return text == NULL ? 0 : atoi (text);
}

static void
both (int first_blocks, int second_blocks)
{
  BEGIN ();
#pragma acc data copy(block)
  {
    MEETING ();
    first (first_blocks);
    MEETING ();
    second (second_blocks);
    MEETING ();
  }
  END ();
}

static void
bad (void)
{
  if (rank () == 0)
    both (9, 1);
  else
    both (1, 3);
}

/* The first kernel even, the second one as it was.  */
static void
mended (void)
{
  both (5, rank () == 0 ? 1 : 3);
}

/* Either kernel is uneven, both together are not.  */
static void
alike (void)
{
  if (rank () == 0)
    both (9, 1);
  else
    both (1, 9);
}

PROGRAMS
