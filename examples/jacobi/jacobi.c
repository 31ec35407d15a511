/* Jacobi iteration for Laplace's equation on a square: one data region, two
   kernels an iteration, a reduction that comes back to the host each time, and
   an update every hundred iterations.

     gcc -fopenacc -O2 -g jacobi.c -lm -o jacobi && accscope run -- ./jacobi [N [ITERATIONS]]  */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void
boundary (double *grid, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      grid[i * n + j] = i == 0 ? 1.0 : 0.0;
}

int
main (int argc, char **argv)
{
  int n = argc > 1 ? atoi (argv[1]) : 256;
  int iterations = argc > 2 ? atoi (argv[2]) : 300;
  if (n < 3 || iterations < 1)
    {
      fprintf (stderr, "usage: %s [N >= 3 [ITERATIONS >= 1]]\n", argv[0]);
      return 2;
    }
  double *grid = malloc (sizeof (double) * n * n);
  double *next = malloc (sizeof (double) * n * n);
  boundary (grid, n);
  boundary (next, n);
  double error = 1.0;
  int done = 0;

#pragma acc data copy(grid[0:n*n]) create(next[0:n*n])
  {
#pragma acc parallel loop collapse(2) present(grid, next)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
	next[i * n + j] = grid[i * n + j];

    for (; done < iterations && error > 1e-9; done++)
      {
	error = 0.0;
#pragma acc parallel loop collapse(2) reduction(max:error)
	for (int i = 1; i < n - 1; i++)
	  for (int j = 1; j < n - 1; j++)
	    {
	      double value = 0.25 * (grid[(i - 1) * n + j] + grid[(i + 1) * n + j]
				     + grid[i * n + j - 1] + grid[i * n + j + 1]);
	      double change = value - grid[i * n + j];
	      if (change < 0.0)
		change = -change;
	      error = change > error ? change : error;
	      next[i * n + j] = value;
	    }
#pragma acc parallel loop collapse(2)
	for (int i = 1; i < n - 1; i++)
	  for (int j = 1; j < n - 1; j++)
	    grid[i * n + j] = next[i * n + j];

	if (done % 100 == 99)
	  {
#pragma acc update self(grid[n*(n/2):n])
	    printf ("%5d  error %.6e  centre %.6f\n", done + 1, error, grid[n * (n / 2) + n / 2]);
	  }
      }
  }

  double sum = 0.0;
  for (int i = 0; i < n * n; i++)
    sum += grid[i];
  printf ("iterations %d  error %.6e  sum %.6f\n", done, error, sum);
  int good = isfinite (sum) && sum > n;
  free (grid);
  free (next);
  return good ? 0 : 1;
}
