/* A solver that forgets a work array in each step, which accscope advise tells.

     gcc -fopenacc -O2 -g leak.c -o leak && accscope run --device sim -- ./leak  */
#include <stdio.h>
#include <stdlib.h>

#define N 200000

int
main (void)
{
  double *field = calloc (N, sizeof (double));
#pragma acc enter data copyin(field[0:N])
  for (int step = 0; step < 40; step++)
    {
      double *work = malloc (N * sizeof (double));
#pragma acc enter data create(work[0:N])
#pragma acc parallel loop present(field[0:N], work[0:N])
      for (int i = 0; i < N; i++)
	work[i] = field[i] + step;
#pragma acc parallel loop present(field[0:N], work[0:N])
      for (int i = 0; i < N; i++)
	field[i] = work[i];
#pragma acc update self(field[0:1])
      /* no exit data delete(work[0:N]): each step's stays */
    }
#pragma acc exit data copyout(field[0:N])
  printf ("%g\n", field[0]);
  free (field);
  return 0;
}
