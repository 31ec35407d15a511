/* alike: the host changes the data in the loop, so that a region around it would be wrong */
#include <stdio.h>
#define N 100000
static double field[N];
static void pulse (int step) { field[step] += step; }
int main (void)
{
  for (int s = 0; s < 25; s++)
    {
      pulse (s);
#pragma acc parallel loop copy(field)
      for (int i = 0; i < N; i++)
        field[i] = field[i] * 0.5 + 1;
    }
  printf ("%.17g\n", field[7]);
}
