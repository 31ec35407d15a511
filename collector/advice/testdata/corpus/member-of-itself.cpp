/* alike: the data are a member, which the host changes by a pointer to the same object */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N 20000
struct Grid {
  double *a, *b;
  void run (int steps);
};
static Grid *only;
void Grid::run (int steps)
{
  for (int s = 0; s < steps; s++)
    {
      #pragma acc parallel loop copyin(a[0:N]) copyout(b[0:N])
      for (int i = 0; i < N; i++)
        b[i] = a[N - 1 - i] * 0.5;
      #pragma acc parallel loop copyin(b[0:N]) copy(a[0:N])
      for (int i = 0; i < N; i++)
        a[i] = b[i] * 0.5 + a[i] * 0.25;
      only->a[s] += 1;
    }
}
int main ()
{
  only = new Grid;
  only->a = new double[N]; only->b = new double[N];
  for (int i = 0; i < N; i++) only->a[i] = i % 17;
  only->run (20);
  double sum = 0;
  for (int i = 0; i < N; i++)
    sum += only->a[i] + only->b[i];
  printf ("%.17g\n", sum);
}
