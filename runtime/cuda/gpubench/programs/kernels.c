/* Kernels of common shapes on arrays of doubles, by the geometry that the runtime chooses:
   "name value us", each the median of rounds.  hand.cu has the same by hand in CUDA.  */
#include "times.h"

#include <openacc.h>
#include <stdlib.h>

static double *a, *b, *c, sum, largest;
static long n;

#define PRESENT present (a[0:n], b[0:n], c[0:n]) async (1)
#define KERNEL(name) static void name (void)

KERNEL (copy)
{
#pragma acc parallel loop gang worker vector PRESENT
  for (long i = 0; i < n; i++)
    c[i] = a[i];
}

KERNEL (triad)
{
#pragma acc parallel loop gang worker vector PRESENT
  for (long i = 0; i < n; i++)
    a[i] = b[i] + 3.0 * c[i];
}

KERNEL (dot)
{
#pragma acc parallel loop gang worker vector reduction (+:sum) PRESENT present (sum)
  for (long i = 0; i < n; i++)
    sum += a[i] * b[i];
}

KERNEL (dot_gangs)
{
#pragma acc parallel loop gang vector reduction (+:sum) PRESENT present (sum)
  for (long i = 0; i < n; i++)
    sum += a[i] * b[i];
}

KERNEL (maximum)
{
#pragma acc parallel loop gang worker vector reduction (max:largest) PRESENT present (largest)
  for (long i = 0; i < n; i++)
    largest = largest > a[i] ? largest : a[i];
}

KERNEL (stencil)
{
  int rows = n / 8192;
#pragma acc parallel loop gang worker vector collapse (2) PRESENT
  for (int j = 1; j < rows - 1; j++)
    for (int i = 1; i < 8191; i++)
      c[j * 8192 + i] = 0.2 * (a[j * 8192 + i] + a[j * 8192 + i - 1] + a[j * 8192 + i + 1]
			       + a[(j - 1) * 8192 + i] + a[(j + 1) * 8192 + i]);
}

#define ROWS(name, length)						\
  KERNEL (name)								\
  {									\
    _Pragma ("acc parallel loop gang worker PRESENT")			\
      for (int j = 0; j < 964; j++)					\
	{								\
	  _Pragma ("acc loop vector")					\
	    for (int k = 0; k < length; k++)				\
	      c[j * 964 + k] += 1;					\
	}								\
  }
ROWS (rows_of_2, 2)
ROWS (rows_of_964, 964)

static void wait_for_all (void)
{
#pragma acc wait (1)
}

int
main (void)
{
  const long most = 1L << 27;
  a = malloc (most * sizeof *a);
  b = malloc (most * sizeof *b);
  c = malloc (most * sizeof *c);
#pragma acc enter data create (a[0:most], b[0:most], c[0:most]) copyin (sum, largest)
#pragma acc parallel loop present (a[0:most], b[0:most], c[0:most])
  for (long i = 0; i < most; i++)
    {
      a[i] = 1 + (i & 1023) * 1e-3;
      b[i] = 2 - (i & 511) * 1e-3;
      c[i] = 0;
    }
  n = 1L << 12;
  take ("copy of 2^12", copy, wait_for_all);
  take ("dot product of 2^12", dot, wait_for_all);
  n = 1L << 25;
  take ("copy of 2^25", copy, wait_for_all);
  take ("triad of 2^25", triad, wait_for_all);
  take ("dot product of 2^25", dot, wait_for_all);
  take ("dot product of 2^25, no workers", dot_gangs, wait_for_all);
  take ("maximum of 2^25", maximum, wait_for_all);
  take ("stencil of 2^25", stencil, wait_for_all);
  take ("964 rows of 2", rows_of_2, wait_for_all);
  take ("964 rows of 964", rows_of_964, wait_for_all);
  n = most;
  take ("copy of 2^27", copy, wait_for_all);
  take ("triad of 2^27", triad, wait_for_all);
  take ("dot product of 2^27", dot, wait_for_all);
  return 0;
}
