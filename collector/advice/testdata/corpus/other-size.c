/* alike: the size that the procedure goes by is another thing where it is called */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N 20000
static int n = N;
static void step (double *x, double *y)
{
  #pragma acc parallel loop copyin(x[0:n]) copyout(y[0:n])
  for (int i = 0; i < n; i++)
    y[i] = x[i] * 2 + 1;
}
int main (void)
{
  double *a = malloc (N * sizeof (double)), *b = malloc (N * sizeof (double));
  for (int i = 0; i < N; i++) a[i] = i;
  for (int k = 0, n = 20; k < 1; k++)
    for (int s = 0; s < n; s++)
      step (a, b);
  printf ("%.17g %.17g %.17g\n", a[3], b[N - 2], b[7]);
}
