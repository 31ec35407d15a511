/* planted: synchronous-construct */
#include <stdio.h>
#define N 20000
static double a[N], b[N];
int main (void)
{
#pragma acc data copy(a, b)
  for (int s = 0; s < 40; s++)
    {
#pragma acc parallel loop present(a, b)
      for (int i = 0; i < N; i++)
        b[i] = a[i] + 1;
#pragma acc parallel loop present(a, b)
      for (int i = 0; i < N; i++)
        a[N - 1 - i] = b[N - 1 - i] * 0.5;
    }
  printf ("%.17g %.17g\n", a[0], b[7]);
}
