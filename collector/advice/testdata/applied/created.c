/* Memory that is taken anew in each turn, and nothing of it goes up or down; what is written
   under copyin in another loop starts anew in each turn.  */
#include <stdio.h>
#define N 100000

static double field[N], scratch[N], start[N], result[N];

int
main (void)
{
#pragma acc data copy(field)
  for (int step = 0; step < 20; step++)
    {
#pragma acc data create(scratch)
      {
#pragma acc parallel loop present(field)
	for (int i = 0; i < N; i++)
	  scratch[i] = field[i] + 1;
#pragma acc parallel loop present(field)
	for (int i = 0; i < N; i++)
	  field[i] = scratch[N - 1 - i];
      }
    }
  for (int step = 0; step < 20; step++)
    {
#pragma acc data copyin(start[0:N]) copyout(result[0:N])
      {
#pragma acc parallel loop present(start[0:N])
	for (int i = 0; i < N; i++)
	  start[i] += step;
#pragma acc parallel loop present(start[0:N], result[0:N])
	for (int i = 0; i < N; i++)
	  result[i] = start[i];
      }
    }
  printf ("%g %g\n", field[7], result[7]);
}
