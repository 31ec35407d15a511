/* carried.c - a construct whose small variables go together: values into the kernel's
   arguments, and the variables of two reductions; and one whose values are other ones every second time.  */
#include <stdlib.h>

static double *values;

static double __attribute__ ((noinline))
step (int low, int high, double factor)
{
  double sum = 0, most = 0;
  double *v = values;
#pragma acc parallel loop present(v[0:100]) reduction(+:sum) reduction(max:most)
  for (int i = low; i < high; i++)
    sum += factor * v[i], most = v[i] > most ? v[i] : most;
  return sum + most;
}

static double factor = 2, term = 3, bound = 1e9;

static void __attribute__ ((noinline))
shift (void)
{
  double *v = values;
#pragma acc parallel loop present(v[0:100])
  for (int i = 0; i < 100; i++)
    v[i] = v[i] < bound ? factor * v[i] + term : 0;
}

int
main (void)
{
  values = calloc (100, sizeof *values);
  double all = 0;
#pragma acc enter data copyin(values[0:100])
  for (int i = 0; i < 3; i++)
    all += step (i, 100, 0.5 + i);
  for (int i = 0; i < 4; i++)
    {
      term += i;
      shift ();
#pragma acc enter data copyin(factor)
      shift ();
#pragma acc exit data delete(factor)
    }
#pragma acc exit data delete(values[0:100])
  free (values);
  return all != 0;
}
