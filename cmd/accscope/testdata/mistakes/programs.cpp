/* Right programs in C++, as programs.c. What is before the first of them is before those that are
   made, too.  */
#include <cstdio>
#include <cstdlib>
#include <vector>

enum { N = 96, M = 8 };

#pragma acc routine seq
template <typename T>
[[gnu::noinline]] T
times (T value, int by)
{
  return value * by;
}

template <typename T>
struct field
{
  T *values;
  int size;

  explicit field (int n) : values (new T[n]), size (n) {}
  ~field () { delete[] values; }
  field (const field &) = delete;
  field &operator= (const field &) = delete;
};

namespace bins {
  struct bin { int low, count; };
}

double
templated (void)
{
  std::vector<double> from (N), to (N);
  double *a = from.data (), *b = to.data (), sum = 0;

  for (int i = 0; i < N; i++)
    a[i] = i + 1;
#pragma acc parallel loop copyin(a[0:N]) copyout(b[0:N])
  for (int i = 0; i < N; i++)
    b[i] = times (a[i], 2);
  for (double value : to)
    sum += value;
  return sum;
}

double
scoped (void)
{
  field<float> state (N), change (N);
  float *s = state.values, *c = change.values;
  double sum = 0;

  for (int i = 0; i < state.size; i++)
    s[i] = i, c[i] = 0;
#pragma acc data copy(s[0:N]) create(c[0:N])
  {
#pragma acc parallel loop
    for (int i = 0; i < N; i++)
      c[i] = s[i] + 1;
#pragma acc parallel loop
    for (int i = 0; i < N; i++)
      s[i] = times (c[i], 3);
  }
  for (int i = 0; i < state.size; i++)
    sum += s[i];
  return sum;
}

double
stepped (void)
{
  static std::vector<double> all (N, 1.0), more (N); // which stay where they are, whatever is left on the device
  double *u = all.data (), *f = more.data (), sum = 0;

#pragma acc enter data copyin(u[0:N]) create(f[0:N])
  for (int step = 1; step <= 3; step++)
    {
      for (int i = 0; i < N; i++)
	f[i] = step + i;
#pragma acc update device(f[0:N])
#pragma acc parallel loop present(u, f)
      for (int i = 0; i < N; i++)
	u[i] += f[i];
#pragma acc update self(u[0:N])
      for (int i = 0; i < N; i++)
	sum += u[i];
    }
#pragma acc exit data delete(u, f)
  return sum;
}

double
reduced (void)
{
  std::vector<double> all (N);
  double *v = all.data (), total = 0;
  long even = 0;

  for (auto &value : all)
    value = &value - v + 1;
#pragma acc parallel loop copyin(v[0:N]) copy(total, even) reduction(+:total) reduction(+:even)
  for (int i = 0; i < N; i++)
    {
      total += v[i];
      even += i % 2 == 0;
    }
  return total + even;
}

double
counted (void)
{
  std::vector<int> keys (N);
  std::vector<bins::bin> counts (M);
  int *key = keys.data ();
  bins::bin *bin = counts.data ();
  double sum = 0;

  for (int i = 0; i < N; i++)
    key[i] = i % M;
#pragma acc parallel loop copyin(key[0:N]) copy(bin[0:M])
  for (int i = 0; i < N; i++)
    {
#pragma acc atomic update
      bin[key[i]].count += 1;
    }
  for (const bins::bin &one : counts)
    sum += one.count * (&one - bin + 1);
  return sum;
}

double
queued (void)
{
  static std::vector<double> first (N, 2.0), second (N), third (N);
  double *p = first.data (), *q = second.data (), *r = third.data (), sum = 0;

#pragma acc enter data copyin(p[0:N], q[0:N], r[0:N])
#pragma acc parallel loop present(p, q) async(1)
  for (int i = 0; i < N; i++)
    q[i] = times (p[i], i);
#pragma acc wait(1) async(2)
#pragma acc parallel loop present(q, r) async(2)
  for (int i = 0; i < N; i++)
    r[i] = q[i] + 1;
#pragma acc update self(r[0:N]) async(2)
#pragma acc wait(2)
  for (int i = 0; i < N; i++)
    sum += r[i];
#pragma acc exit data delete(p, q, r)
  return sum;
}

double
windowed (void)
{
  std::vector<double> from (N), to (N);
  double *w = from.data (), *s = to.data (), part[4] = { 0 }, sum = 0;

  for (int i = 0; i < N; i++)
    w[i] = i;
#pragma acc parallel loop gang vector copyin(w[0:N]) copyout(s[0:N]) private(part)
  for (int i = 0; i < N; i++)
    {
      for (int k = 0; k < 4; k++)
	part[k] = w[(i + k) % N];
      s[i] = part[0] + part[1] * part[2] - part[3];
    }
  for (int i = 0; i < N; i++)
    sum += s[i] * (i + 1);
  return sum;
}

double
relaxed (void)
{
  field<double> even (N), odd (N);
  double *now = even.values, *then = odd.values, sum = 0;

  for (int i = 0; i < N; i++)
    now[i] = i % 7, then[i] = 0;
#pragma acc data copy(now[0:N]) create(then[0:N])
  for (int step = 0; step < 2; step++)
    {
#pragma acc parallel loop
      for (int i = 1; i < N - 1; i++)
	then[i] = now[i - 1] + now[i + 1];
#pragma acc parallel loop
      for (int i = 1; i < N - 1; i++)
	now[i] = then[i];
    }
  for (int i = 0; i < N; i++)
    sum += now[i];
  return sum;
}
