/* An error that ends the program, before anything has used what was sent.  */
#include "program.h"
#define N 1000

static double field[N], other[N];

/* A kernel wants all of what is there by half.  */
static void
bad (void)
{
#pragma acc enter data copyin(other, field[0:N / 2])
#pragma acc parallel loop present(other, field[0:N])
  for (int i = 0; i < N; i++)
    field[i] += other[i];
#pragma acc exit data copyout(field[0:N / 2]) delete(other)
}

static void
mended (void)
{
#pragma acc enter data copyin(other, field[0:N])
#pragma acc parallel loop present(other, field[0:N])
  for (int i = 0; i < N; i++)
    field[i] += other[i];
#pragma acc exit data copyout(field[0:N]) delete(other)
}

/* The program itself ends with a status that says no error of the runtime.  */
static void
alike (void)
{
  mended ();
  exit (3);
}

PROGRAMS
