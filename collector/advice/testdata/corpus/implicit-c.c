/* planted: implicit-transfer */
#include <stdio.h>
#define N 100000
static double field[N], result[N];
int main (void)
{
  for (int i = 0; i < N; i++)
    field[i] = i;
  for (int s = 0; s < 25; s++)
    {
#pragma acc parallel loop
      for (int i = 0; i < N; i++)
        result[i] = result[i] + field[i] * s;
    }
  printf ("%.17g\n", result[7]);
}
