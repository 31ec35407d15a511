/* planted: unused-transfer */
#include <stdio.h>
#define N 100000
static double field[N], result[N];
int main (void)
{
  for (int s = 0; s < 20; s++)
    {
      for (int i = 0; i < N; i += 100)
        field[i] = s;
#pragma acc data copyin(field) copyout(result)
      {
#pragma acc parallel loop
        for (int i = 0; i < N; i++)
          result[i] = i + s;
      }
      printf ("%g ", result[s] + field[0]);
    }
  printf ("\n");
}
