/* alike: an object that is made of the data, in braces, changes them */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N 20000
struct View { double *p; int n; double &operator[] (int i) { return p[i]; } };
int main (void)
{
  int steps = 20;
  double sum = 0;
  double *a = (double *) malloc (N * sizeof (double)), *b = (double *) malloc (N * sizeof (double)), *c = (double *) malloc (N * sizeof (double));
  for (int i = 0; i < N; i++) { a[i] = i % 17; b[i] = 0; c[i] = i % 5; }
  View v{a, N};
  for (int s = 0; s < steps; s++)
    {
      #pragma acc parallel loop copyin(a[0:N], c[0:N]) copyout(b[0:N])
      for (int i = 0; i < N; i++)
        b[i] = a[N - 1 - i] * 0.5 + c[i];
      #pragma acc parallel loop copyin(b[0:N]) copy(a[0:N])
      for (int i = 0; i < N; i++)
        a[i] = b[i] * 0.5 + a[i] * 0.25;
      v[s] += 1;
    }
  for (int i = 0; i < N; i++)
    sum += a[i] + b[i];
  printf ("%.17g\n", sum);
}
