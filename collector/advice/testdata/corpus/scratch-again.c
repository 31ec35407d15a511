/* f comes back for nothing but what goes up again in the next turn.  */
#include <stdio.h>
#define N 60000
static double f[N], g[N], sum[N];
int main (void)
{
  for (int i = 0; i < N; i++)
    f[i] = i % 11;
  for (int s = 0; s < 15; s++)
    {
      double w = 1.0 / (1 + s);
#pragma acc data copy(f, g) copyout(sum)
      {
#pragma acc parallel loop
        for (int i = 0; i < N; i++)
          {
            sum[i] = f[i] + w;
            g[i] = 0.5 * f[i] + w;
          }
#pragma acc parallel loop
        for (int i = 1; i < N; i++)
          f[i] = g[i - 1];
      }
    }
  printf ("%.17g %.17g\n", sum[7], sum[N - 1]);
}
