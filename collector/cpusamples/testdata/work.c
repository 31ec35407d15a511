/* A fixed amount of work in functions that call each other, a twentieth of it with an argument;
   prints the processor time that it took, ns.  */
#include <stdio.h>
#include <time.h>

static volatile double sink;

__attribute__ ((noinline)) static double
work (int depth, long steps)
{
  if (depth > 0)
    return work (depth - 1, steps) + 1;
  double x = 1;
  for (long i = 0; i < steps; i++)
    x = x * 1.0000001 + 1e-9;
  return x;
}

int
main (int count, char **arguments)
{
  (void) arguments;
  for (int i = 0; i < (count > 1 ? 10 : 200); i++)
    sink = work (20, 1000000);
  struct timespec used;
  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &used);
  printf ("%lld\n", used.tv_sec * 1000000000LL + used.tv_nsec);
  return 0;
}
