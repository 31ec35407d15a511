/* planted: mapped-in-loop */
#include <stdio.h>
#define N 100000
static double field[N], other[N];
static void step (const double *from, double *to, int n)
{
#pragma acc parallel loop copyin(from[0:n]) copyout(to[0:n])
  for (int i = 0; i < n; i++)
    to[i] = from[i] * 0.5 + 1;
}
int main (void)
{
  double *a = field, *b = other;
  for (int s = 0; s < 25; s++)
    {
      step (a, b, N);
      double *t = a;
      a = b;
      b = t;
    }
  printf ("%.17g %.17g\n", field[7], other[7]);
}
