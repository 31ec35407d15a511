/* Directives whose calls carry every kind of variable argument.  */
#include <stdio.h>

int
main (int argc, char **argv)
{
  int n = argc + 3, x[4] = { 0 };

  (void) argv;
#pragma acc parallel num_gangs (n) num_workers (n + 1) copy (x)
  x[0]++;
#pragma acc parallel async (3) wait (1, 2) copy (x)
  x[0]++;
#pragma acc parallel async copy (x)
  x[0]++;
#pragma acc parallel async (n) wait copy (x)
  x[0]++;
#pragma acc parallel if (0) copy (x)
  x[0]++;
#pragma acc data copy (x)
  x[0]++;
#pragma acc enter data copyin (x) async (n) wait (n, 7)
#pragma acc update self (x) if (argc > 1)
#pragma acc exit data delete (x)
#pragma acc wait (1, n) async (2)
#pragma acc wait
  printf ("x=%d\n", x[0]);
  return 0;
}
