/* The loop construct and its clauses, routine, atomic, cache and the clauses of
   compute constructs (OpenACC 3.3 sections 2.5, 2.9, 2.10, 2.12, 2.15).  */
#include "check.h"

#define N 96

#pragma acc routine seq
static int
square (int x)
{
  return x * x;
}

#pragma acc routine vector
static void
scale (float *a, int n, float by)
{
#pragma acc loop vector
  for (int i = 0; i < n; i++)
    a[i] *= by;
}

#pragma acc routine worker
static void
shift (float *a, int n)
{
#pragma acc loop worker
  for (int i = 0; i < n; i++)
    a[i] += 1;
}

#pragma acc routine gang
static void
negate (float *a, int n)
{
#pragma acc loop gang
  for (int i = 0; i < n; i++)
    a[i] = -a[i];
}

static int twice (int);
#pragma acc routine (twice) seq

static int
twice (int x)
{
  return x < 1 ? 0 : 2 + twice (x - 1);
}

static void
schedules (void)
{
  int a[N], b[N];
#define LOOP(clauses)							\
  memset (a, 0, sizeof a);						\
  _Pragma ("acc parallel copy(a)")					\
  {									\
    _Pragma (clauses)							\
    for (int i = 0; i < N; i++)						\
      a[i] += i;							\
  }									\
  check_at (__LINE__, clauses, ALL (N, a[i] == i))
  LOOP ("acc loop");
  LOOP ("acc loop gang");
  LOOP ("acc loop worker");
  LOOP ("acc loop vector");
  LOOP ("acc loop gang worker");
  LOOP ("acc loop gang vector");
  LOOP ("acc loop worker vector");
  LOOP ("acc loop gang worker vector");
  LOOP ("acc loop seq");
  LOOP ("acc loop auto");
  LOOP ("acc loop independent");
  LOOP ("acc loop gang(static:4)");
  LOOP ("acc loop gang(static:*)");
#define KERNELS(clauses)						\
  memset (a, 0, sizeof a);						\
  _Pragma ("acc kernels copy(a)")					\
  {									\
    _Pragma (clauses)							\
    for (int i = 0; i < N; i++)						\
      a[i] += i;							\
  }									\
  check_at (__LINE__, "kernels " clauses, ALL (N, a[i] == i))
  KERNELS ("acc loop");
  KERNELS ("acc loop gang(8) vector(16)");
  KERNELS ("acc loop worker(2)");
  KERNELS ("acc loop independent");
  KERNELS ("acc loop seq");
#pragma acc kernels copyout(a, b)
  {
    for (int i = 0; i < N; i++)
      a[i] = i;
    for (int i = 0; i < N; i++)
      b[i] = 2 * a[i];
  }
  CHECK (ALL (N, b[i] == 2 * i));
}

static void
shapes (void)
{
  int a[6][7][8], t[20][30];
#pragma acc parallel loop collapse(3) copyout(a)
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 7; j++)
      for (int k = 0; k < 8; k++)
	a[i][j][k] = 100 * i + 10 * j + k;
  int good = 1;
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 7; j++)
      for (int k = 0; k < 8; k++)
	good = good && a[i][j][k] == 100 * i + 10 * j + k;
  CHECK (good);
#define TILE(clause)							\
  memset (t, 0, sizeof t);						\
  _Pragma ("acc parallel copy(t)")					\
  {									\
    _Pragma (clause)							\
    for (int i = 0; i < 20; i++)					\
      for (int j = 0; j < 30; j++)					\
	t[i][j] += i * j + 1;						\
  }									\
  good = 1;								\
  for (int i = 0; i < 20; i++)						\
    for (int j = 0; j < 30; j++)					\
      good = good && t[i][j] == i * j + 1;				\
  check_at (__LINE__, clause, good)
  TILE ("acc loop tile(4, 8)");
  TILE ("acc loop tile(*, 3)");
  TILE ("acc loop tile(7, *)");
  TILE ("acc loop gang vector tile(4, 4)");
  TILE ("acc loop collapse(2)");
  /* Strides and directions.  */
  int b[N];
  memset (b, 0, sizeof b);
#pragma acc parallel loop copy(b)
  for (int i = N - 1; i >= 0; i -= 3)
    b[i] = i;
  CHECK (ALL (N, b[i] == ((N - 1 - i) % 3 ? 0 : i)));
#pragma acc parallel loop copy(b)
  for (unsigned char i = 0; i < N; i += 2)
    b[i] = -1;
  CHECK (ALL (N, i % 2 || b[i] == -1));
#pragma acc parallel loop copy(b)
  for (int *p = b; p < b + N; p++)
    *p = 3;
  CHECK (ALL (N, b[i] == 3));
}

static void
privates (void)
{
  int a[N], x = 5, y = 7, buffer[4] = { 9, 9, 9, 9 };
#pragma acc parallel loop copyout(a) private(x)
  for (int i = 0; i < N; i++)
    {
      x = 2 * i;
      a[i] = x;
    }
  CHECK (x == 5 && ALL (N, a[i] == 2 * i));
#pragma acc parallel firstprivate(y) private(x) copyout(a)
  {
    x = y + 1;
#pragma acc loop private(buffer)
    for (int i = 0; i < N; i++)
      {
	for (int k = 0; k < 4; k++)
	  buffer[k] = i + k;
	a[i] = buffer[0] + buffer[3] + x;
      }
    y = 0;
  }
  CHECK (y == 7 && buffer[0] == 9 && ALL (N, a[i] == 2 * i + 11));
  struct { int first, second; } pair = { 1, 2 };
#pragma acc parallel loop firstprivate(pair) copyout(a)
  for (int i = 0; i < N; i++)
    a[i] = pair.first + pair.second * i;
  CHECK (ALL (N, a[i] == 1 + 2 * i));
}

static void
constructs (void)
{
  int a[N], gangs = 3, on = 1, off = 0;
#pragma acc parallel loop copyout(a) num_gangs(gangs) num_workers(gangs + 1) vector_length(32)
  for (int i = 0; i < N; i++)
    a[i] = i;
  CHECK (ALL (N, a[i] == i));
#pragma acc parallel loop copy(a) if(on)
  for (int i = 0; i < N; i++)
    a[i]++;
  CHECK (ALL (N, a[i] == i + 1));
#pragma acc parallel loop copy(a) if(off)
  for (int i = 0; i < N; i++)
    a[i]++;
  CHECK (ALL (N, a[i] == i + 2));
#pragma acc kernels loop copy(a) if(gangs > 5)
  for (int i = 0; i < N; i++)
    a[i]++;
  CHECK (ALL (N, a[i] == i + 3));
#pragma acc parallel copy(a) num_gangs(2) vector_length(8)
#pragma acc loop
  for (int i = 0; i < N; i++)
    a[i]++;
  CHECK (ALL (N, a[i] == i + 4));
  /* On the host inside a data region: the host's copy.  */
#pragma acc data copyin(a)
  {
#pragma acc parallel loop if(off)
    for (int i = 0; i < N; i++)
      a[i] = 0;
  }
  CHECK (ALL (N, a[i] == 0));
}

static void
routines (void)
{
  int a[N];
  float f[N];
#pragma acc parallel loop copyout(a)
  for (int i = 0; i < N; i++)
    a[i] = square (i) + twice (i % 4);
  CHECK (ALL (N, a[i] == i * i + 2 * (i % 4)));
  for (int i = 0; i < N; i++)
    f[i] = i;
#pragma acc parallel copy(f) num_gangs(1)
  {
    scale (f, N, 2);
    shift (f, N);
  }
  CHECK (ALL (N, f[i] == 2 * i + 1));
#pragma acc parallel copy(f)
  negate (f, N);
  CHECK (ALL (N, f[i] == -2 * i - 1));
}

static void
atomics (void)
{
  int count = 0, order[N], histogram[8] = { 0 }, last = -1, copy = 0, bits = 0;
  double sum = 0;
#pragma acc parallel loop copy(count, histogram, sum, bits) copyout(order)
  for (int i = 0; i < N; i++)
    {
      int mine;
#pragma acc atomic capture
      mine = count++;
      order[i] = mine;
#pragma acc atomic update
      histogram[i % 8] += 1;
#pragma acc atomic
      sum += 0.5;
#pragma acc atomic
      bits |= 1 << (i % 16);
    }
  CHECK (count == N && sum == N / 2.0 && bits == 0xffff);
  CHECK (ALL (8, histogram[i] == N / 8));
  int seen[N] = { 0 };
  for (int i = 0; i < N; i++)
    seen[order[i]]++;
  CHECK (ALL (N, seen[i] == 1));
#pragma acc parallel copy(last, copy)
  {
#pragma acc atomic write
    last = 42;
#pragma acc atomic read
    copy = last;
  }
  CHECK (last == 42 && copy == 42);
  int before = 0, x = 10;
#pragma acc parallel copy(before, x)
  {
#pragma acc atomic capture
    {
      before = x;
      x *= 3;
    }
  }
  CHECK (before == 10 && x == 30);
}

static void
caches (void)
{
  float a[N], b[N];
  for (int i = 0; i < N; i++)
    a[i] = i;
#pragma acc parallel loop copyin(a) copyout(b)
  for (int i = 1; i < N - 1; i++)
    {
#pragma acc cache(a[i-1:3])
      b[i] = a[i - 1] + a[i] + a[i + 1];
    }
  for (int i = 1; i < N - 1; i++)
    CHECK (b[i] == 3 * i);
}

int
main (void)
{
  schedules ();
  shapes ();
  privates ();
  constructs ();
  routines ();
  atomics ();
  caches ();
  return report ();
}
