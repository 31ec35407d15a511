/* Takes its processor time in a member of a template that is inlined into another one, which
   main calls.  */
#include <cstdio>
#include <vector>

template <class T> struct Grid
{
  std::vector<T> values = std::vector<T> (1 << 12, T (1));

  inline __attribute__ ((always_inline)) T
  relax (int i)
  {
    T x = values[i];
    for (int k = 0; k < 60; k++)
      {
        /* The one line that costs.  */
        x = x / (x + T (k)) + values[i - 1];
      }
    return x;
  }

  __attribute__ ((noinline)) void
  sweep ()
  {
    for (int i = 1; i < 1 << 12; i++)
      values[i] = relax (i);
  }
};

int
main ()
{
  Grid<double> grid;
  double sum = 0;
  for (int step = 0; step < 300; step++)
    grid.sweep ();
#pragma acc parallel loop copy(sum) reduction(+:sum)
  for (int i = 0; i < 10; i++)
    sum += i;
  std::printf ("%g %g\n", sum, grid.values[17]);
}
