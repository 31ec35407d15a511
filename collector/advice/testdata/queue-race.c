/* Queues that write the same data, and no wait between them.  */
#include "program.h"
#define N 100000

static double field[N], other[N], total[4 * N];

static void
bad (void)
{
#pragma acc data copy(field) create(other)
  {
#pragma acc parallel loop async(1)
    for (int i = 0; i < N; i++)
      field[i] = i;
#pragma acc parallel loop async(2)
    for (int i = 0; i < N; i++)
      other[i] = 2 * field[i];
#pragma acc update self(field) async(3)
#pragma acc wait
  }
}

static void
mended (void)
{
#pragma acc data copy(field) create(other)
  {
#pragma acc parallel loop async(1)
    for (int i = 0; i < N; i++)
      field[i] = i;
#pragma acc parallel loop async(2) wait(1)
    for (int i = 0; i < N; i++)
      other[i] = 2 * field[i];
#pragma acc wait(1) async(3)
#pragma acc update self(field) async(3)
#pragma acc wait
  }
}

/* Each queue has a part of its own, what two queues only read needs no order, and order
   goes by way of a third queue or of the host.  */
static void
alike (void)
{
  double sum = 0;
#pragma acc data copy(field, total) create(other)
  {
    for (int part = 0; part < 4; part++)
      {
#pragma acc update device(total[part * N:N]) async(part + 1)
#pragma acc parallel loop async(part + 1)
        for (int i = part * N; i < (part + 1) * N; i++)
          total[i] += 1;
#pragma acc update self(total[part * N:N]) async(part + 1)
      }
#pragma acc wait
#pragma acc parallel loop async(1)
    for (int i = 0; i < N; i++)
      other[i] = 2 * field[i];
#pragma acc update self(field) async(2)
#pragma acc wait(1, 2) async(3)
#pragma acc wait(3) async(4)
#pragma acc parallel loop async(4)
    for (int i = 0; i < N; i++)
      field[i] = other[i];
#pragma acc wait(4)
#pragma acc parallel loop async(5) reduction(+:sum)
    for (int i = 0; i < N; i++)
      sum += field[i] + total[i];
#pragma acc wait(5)
  }
  printf ("%g\n", sum);
}

PROGRAMS
