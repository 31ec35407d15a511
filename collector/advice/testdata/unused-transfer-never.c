/* Data that are sent and brought back around kernels that have no use of them.  */
#include "program.h"
#define N 100000

static double field[N], result[N], last[N];

static void
bad (void)
{
  for (int step = 0; step < 20; step++)
    {
      field[step] = step;
#pragma acc data copyin(field) copyout(result)
      {
#pragma acc parallel loop present(result)
        for (int i = 0; i < N; i++)
          result[i] = i;
      }
    }
}

static void
mended (void)
{
  for (int step = 0; step < 20; step++)
    {
      field[step] = step;
#pragma acc data copyout(result)
      {
#pragma acc parallel loop present(result)
        for (int i = 0; i < N; i++)
          result[i] = i;
      }
    }
}

struct parts
{
  double *values;
};

static void
through (struct parts *parts)
{
#pragma acc parallel loop present(parts[0:1], result)
  for (int i = 0; i < N; i++)
    result[i] = parts->values[i];
}

static void
by_name (const double *given)
{
#pragma acc parallel loop present(given[0:N], result)
  for (int i = 0; i < N; i++)
    result[i] = given[i];
}

static void
by_address (const double *there)
{
#pragma acc parallel loop deviceptr(there) present(result)
  for (int i = 0; i < N; i++)
    result[i] = there[i];
}

/* What kernels get by a pointer in a structure, under another name, or by its address on
   the device; and what one kernel uses of many.  */
static void
alike (void)
{
  struct parts parts = { field };
  double *other = calloc (N, sizeof *other);
  for (int step = 0; step < 20; step++)
    {
      field[step] = other[step] = last[step] = step;
#pragma acc data copyin(parts, field) create(result)
      {
#pragma acc enter data attach(parts.values)
        through (&parts);
#pragma acc exit data detach(parts.values)
#pragma acc update self(result)
      }
#pragma acc data copyin(other[0:N]) copyout(result)
      {
        if (step == 10)
          by_name (other);
        else
          by_name (result);
      }
#pragma acc data copyin(last) copyout(result)
      {
#pragma acc host_data use_device(last)
        by_address (last);
      }
    }
  free (other);
}

PROGRAMS
