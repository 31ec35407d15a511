// planted: mapped-in-loop
#include <cstdio>
#include <vector>
namespace heat {
class Solver {
public:
  double run (double *u, int n)
  {
    for (int step = 0; step < 25; ++step)
      {
#pragma acc parallel loop copy(u[0:n])
        for (int i = 0; i < n; ++i)
          u[i] = u[i] * 0.5 + step;
      }
    double sum = 0;
    for (int i = 0; i < n; ++i)
      sum += u[i];
    return sum;
  }
};
}
int main ()
{
  std::vector<double> values (100000, 1.0);
  heat::Solver solver;
  std::printf ("%.17g\n", solver.run (values.data (), 100000));
}
