#include <omp.h>
#include <stdio.h>

int
main (void)
{
  int sum = 0;
#pragma omp parallel for reduction (+: sum) num_threads (2)
  for (int i = 0; i < 10; i++)
    sum += i;
  printf ("%d %d\n", sum, omp_get_max_threads () > 0);
  return 0;
}
