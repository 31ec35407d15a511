/* planted: synchronous-construct in kernels of which one brings a scalar back */
#include <stdio.h>
#define N 100000
static double a[N], b[N];
int main (void)
{
  double error = 1;
  for (int i = 0; i < N; i++)
    a[i] = i % 7;
#pragma acc data copy(a) create(b)
  for (int s = 0; s < 30 && error > 1e-6; s++)
    {
      error = 0;
#pragma acc kernels
      for (int i = 1; i < N - 1; i++)
        {
          b[i] = 0.5 * (a[i - 1] + a[i + 1]);
          error = b[i] - a[i] > error ? b[i] - a[i] : error;
        }
#pragma acc kernels
      for (int i = 1; i < N - 1; i++)
        a[i] = b[i];
#pragma acc kernels
      for (int i = 0; i < 100; i++)
        a[i] = a[i] * 0.5;
      if (s % 10 == 9)
        printf ("%.17g\n", error);
    }
  printf ("%.17g %.17g\n", a[3], a[N - 2]);
}
