/* alike: what a kernel writes under copyin is undone in each turn */
#include <stdio.h>
#define N 100000
static double start[N], result[N];
int main (void)
{
  for (int s = 0; s < 25; s++)
    {
#pragma acc data copyin(start) copy(result)
      {
#pragma acc parallel loop
        for (int i = 0; i < N; i++)
          start[i] += s;
#pragma acc parallel loop
        for (int i = 0; i < N; i++)
          result[i] += start[i];
      }
    }
  printf ("%.17g\n", result[7]);
}
