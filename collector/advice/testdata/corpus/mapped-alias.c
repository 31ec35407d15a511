/* alike: the host reads the data by another pointer */
#include <stdio.h>
#include <stdlib.h>
int main (void)
{
  int n = 100000;
  double *a = calloc (n, sizeof *a), *watch = a + 10, sum = 0;
  for (int s = 0; s < 25; s++)
    {
#pragma acc parallel loop copy(a[0:n])
      for (int i = 0; i < n; i++)
        a[i] += i;
      sum += watch[s];
    }
  printf ("%.17g\n", sum);
}
