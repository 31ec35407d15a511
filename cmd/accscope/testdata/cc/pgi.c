/* Directives of the PGI Accelerator model 1.3. */
#include "check.h"

int
main (void)
{
  int a[64], b[64], i, n = 64, *p = a;
  int d[8] = { 0, 0, 0, 0, 0, 0, 0, 0 };
#pragma acc local(d)

  for (i = 0; i < n; i++)
    a[i] = i, b[i] = 0;
#pragma acc data region copyin(p[0:n-1]) local(b[:63])
  {
#pragma acc region for parallel, vector(32), unroll(4)
    for (i = 0; i < n; i++)
      b[i] = p[i];
    CHECK (!SEPARATE || b[5] == 0);
    a[3] = 100;
#pragma acc region if(n > 1) updatein(p[2:3]) update host(b)
    {
#pragma acc for parallel vector(16) independent
      for (i = 0; i < n; i++)
	b[i] += p[i];
#pragma acc for host(4), seq, shortloop
      for (i = 0; i < 8; i++)
	d[i] = i;
    }
    CHECK (b[3] == (SEPARATE ? 103 : 103) && b[5] == 10);
  }
  return 0;
}
