/* A library that a program opens while it runs.  */
#include <openacc.h>
#include <stdlib.h>

static double weights[64];

double
scale (int n, double factor)
{
  double *values = malloc (n * sizeof *values);
  double sum = 0.0;

  for (int i = 0; i < n; i++)
    values[i] = 1.0;
  acc_copyin (weights, sizeof weights);
#pragma acc data copy(values[0:n])
  {
#pragma acc parallel loop present(values[0:n], weights)
    for (int i = 0; i < n; i++)
      values[i] = values[i] * factor + weights[i % 64];
#pragma acc update self(values[0:n])
  }
  acc_delete (weights, sizeof weights);
#pragma acc wait
  for (int i = 0; i < n; i++)
    sum += values[i];
  free (values);
  return sum;
}
