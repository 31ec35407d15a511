// C++: classes with data of their own, templates, references, lambdas' captures and
// standard containers' storage (OpenACC 3.3 sections 2.6, 2.7).
#include "check.h"
#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>

namespace
{
constexpr int N = 300;

template <typename T>
class array
{
public:
  explicit array (int n) : size_ (n), data_ (new T[n] ())
  {
#pragma acc enter data copyin(this[0:1])
#pragma acc enter data create(data_[0:n])
  }
  ~array ()
  {
#pragma acc exit data delete(data_[0:size_])
#pragma acc exit data delete(this[0:1])
    delete[] data_;
  }
  array (const array &) = delete;
  array &operator= (const array &) = delete;

  void
  fill (T value)
  {
    T *data = data_;
#pragma acc parallel loop present(data[0:size_])
    for (int i = 0; i < size_; i++)
      data[i] = value + static_cast<T> (i);
  }
  void
  add (const array &other)
  {
    T *data = data_, *others = other.data_;
    int n = size_;
#pragma acc parallel loop present(data[0:n], others[0:n])
    for (int i = 0; i < n; i++)
      data[i] += others[i];
  }
  void
  through_this ()
  {
    int n = size_;
#pragma acc parallel loop present(this[0:1])
    for (int i = 0; i < n; i++)
      data_[i] += 1;
  }
  T
  sum () const
  {
    T total = 0, *data = data_;
    int n = size_;
#pragma acc parallel loop present(data[0:n]) reduction(+:total)
    for (int i = 0; i < n; i++)
      total += data[i];
    return total;
  }
  const T *
  fetch ()
  {
#pragma acc update self(data_[0:size_])
    return data_;
  }

private:
  int size_;
  T *data_;
};

template <typename T>
void
test_array ()
{
  array<T> a (N), b (N);
  a.fill (1);
  b.fill (2);
  a.add (b);
  const T *data = a.fetch ();
  CHECK (ALL (N, data[i] == static_cast<T> (3 + 2 * i)));
  a.through_this ();
  data = a.fetch ();
  CHECK (ALL (N, data[i] == static_cast<T> (4 + 2 * i)));
  T want = 0;
  for (int i = 0; i < N; i++)
    want += static_cast<T> (4 + 2 * i);
  CHECK (a.sum () == want);
}

void
test_vector ()
{
  std::vector<double> v (N), w (N, 1.0);
  std::iota (v.begin (), v.end (), 0.0);
  double *p = v.data (), *q = w.data ();
  std::size_t n = v.size ();
#pragma acc data copyin(p[0:n]) copy(q[0:n])
  {
#pragma acc parallel loop
    for (std::size_t i = 0; i < n; i++)
      q[i] += 2 * p[i];
  }
  CHECK (ALL (N, w[i] == 1 + 2 * i));
  auto owned = std::make_unique<int[]> (N);
  int *raw = owned.get ();
#pragma acc parallel loop copyout(raw[0:N])
  for (int i = 0; i < N; i++)
    raw[i] = N - i;
  CHECK (std::is_sorted (raw, raw + N, [] (int x, int y) { return x > y; }));
}

void
by_reference (int &count, float (&a)[N])
{
#pragma acc parallel loop copy(a) reduction(+:count)
  for (int i = 0; i < N; i++)
    {
      a[i] = i;
      count += 1;
    }
}

template <typename F>
auto
apply (F f, int x) -> decltype (f (x))
{
  return f (x);
}

struct point
{
  float x, y;
  point operator+ (const point &other) const { return { x + other.x, y + other.y }; }
};

void
test_language ()
{
  int count = 0;
  float a[N];
  by_reference (count, a);
  CHECK (count == N && ALL (N, a[i] == i));
  point points[N];
#pragma acc parallel loop copyout(points)
  for (int i = 0; i < N; i++)
    points[i] = point { float (i), 0 } + point { 1, 2 };
  CHECK (ALL (N, points[i].x == i + 1 && points[i].y == 2));
  int results[N], factor = 3;
#pragma acc parallel loop copyout(results) firstprivate(factor)
  for (int i = 0; i < N; i++)
    results[i] = apply ([=] (int x) { return factor * x; }, i);
  CHECK (ALL (N, results[i] == 3 * i));
  bool raised = false;
  try
    {
#pragma acc data copy(a)
      {
#pragma acc parallel loop present(a)
	for (int i = 0; i < N; i++)
	  a[i]++;
      }
      throw 1;
    }
  catch (int)
    {
      raised = true;
    }
  CHECK (raised && ALL (N, a[i] == i + 1) && (!discrete () || !acc_is_present (a, sizeof a)));
}
}

int
main ()
{
  test_array<int> ();
  test_array<float> ();
  test_array<unsigned char> ();
  test_array<double> ();
  test_vector ();
  test_language ();
  return report ();
}
