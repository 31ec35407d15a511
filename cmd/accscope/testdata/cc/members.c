/* Members of structures beside the structure, structures that are reduced, and the object of a
   member function (OpenACC 3.3 2.7, 2.9.7, 2.9.11). */
#include "check.h"

struct inner { int *v, m; };
struct outer { int n, *p, *q; struct inner a; };
struct totals { int count; double sum; };
typedef struct { float least; } extremes;

static void
members (void)
{
  struct outer x;
  int i;

  x.n = 32;
  x.p = (int *) malloc (32 * sizeof *x.p);
  x.q = (int *) malloc (32 * sizeof *x.q);
  x.a.v = (int *) malloc (8 * sizeof *x.a.v);
  for (i = 0; i < 32; i++)
    x.p[i] = x.a.v[i % 8] = i;
#pragma acc enter data copyin(x, x.p[0:32])
#pragma acc parallel loop present(x, x.p[0:32])
  for (i = 0; i < x.n; i++)
    x.p[i]++;
#pragma acc exit data copyout(x.p[0:32]) delete(x)
  CHECK (x.p[4] == 5);
#pragma acc data copyin(x) copy(x.p[0:x.n], x.a.v[0:8])
#pragma acc parallel loop present(x)
  for (i = 0; i < x.n; i++)
    x.p[i]++, x.a.v[i % 8] = 7;
  CHECK (x.p[4] == 6 && x.a.v[3] == 7);
#pragma acc parallel loop copyin(x) copy(x.p[0:32]) copyout(x.q[0:32])
  for (i = 0; i < x.n; i++)
    x.q[i] = x.p[i]++;
  CHECK (x.p[4] == 7 && x.q[4] == 6);
  free (x.p);
  free (x.q);
  free (x.a.v);
}

static void
composites (void)
{
  struct totals t = { 1, 2 };
  extremes e = { 100 };
  int of[4] = { 0, 0, 0, 0 }, i;

#pragma acc parallel loop gang vector reduction(+:t)
  for (i = 0; i < 64; i++)
    t.count += 1, t.sum += 2;
  CHECK (t.count == 65 && t.sum == 130);
#pragma acc parallel loop reduction(min:e) reduction(+:of[2])
  for (i = 10; i < 64; i++)
    {
      e.least = i < e.least ? i : e.least;
      of[2]++;
    }
  CHECK (e.least == 10 && of[2] == 54);
}

static void
automatic (void)
{
  int a[64], most = 0, i;

#pragma acc parallel loop auto gang vector copyout(a)
  for (i = 0; i < 64; i++)
    a[i] = i;
#pragma acc parallel copy(most) copyin(a)
#pragma acc loop auto gang reduction(max:most)
  for (i = 0; i < 64; i++)
    most = most < a[i] ? a[i] : most;
  CHECK (most == 63);
}

#ifdef __cplusplus
struct values
{
  int n, *p;
  values (int size) : n (size), p (new int[size])
  {
    for (int i = 0; i < n; i++)
      p[i] = i;
#pragma acc enter data copyin(this, p[0:n])
  }
  ~values ()
  {
#pragma acc exit data delete(p[0:n], this)
    delete[] p;
  }
  void add (int k)
  {
#pragma acc parallel loop present(this)
    for (int i = 0; i < n; i++)
      p[i] += k;
#pragma acc update self(p[0:n])
  }
#pragma acc routine seq
  int &at (int i) { return p[i]; }
#pragma acc routine vector
  int sum ()
  {
    int all = 0;
#pragma acc loop vector reduction(+:all)
    for (int i = 0; i < n; i++)
      all += p[i];
    return all;
  }
};
#endif

int
main (void)
{
  members ();
  composites ();
  automatic ();
#ifdef __cplusplus
  values v (8);
  v.add (3);
  CHECK (v.p[2] == 5);
  int all = 0;
#pragma acc serial present(v) copy(all)
  {
    v.at (0) += 10;
    all = v.sum ();
  }
  CHECK (all == 28 + 24 + 10);
#endif
  return 0;
}
