/* alike: a row's pointer, by which the host changes the data */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N 200
static double a[N][N], b[N][N];
int main (void)
{
  double *row = a[3];
  for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) a[i][j] = i % 7 + j;
  for (int s = 0; s < 20; s++)
    {
      #pragma acc parallel loop collapse(2) copyin(a) copyout(b)
      for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
          b[i][j] = a[j][i] * 0.5;
      #pragma acc parallel loop collapse(2) copyin(b) copy(a)
      for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
          a[i][j] = b[i][j] + 1;
      row[s] += 1;
    }
  double sum = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      sum += a[i][j];
  printf ("%.17g\n", sum);
}
