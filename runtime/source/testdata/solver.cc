// Names of every sort that C++ has: namespaces, templates, members reached by
// this, references, lambdas.

#include <vector>

namespace grid {

template <typename T>
class Solver {
 public:
  explicit Solver(int n) : n_(n), u_(new T[n]), f_(new T[n]) {
    for (int i = 0; i < n; i++)
      u_[i] = f_[i] = i;
#pragma acc enter data copyin(this[0:1]) copyin(u_[0:n_])
  }
  ~Solver() {
#pragma acc exit data delete(u_[0:n_])
    delete[] u_;
    delete[] f_;
  }
  void relax(T omega) {
    T *u = u_;
    T *f = f_;
    int n = n_;
#pragma acc parallel loop copy(u[0:n]) copyin(f[0:n])
    for (int i = 0; i < n; i++)
      u[i] += omega * f[i];
  }

 private:
  int n_;
  T *u_;
  T *f_;
};

}  // namespace grid

static double total(const double *data, int n, double &result) {
  double sum = 0;
#pragma acc parallel loop copyin(data[0:n]) reduction(+:sum)
  for (int i = 0; i < n; i++)
    sum += data[i];
  result = sum;
  return sum;
}

static int addTo(int (&counts)[10], int by) {
#pragma acc parallel loop copy(counts)
  for (int i = 0; i < 10; i++)
    counts[i] += by;
  return counts[0];
}

int main() {
  grid::Solver<double> solver(100);
  solver.relax(0.5);
  std::vector<double> v(100, 1.0);
  double *data = v.data();
  double result;
#pragma acc data copyin(data[0:100])
  total(data, 100, result);
  int counts[10] = {};
  auto twice = [&](int by) {
#pragma acc parallel loop copy(data[0:100])
    for (int i = 0; i < 100; i++)
      data[i] *= by;
  };
  twice(2);
  return addTo(counts, 3) != 3 || result != 100;
}
