/* A row in a data region, in which GCC copies scalars in and out with each kernel, the loop's
   counter, too; and a sum that the host needs now and then.  */
#include <stdio.h>
#define N 100000

static double a[N], b[N];

int
main (void)
{
  int n = N;
  double sum = 0;
  for (int i = 0; i < n; i++)
    a[i] = b[i] = i % 17;
#pragma acc data copy(a[0:n], b[0:n])
  for (int step = 0; step < 40; step++)
    {
      double weight = 0.25 + step * 1e-3;
#pragma acc parallel loop present(a[0:n], b[0:n])
      for (int i = 1; i < n - 1; i++)
	b[i] = a[i] + weight * (a[i - 1] + a[i + 1]);
#pragma acc parallel loop present(a[0:n], b[0:n])
      for (int i = 1; i < n - 1; i++)
	a[n - 1 - i] = b[n - 1 - i] * 0.5 + step;
      if (step % 10 == 9)
	{
	  sum = 0;
#pragma acc parallel loop reduction(+:sum) present(a[0:n])
	  for (int i = 0; i < n; i++)
	    sum += a[i];
	  printf ("%.10g\n", sum);
	}
    }
  printf ("%.10g %.10g\n", a[5], a[n - 2]);
}
