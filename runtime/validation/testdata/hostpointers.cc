// Kernels that are given pointers of the host's, and such as only look like it. A line
// that ends "warns: NAME" is a directive of which the runtime warns once, naming that.
// NO_TABLES: the compiler writes no table of what is declared at file scope.
#include <cstdio>
#include <cstring>
#include <openacc.h>

static double global[8];
#pragma acc declare create(global)

struct Grid
{
  int n;
  double *values;

  double
  sum ()
  {
    double sum = 0;
#pragma acc parallel loop reduction(+:sum) // warns: this
    for (int i = 0; i < n; i++)
      sum += values[i];
    return sum;
  }

  double
  named ()
  {
    double sum = 0;
#pragma acc parallel loop present(this[0:1], values[0:n]) reduction(+:sum)
    for (int i = 0; i < n; i++)
      sum += values[i];
    return sum;
  }
};

static double
sum_of (const double *p, int n, int times)
{
  double sum = 0;
  for (int k = 0; k < times; k++)
    {
#pragma acc parallel loop reduction(+:sum) // warns: p
      for (int i = 0; i < n; i++)
	sum += p[i];
    }
  return sum;
}

int
main ()
{
  const int n = 10;
  volatile int none = 0;
  double *values = new double[n] (), number, sum = 0;
  double *middle = values + 3, *elsewhere = new double[n] ();
  long count = 5;
  Grid grid = { n, values };
  std::memcpy (&number, &middle, sizeof number);
#pragma acc enter data copyin(values[0:n]) copyin(grid)
#pragma acc enter data attach(grid.values)
  sum += sum_of (values, n, 3) + grid.sum () + grid.named ();

#pragma acc parallel loop default(present) reduction(+:sum) // warns: middle
  for (int i = 0; i < 5; i++)
    sum += middle[i];
#pragma acc kernels loop // warns: middle
  for (int i = 0; i < 5; i++)
    sum += middle[i];
  // What is nowhere present, and what the section of the construct around does not begin with.
#pragma acc parallel loop reduction(+:sum) // warns: elsewhere
  for (int i = 0; i < 5; i++)
    sum += elsewhere[i];
#pragma acc data copyin(elsewhere[5:5])
  {
#pragma acc parallel loop reduction(+:sum) // warns: elsewhere
    for (int i = 5; i < n; i++)
      sum += elsewhere[i];
#pragma acc parallel loop present(elsewhere[5:5]) reduction(+:sum)
    for (int i = 5; i < n; i++)
      sum += elsewhere[i];
  }
#pragma acc data copyin(elsewhere[none:none])
  {
#pragma acc parallel loop reduction(+:sum)
    for (int i = 0; i < none; i++)
      sum += elsewhere[i];
  }
#pragma acc data no_create(elsewhere[1:none + 1])
  {
#pragma acc parallel loop reduction(+:sum)
    for (int i = 0; i < none; i++)
      sum += elsewhere[i];
  }
  // The kernel is given a number, or its device's address.
#pragma acc parallel loop reduction(+:sum)
  for (int i = 0; i < 5; i++)
    sum += number * count;
  double *device = static_cast<double *> (acc_malloc (n * sizeof *device)) + 1;
#pragma acc parallel loop
  for (int i = 0; i < 5; i++)
    device[i] = i;
#pragma acc parallel loop present(values[0:n]) reduction(+:sum)
  for (int i = 0; i < n; i++)
    sum += values[i];
#pragma acc parallel loop present(values[0:n]) reduction(+:sum)
  for (int i = 0; i < 5; i++)
    sum += values[i] + middle[i];

#ifndef NO_TABLES
  for (int k = 0; k < 2; k++)
    {
#pragma acc update device(global) // warns: data declared at file scope
#pragma acc update self(global[0:4]) // warns: global declared at file scope
    }
#endif
#pragma acc update self(values[0:n])
  std::printf ("%g\n", sum);
  return 0;
}
