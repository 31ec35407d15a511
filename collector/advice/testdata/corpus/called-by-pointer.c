/* alike: what changes the data is called by a pointer */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N 20000
static double a[N], b[N];
static void touch (int s) { a[s] += 1; }
static void (*hook) (int) = touch;
int main (void)
{
  for (int i = 0; i < N; i++) a[i] = i;
  for (int s = 0; s < 20; s++)
    {
      #pragma acc parallel loop copy(a) copyout(b)
      for (int i = 0; i < N; i++) { b[i] = a[i] * 2; a[i] += 1; }
      (*hook) (s);
    }
  double sum = 0;
  for (int i = 0; i < N; i++)
    sum += a[i] + b[i];
  printf ("%.17g\n", sum);
}
