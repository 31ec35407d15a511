/* alike: an operator reads the data where no call is written */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N 20000
static double a[N], b[N], c[N];
struct Log { double sum; }; static Log &operator<< (Log &l, int s) { l.sum += a[s]; return l; }
int main (void)
{
  int steps = 20;
  double sum = 0;
  for (int i = 0; i < N; i++) { a[i] = i % 17; b[i] = 0; c[i] = i % 5; }
  Log l; l.sum = 0;
  for (int s = 0; s < steps; s++)
    {
      #pragma acc parallel loop copyin(a, c) copyout(b)
      for (int i = 0; i < N; i++)
        b[i] = a[N - 1 - i] * 0.5 + c[i];
      #pragma acc parallel loop copyin(b) copy(a)
      for (int i = 0; i < N; i++)
        a[i] = b[i] * 0.5 + a[i] * 0.25;
      l << s;
    }
  sum = l.sum;
  for (int i = 0; i < N; i++)
    sum += a[i] + b[i];
  printf ("%.17g\n", sum);
}
