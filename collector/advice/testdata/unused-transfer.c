/* Data that are sent, and that no kernel has used when they are gone.  */
#include "program.h"
#define N 100000

static double field[N], result[N];

/* The second transfer overwrites the first before the kernel runs.  */
static void
bad (void)
{
#pragma acc data create(field) copyout(result)
  for (int step = 0; step < 20; step++)
    {
#pragma acc update device(field)
      field[step] = step;
#pragma acc update device(field)
#pragma acc parallel loop
      for (int i = 0; i < N; i++)
        result[i] = field[i];
    }
}

static void
mended (void)
{
#pragma acc data create(field) copyout(result)
  for (int step = 0; step < 20; step++)
    {
      field[step] = step;
#pragma acc update device(field)
#pragma acc parallel loop
      for (int i = 0; i < N; i++)
        result[i] = field[i];
    }
}

/* What host_data or acc_deviceptr gives the address of is used by what gets it, and so is
   what acc_malloc gives: here it comes back elsewhere.  */
static void
alike (void)
{
#pragma acc data create(field)
  for (int step = 0; step < 20; step++)
    {
#pragma acc update device(field)
#pragma acc host_data use_device(field)
      acc_memcpy_from_device (result, field, sizeof result);
    }
#pragma acc data create(field)
  {
    double *there = acc_deviceptr (field);
    for (int step = 0; step < 20; step++)
      {
        field[step] = -step;
#pragma acc update device(field[0:N / 2])
      }
    acc_memcpy_from_device (result, there, sizeof result);
  }
  double *here = acc_malloc (sizeof field);
  for (int step = 0; step < 20; step++)
    {
      acc_memcpy_to_device (here, field, sizeof field);
      acc_memcpy_from_device (result, here, sizeof result);
    }
  acc_free (here);
}

PROGRAMS
