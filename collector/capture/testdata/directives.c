#include <stdio.h>

int
main (void)
{
  float x[1000];
  for (int i = 0; i < 1000; i++)
    x[i] = (float) i;
  for (int k = 0; k < 3; k++)
    {
#pragma acc data copy(x)
      {
#pragma acc parallel loop
	for (int i = 0; i < 1000; i++)
	  x[i] *= 2;
#pragma acc update host(x)
      }
    }
  printf ("%g\n", x[3]);
  return 0;
}
