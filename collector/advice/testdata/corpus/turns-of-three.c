/* Three buffers take turns, which hold each other's data.
   planted: mapped-in-loop  */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N 20000
int main (int argc, char **argv)
{
  double *a = malloc (N * sizeof (double)), *b = malloc (N * sizeof (double)), *c = malloc (N * sizeof (double));
  for (int i = 0; i < N; i++) { a[i] = i; b[i] = 7; c[i] = 1; }
  for (int s = 0; s < 20; s++)
    {
      #pragma acc parallel loop copyin(a[0:N], b[0:N]) copyout(c[0:N])
      for (int i = 0; i < N; i++) c[i] = 2 * b[i] - a[N - 1 - i] * 0.5;
      double *t = a; a = b; b = c; c = t;
    }
  printf ("%.17g %.17g %.17g\n", a[3], b[N - 2], c[5]);
}
