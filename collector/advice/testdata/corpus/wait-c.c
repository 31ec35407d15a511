/* planted: needless-wait */
#include <stdio.h>
#define N 100000
static double field[N];
static int spent;
static void host_work (int n) { for (int i = 0; i < n; i++) spent += i % 7; }
int main (void)
{
#pragma acc data copy(field)
  for (int s = 0; s < 30; s++)
    {
#pragma acc parallel loop async(1)
      for (int i = 0; i < N; i++)
        field[i] = field[i] * 0.5 + s;
#pragma acc wait(1)
      host_work (200000);
    }
  printf ("%.17g %d\n", field[7], spent);
}
