/* planted: mapped-in-loop */
#include <stdio.h>
#include <stdlib.h>
static void relax (const double *from, double *to, int n)
{
#pragma acc parallel loop copyin(from[0:n]) copyout(to[0:n])
  for (int i = 0; i < n; i++)
    to[i] = 0.5 * from[i] + 1.0 / (1 + i);
}
static void warm_up (double *a, double *b, int n)
{
  for (int s = 0; s < 15; s++)
    {
      relax (a, b, n);
      relax (b, a, n);
    }
}
int main (void)
{
  int n = 50000;
  double *a = (double *) malloc (n * sizeof (double)), *b = (double *) malloc (n * sizeof (double));
  for (int i = 0; i < n; i++)
    a[i] = i % 5;
  warm_up (a, b, n);
  for (int s = 0; s < 12; s++)
    relax (a, b, n);
  printf ("%.17g %.17g\n", a[9], b[n - 1]);
}
