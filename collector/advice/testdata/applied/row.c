/* Two kernels in a row, of which the second needs all of the first: async on one of them
   alone changes the result.  */
#include <stdio.h>
#define N 200000

static double a[N], b[N];

int
main (void)
{
  int n = N;
#pragma acc enter data copyin(a[0:n], b[0:n])
  for (int step = 0; step < 20; step++)
    {
#pragma acc parallel loop present(a[0:n], b[0:n])
      for (int i = 0; i < n; i++)
	b[i] = a[i] + 1;
#pragma acc parallel loop present(a[0:n], b[0:n])
      for (int i = 0; i < n; i++)
	a[n - 1 - i] = b[n - 1 - i];
    }
#pragma acc exit data copyout(a[0:n], b[0:n])
  printf ("%g %g\n", a[0], a[n - 1]);
}
