/* planted: queue-race */
#include <stdio.h>
#define N 200000
static double field[N], other[N];
int main (void)
{
#pragma acc data create(field) copyout(other)
  {
#pragma acc parallel loop async(1)
    for (int i = 0; i < N; i++)
      field[i] = i;
#pragma acc parallel loop async(1)
    for (int i = 0; i < N; i++)
      other[i] = 2 * field[i];
#pragma acc update self(field) async(2)
#pragma acc wait
  }
  printf ("%.17g\n", other[7]);
}
