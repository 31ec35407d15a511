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

/* What a clause copies back of a structure, which is itself copied in alone.  */
static void
parts (void)
{
  struct { int n, v[4]; } s = { 1, { 2, 3, 4, 5 } };
  int yes = 1;

#pragma acc parallel copyin(s) copy(s.n) async(1)
  {
    s.n += s.v[1];
    s.v[2] = 0;
  }
#pragma acc wait(1)
  CHECK (s.n == 4 && s.v[2] == (SEPARATE ? 4 : 0));
#pragma acc data copyin(s) copy(s.v[0:2]) if(yes)
#pragma acc parallel present(s)
  {
    s.n = 0;
    s.v[1] = 7;
    yes = 0;
  }
  CHECK (s.n == (SEPARATE ? 4 : 0) && s.v[1] == 7);
#pragma acc enter data copyin(s)
#pragma acc parallel copyin(s) copy(s.n)
  s.n = 9;
  CHECK (s.n == (SEPARATE ? 4 : 9)); /* it was there before */
#pragma acc exit data copyout(s)
  CHECK (s.n == 9);
}

/* Members of what a pointer points to, in compute constructs: one that is not the first, an array, a
   section, and what a member points to.  */
struct pointed { int x, v[4], y, *p; };

static void
by_pointer (void)
{
  struct pointed s = { 1, { 2, 3, 4, 5 }, 6, 0 }, *q = &s;
  int w[8] = { 0, 1, 2, 3, 4, 5, 6, 7 }, n = 0;

  s.p = w;
#pragma acc parallel copy(q->y) copyout(n)
  {
    n = q->y;
    q->y = 7;
    q->x = 0;
  }
  CHECK (n == 6 && s.y == 7 && s.x == (SEPARATE ? 1 : 0));
#pragma acc parallel copyin(q->v[1:3]) copy(q->p[0:8], n)
  {
    n += q->v[2] + q->p[1];
    q->v[3] = 0;
    q->p[2] = 9;
  }
  CHECK (n == 11 && s.v[3] == (SEPARATE ? 5 : 0) && w[2] == 9 && s.p == w);
#pragma acc enter data copyin(q[0:1])
#pragma acc parallel present(q->v, q->y)
  q->y = q->v[1];
#pragma acc parallel present(q->v[1:3])
  q->v[3] = q->v[1] + 1;
#pragma acc parallel copy(q->v)
  q->v[0] = 8;
  CHECK (s.v[0] == (SEPARATE ? 2 : 8)); /* it was there before */
#pragma acc exit data copyout(q[0:1])
  CHECK (s.y == 3 && s.v[0] == 8 && s.v[3] == 4);
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
  parts ();
  by_pointer ();
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
