/* planted: mapped-in-loop */
#include <stdio.h>
#include <stdlib.h>
int main (void)
{
  int n = 100000;
  double *a = malloc (n * sizeof *a), sum = 0;
  for (int i = 0; i < n; i++)
    a[i] = i;
  for (int step = 0; step < 30; step++)
    {
      printf ("step %d\n", step);
#pragma acc parallel loop copy(a[0:n]) \
                          vector_length(32)
      for (int i = 0; i < n; i++)
        a[i] = a[i] * 0.5 + step;
    }
  for (int i = 0; i < n; i++)
    sum += a[i];
  printf ("%.17g\n", sum);
}
