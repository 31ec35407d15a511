/* alike: in each turn another part of the data */
#include <stdio.h>
#include <stdlib.h>
int main (void)
{
  int n = 100000;
  double *a = calloc (n, sizeof *a);
  for (int s = 0; s < 25; s++)
    {
      int m = s < 12 ? n / 2 : n;
#pragma acc parallel loop copy(a[0:m])
      for (int i = 0; i < m; i++)
        a[i] += s;
    }
  printf ("%.17g %.17g\n", a[0], a[n - 1]);
}
