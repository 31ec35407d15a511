/* alike: whether the data are on the device is asked for */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N 20000
#include <openacc.h>
static double a[N], d[N];
int main (void)
{
  for (int s = 0; s < 20; s++)
    {
      #pragma acc data copy(a) copyin(d)
      {
        #pragma acc parallel loop
        for (int i = 0; i < N; i++)
          a[i] = a[i] * 0.5 + s;
        if (acc_is_present (d, sizeof d)) a[0] += 0;
        if (s == 3) printf ("%d\n", acc_is_present (d, sizeof d) != 0);
      }
    }
  printf ("%.17g %.17g\n", a[3], a[N - 2]);
}
