/* The examples of OpenACC 3.3 in C++, in other words: 2.15.1, of classes and namespaces, and
   declare directives of parameters (2.13).  */
#include <vector>
#include "check.h"

// Members are in the scope of a routine directive wherever they stand in the class.
class counter
{
public:
  int count = 0;
  void
  ask ()
  {
    int n = 0;
#pragma acc parallel copy(n)
    n = four ();
    count = n;
  }
#pragma acc routine seq
  int four () { return 4; }
};

// A routine directive is about what its name finds.
namespace A
{
  int f (int);
  namespace B
  {
#pragma acc routine(f) seq
  }
}
int A::f (int n) { return n + 1; }

static int
direct ()
{
  int n = 1;
#pragma acc parallel copy(n)
  n = A::f (n);
  return n;
}

static int
by_using ()
{
  using A::f;
  int n = 2;
#pragma acc parallel copy(n)
  n = f (n);
  return n;
}

static void
parameters (int n, float *p, float (&r)[4], const float *q)
{
  float own[4];
#pragma acc declare copyin(n) present(p) copy(r) create(own) deviceptr(q)
#pragma acc parallel loop
  for (int i = 0; i < n; i++)
    {
      own[i] = q[i];
      p[i] += own[i];
      r[i] += 2;
    }
}

template <int N> static float
last (float x)
{
  float v[N];
#pragma acc declare create(v) copyin(x)
#pragma acc parallel loop
  for (int i = 0; i < N; i++)
    v[i] = x + i;
#pragma acc update self(v)
  return v[N - 1];
}

int
main ()
{
  counter c;
  c.ask ();
  CHECK (c.count == 4);
  CHECK (direct () == 2 && by_using () == 3);
  float a[4] = { 1, 2, 3, 4 }, b[4] = { 0 };
#pragma acc enter data copyin(a)
  float *d = (float *) acc_deviceptr (a);
  parameters (4, a, b, d);
#pragma acc exit data copyout(a)
  CHECK (a[3] == 8 && b[3] == 2);
  CHECK (last<7> (3) == 9);
  std::vector<double> v (100, 1.0);
  double *p = v.data ();
  int n = v.size ();
#pragma acc routine seq
  auto twice = [] (double x) { return 2 * x; };
#pragma acc parallel loop copy(p[0:n]) self(n < 10)
  for (int i = 0; i < n; i++)
    p[i] = twice (p[i]) + 3;
  for (double x : v)
    CHECK (x == 5);
  return 0;
}
