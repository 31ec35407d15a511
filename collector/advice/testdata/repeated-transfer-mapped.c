/* Data that are mapped and sent again by each construct; without hashes that is suspected,
   with them it is known.  */
#include "program.h"
#define N 100000
#define PARTS 20

static double result[N];

static void
bad (void)
{
  double *field = calloc (PARTS * N, sizeof *field);
  for (int step = 0; step < PARTS; step++)
    {
#pragma acc parallel loop copyin(field[0:N]) copyout(result)
      for (int i = 0; i < N; i++)
        result[i] = field[i];
    }
  free (field);
}

static void
mended (void)
{
  double *field = calloc (PARTS * N, sizeof *field);
#pragma acc data copyin(field[0:N])
  for (int step = 0; step < PARTS; step++)
    {
#pragma acc parallel loop present(field[0:N]) copyout(result)
      for (int i = 0; i < N; i++)
        result[i] = field[i];
    }
  free (field);
}

/* Each time another part, with the same contents; and what the host has changed, by
   updates.  */
static void
alike (void)
{
  double *field = calloc (PARTS * N, sizeof *field);
  for (int step = 0; step < PARTS; step++)
    {
#pragma acc parallel loop copyin(field[step * N:N]) copyout(result)
      for (int i = 0; i < N; i++)
        result[i] = field[step * N + i];
    }
#pragma acc data create(field[0:N]) copyout(result)
  for (int step = 0; step < 20; step++)
    {
      field[step] = step + 1;
#pragma acc update device(field[0:N])
#pragma acc parallel loop
      for (int i = 0; i < N; i++)
        result[i] = field[i];
    }
  free (field);
}

PROGRAMS
