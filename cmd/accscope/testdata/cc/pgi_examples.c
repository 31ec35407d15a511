/* What PGI Accelerator 1.3 says of C, in other words: 2.4.1's schedules, 2.6's declarations, 2.7's executable
   directives.  */
#include "check.h"

void raised (int n, float *p);
#pragma acc function(raised) reflected(p)

static void
doubled (int n, float *p)
{
#pragma acc device present(p)
#pragma acc region
  {
    for (int i = 0; i < n; i++)
      p[i] *= 2;
  }
}

float kept[8];
#pragma acc device resident(kept)

int
main (void)
{
  enum { N = 64 };
  float a[N], b[N], c[N][N], t = 0;
  int i, j, n = N, handle = 0;

  for (i = 0; i < N; i++)
    a[i] = i;
#pragma acc region copyin(a[0:n-1]), copyout(b[0:n-1]) if(n > 3)
  {
#pragma acc for host(16), parallel
    for (i = 0; i < n; i++)
      b[i] = a[i] + 1;
  }
  CHECK (b[0] == 1 && b[N - 1] == N);
#pragma acc region for parallel, vector(32) independent private(t) cache(a) copyin(a) copyout(b)
  for (i = 0; i < n; i++)
    {
      t = i;
      b[i] = a[i] + t;
    }
  CHECK (b[N - 1] == 2 * (N - 1));
#pragma acc data region copyin(a) local(b) copyout(c[0:n-1][0:n-1])
  {
#pragma acc region
    {
#pragma acc for seq(4)
      for (i = 0; i < n; i++)
	b[i] = a[i];
#pragma acc for parallel unroll(4) shortloop
      for (i = 0; i < n; i++)
#pragma acc for vector(256) kernel
	for (j = 0; j < n; j++)
	  c[i][j] = b[i] + a[j];
    }
  }
  CHECK (c[3][4] == 7 && c[N - 1][N - 1] == 2 * (N - 1));
#pragma acc data region copy(a[0:n-1])
  {
#pragma acc region for async(handle) updatein(a)
    for (i = 0; i < n; i++)
      a[i] += 1;
#pragma acc wait(handle)
#pragma acc update host(a) async(handle)
#pragma acc wait(handle)
    CHECK (a[0] == 1);
    doubled (n, a);
    raised (n, a);
  }
  CHECK (a[0] == 3 && a[N - 1] == 2 * N + 1);
#pragma acc region copyout(b)
  {
    for (i = 0; i < 8; i++)
      kept[i] = i;
    for (i = 0; i < 8; i++)
      b[i] = kept[i];
  }
  CHECK (b[7] == 7);
  return 0;
}

void
raised (int n, float *p)
{
#pragma acc reflected(p)
#pragma acc region for parallel, vector(32)
  for (int i = 0; i < n; i++)
    p[i] += 1;
}
