/* A wave in a square: a source in the middle sends a pulse, receivers along a line
   record what comes by. It is right and slow; docs/tutorial.md finds out why, and
   mends it by the patches beside it.

     gcc -fopenacc -O2 -g -o wave wave.c -lm && accscope run -- ./wave [N [STEPS]]  */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* One time step of the wave equation: after holds what was before now, and becomes
   what comes after it. */
static void
step (int n, double *restrict after, const double *restrict now, const double *restrict speed)
{
#pragma acc parallel loop collapse(2) copy(after[0:n*n]) copyin(now[0:n*n], speed[0:n*n])
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++)
      {
	int k = i * n + j;
	double laplace = now[k - 1] + now[k + 1] + now[k - n] + now[k + n] - 4.0 * now[k];
	after[k] = 2.0 * now[k] - after[k] + speed[k] * speed[k] * laplace;
      }
}

/* The source's pulse at a step. */
static double
pulse (int t)
{
  double x = (t - 40) / 12.0;
  return (1.0 - 2.0 * x * x) * exp (-x * x);
}

int
main (int argc, char **argv)
{
  int n = argc > 1 ? atoi (argv[1]) : 400;
  int steps = argc > 2 ? atoi (argv[2]) : 200;
  if (n < 8 || steps < 1)
    {
      fprintf (stderr, "usage: %s [N >= 8 [STEPS >= 1]]\n", argv[0]);
      return 2;
    }
  size_t cells = (size_t) n * n;
  double *even = calloc (cells, sizeof (double));
  double *odd = calloc (cells, sizeof (double));
  double *speed = malloc (cells * sizeof (double));
  double *record = malloc ((size_t) steps * n * sizeof (double));
  for (size_t k = 0; k < cells; k++)
    speed[k] = k < cells / 2 ? 0.4 : 0.6; /* two layers */
  int source = n / 2 * n + n / 2, receivers = 3 * n / 8 * n;

  for (int t = 0; t < steps; t++)
    {
      double *now = t % 2 == 0 ? even : odd;
      double *after = t % 2 == 0 ? odd : even;
      step (n, after, now, speed);
      after[source] += pulse (t);
      for (int j = 0; j < n; j++)
	record[(size_t) t * n + j] = after[receivers + j];
    }

  double sum = 0.0;
  for (size_t k = 0; k < (size_t) steps * n; k++)
    sum += fabs (record[k]);
  printf ("cells %d x %d, steps %d, recorded %.9e\n", n, n, steps, sum);
  free (even);
  free (odd);
  free (speed);
  free (record);
  return sum > 0.0 ? 0 : 1;
}
