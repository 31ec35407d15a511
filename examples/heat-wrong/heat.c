/* Heat spreads in a plate: a spot in the middle is heated, and heated again after half of
   the steps. It is right on the host and wrong on a GPU, four times over; docs/tutorial-check.md
   finds out where, and mends it.

     gcc -fopenacc -O2 -g -o heat heat.c -lm && ./heat [N [STEPS]]  */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int
main (int argc, char **argv)
{
  int n = argc > 1 ? atoi (argv[1]) : 64, steps = argc > 2 ? atoi (argv[2]) : 20;
  if (n < 8 || steps < 1)
    {
      fprintf (stderr, "usage: %s [N >= 8 [STEPS >= 1]]\n", argv[0]);
      return 2;
    }
  size_t cells = (size_t) n * n, middle = (size_t) n / 2 * n + n / 2;
  double *heat = calloc (cells, sizeof (double));
  double *next = calloc (cells, sizeof (double));
  double change = 0.0, sum = 0.0;

  heat[middle] = 100.0;
#pragma acc data copyin(heat[0:cells]) create(next[0:cells])
  for (int t = 1; t <= steps; t++)
    {
      change = 0.0;
#pragma acc parallel loop collapse(2) copy(change)
      for (int i = 1; i < n - 1; i++)
	for (int j = 1; j < n - 1; j++)
	  {
	    size_t k = (size_t) i * n + j;
	    next[k] = heat[k] + 0.2 * (heat[k - 1] + heat[k + 1] + heat[k - n] + heat[k + n] - 4.0 * heat[k]);
	    change += fabs (next[k] - heat[k]);
	  }
#pragma acc parallel loop collapse(2)
      for (int i = 1; i < n - 1; i++)
	for (int j = 1; j < n - 1; j++)
	  heat[(size_t) i * n + j] = next[(size_t) i * n + j];
      if (t == steps / 2)
	heat[middle] = 100.0;
      if (t % 5 == 0)
	printf ("step %2d  change %.6f  beside the middle %.6f\n", t, change, heat[middle + 1]);
    }
  for (size_t k = 0; k < cells; k++)
    sum += heat[k];
  printf ("heat in all %.6f\n", sum);
  free (heat);
  free (next);
  return sum > 0.0 ? 0 : 1;
}
