/* saxpy: y = a * x + y on the current device, twice within one data region.

   Build and run:
	gcc -fopenacc -O2 -g -o saxpy saxpy.c
	ACC_DEVICE_TYPE=sim LD_PRELOAD=lib/libopenacc.so ./saxpy  */
#include <stdio.h>
#include <stdlib.h>

static void
saxpy (int n, float a, const float *restrict x, float *restrict y)
{
#pragma acc parallel loop present (x[0:n], y[0:n])
  for (int i = 0; i < n; i++)
    y[i] = a * x[i] + y[i];
}

int
main (int argc, char **argv)
{
  int n = argc > 1 ? atoi (argv[1]) : 1000000;
  float *x = malloc (n * sizeof *x), *y = malloc (n * sizeof *y);
  double sum = 0;

  if (n <= 0 || x == NULL || y == NULL)
    {
      fprintf (stderr, "usage: saxpy [LENGTH], a positive number\n");
      return 2;
    }
  for (int i = 0; i < n; i++)
    {
      x[i] = i % 8;
      y[i] = 1;
    }
#pragma acc data copyin (x[0:n]) copy (y[0:n])
  {
    saxpy (n, 2, x, y);
    saxpy (n, 0.5f, x, y);
  }
  for (int i = 0; i < n; i++)
    sum += y[i];
  printf ("sum %.1f\n", sum);
  free (x);
  free (y);
  return 0;
}
