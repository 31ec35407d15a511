// planted: mapped-in-loop
#include <cstdio>
#include <vector>
static void relax (const double *from, double *to, int n)
{
#pragma acc parallel loop copyin(from[0:n]) copyout(to[0:n])
  for (int i = 0; i < n; i++)
    to[i] = 0.5 * from[i] + 1.0 / (1 + i);
}
int main ()
{
  const int n = 50000;
  double *a = new double[n], *b = new double[n];
  for (int i = 0; i < n; i++)
    a[i] = i % 5;
  for (int s = 0; s < 15; s++)
    {
      relax (a, b, n);
      relax (b, a, n);
    }
  std::printf ("%.17g %.17g\n", a[9], b[n - 1]);
  delete[] a;
  delete[] b;
}
