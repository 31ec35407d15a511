/* Two buffers that change places: each goes up and comes down, whatever the clauses that name
   them in turn say.  */
#include <stdio.h>
#define N 100000

static double one[N], two[N];

int
main (void)
{
  double *from = one, *to = two;
  int n = N;
  for (int i = 0; i < n; i++)
    one[i] = i % 10;
  for (int step = 0; step < 20; step++)
    {
#pragma acc parallel loop copyin(from[0:n]) copyout(to[0:n])
      for (int i = 0; i < n; i++)
	to[i] = from[i] * 0.5 + step;
      double *other = from;
      from = to;
      to = other;
    }
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += one[i] + two[i];
  printf ("%g\n", sum);
}
