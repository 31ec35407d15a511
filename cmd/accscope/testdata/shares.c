/* Of the host's processor time, three quarters in triple and a quarter in single: both wait
   for each step of a chain of operations.  */
#include <stdio.h>
#include <stdlib.h>

static volatile double sink;

__attribute__ ((noinline)) static void
single (long steps)
{
  double x = 1;
  for (long i = 0; i < steps; i++)
    x = x * 1.0000001 + 1e-9;
  sink = x;
}

__attribute__ ((noinline)) static void
triple (long steps)
{
  double x = 1;
  for (long i = 0; i < 3 * steps; i++)
    x = x * 1.0000001 + 1e-9;
  sink = x;
}

int
main (int count, char **arguments)
{
  double a[100] = { 0 };
  int rounds = count > 1 ? atoi (arguments[1]) : 100;
  for (int round = 0; round < rounds; round++)
    {
      single (2000000);
      triple (2000000);
#pragma acc parallel loop copy(a)
      for (int i = 0; i < 100; i++)
        a[i] += 1;
    }
  printf ("%g\n", a[0]);
  return 0;
}
