/* The examples of OpenACC 3.3 and 2.0 in C, in other words: 2.1, 2.4, 2.7.1, 2.9.1, 2.9.10, 2.9.11, 2.12,
   2.15.1 and A.3.1.  */
#include "check.h"

static int evaluated;
static int counted (int n) { evaluated++; return n; }

/* 2.1: how often clauses' expressions are evaluated is open, but each is.  */
static void
expressions (void)
{
  int i = 0, k, a[8], array[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };

#pragma acc parallel \
  num_gangs(counted (++i)) \
  num_workers(counted (++i)) \
  async(counted (++i)) copyout(a)
  {
#pragma acc loop
    for (k = 0; k < 8; k++)
      a[k] = k;
  }
#pragma acc wait
  CHECK (i >= 3 && evaluated >= 3 && a[7] == 7);
#pragma acc update \
  device(array[0:counted (8)]) \
  if_present
#pragma acc enter data copyin(array)
  array[3] = 40;
#pragma acc update device(array[0:counted (8)]) if_present
  array[3] = 0;
#pragma acc exit data copyout(array)
  CHECK (array[3] == (SEPARATE ? 40 : 0));
}

/* 2.4: clauses behind device_type are a device's, those ahead of all are of the others.  */
#pragma acc routine device_type(radeon) worker \
  device_type(*) seq
static int successor (int n) { return n + 1; }

static void
device_types (void)
{
  int i, a[64];

#pragma acc parallel num_gangs(2) device_type(nvidia) num_gangs(4) device_type(radeon) num_workers(8) copyout(a)
#pragma acc loop gang device_type(nvidia) worker
  for (i = 0; i < 64; i++)
    a[i] = successor (i);
  for (i = 0; i < 64; i++)
    CHECK (a[i] == i + 1);
#pragma acc parallel loop device_type(*) num_gangs(2) dtype(nvidia) num_gangs(4) device_type(radeon, host) num_workers(8)
  for (i = 0; i < 64; i++)
    a[i] *= 2;
  CHECK (a[63] == 128);
}

/* 2.7.1: four kinds of arrays with two dimensions, and parts of them.  */
typedef float row[20];

static float *cc[10];

static void
sections (int n, int m)
{
  float aa[10][20], **dd = (float **) malloc (10 * sizeof *dd);
  row *bb = (row *) malloc (10 * sizeof *bb);
  int i, j, length = n;

  for (i = 0; i < 10; i++)
    {
      cc[i] = (float *) malloc (20 * sizeof *cc[i]);
      dd[i] = (float *) malloc (20 * sizeof *dd[i]);
      for (j = 0; j < 20; j++)
	aa[i][j] = bb[i][j] = cc[i][j] = dd[i][j] = i + j;
    }
#pragma acc data copy(aa[2:length][0:20], bb[2:n][0:m]) copy(cc[2:n][0:m]) copyin(dd[2:n][0:m])
  {
#pragma acc parallel loop collapse(2)
    for (i = 2; i < 2 + n; i++)
      for (j = 0; j < 20; j++)
	{
	  aa[i][j] += dd[i][j];
	  bb[i][j] += dd[i][j];
	  cc[i][j] += dd[i][j];
	}
    length = 1; /* the region ends with the length that it began with */
  }
  for (i = 0; i < 10; i++)
    for (j = 0; j < 20; j++)
      {
	float want = (i + j) * (i >= 2 && i < 2 + n ? 2 : 1);
	CHECK (aa[i][j] == want && bb[i][j] == want && cc[i][j] == want && dd[i][j] == i + j);
      }
#pragma acc parallel loop copy(dd[:10][:m])
  for (i = 0; i < 10; i++)
    for (j = 0; j < 20; j++)
      dd[i][j] = 1;
  CHECK (dd[0][0] == 1 && dd[9][19] == 1);
}

/* 2.9.1: statements between collapsed loops.  */
static void
forced (void)
{
  double a[36], r[36][20], t;
  int i, j;

  for (i = 0; i < 36; i++)
    a[i] = i / 40.0;
#pragma acc parallel loop collapse(force:2) private(t) copyin(a) copyout(r)
  for (i = 0; i < 36; i++)
    {
      t = 2 * a[i];
      for (j = 0; j < 20; j++)
	r[i][j] = t + j;
    }
  for (i = 0; i < 36; i++)
    for (j = 0; j < 20; j++)
      CHECK (r[i][j] == 2 * a[i] + j);
}

/* 2.9.11: where a loop's reduction arrives.  */
enum { I = 50, J = 7, K = 9 };

static void
reductions (void)
{
  int x = 0, y = 0, most = 0, i, j, k, arr[I];

  for (i = 0; i < I; i++)
    most = most > (arr[i] = (i * 37) % 101) ? most : arr[i];
#pragma acc parallel copy(x)
  {
#pragma acc loop gang worker vector reduction(+:x)
    for (i = 0; i < I; ++i)
      x += 1;
  }
  CHECK (x == I);
  x = 0;
#pragma acc parallel copy(x)
  {
#pragma acc loop gang reduction(+:x)
    for (i = 0; i < I; ++i)
      {
#pragma acc loop worker reduction(+:x)
	for (j = 0; j < J; ++j)
	  {
#pragma acc loop vector reduction(+:x)
	    for (k = 0; k < K; ++k)
	      x += 1;
	  }
      }
  }
  CHECK (x == I * J * K);
  x = 0;
#pragma acc parallel firstprivate(x) copy(y)
  {
#pragma acc loop seq reduction(+:x, y)
    for (i = 0; i < I; ++i)
      {
	x += 1;
	y += 2;
      }
#pragma acc loop worker reduction(+:x, y)
    for (i = 0; i < I; ++i)
      {
	x += 1;
	y += 2;
      }
#pragma acc loop vector reduction(+:x, y)
    for (i = 0; i < I; ++i)
      {
	x += 1;
	y += 2;
      }
  }
  CHECK (x == 0 && y == 3 * I * 2);
#pragma acc parallel loop worker reduction(+:x)
  for (i = 0; i < I; ++i)
    x += 1;
#pragma acc parallel copy(x)
  {
#pragma acc loop worker reduction(+:x)
    for (i = 0; i < I; ++i)
      x += 1;
  }
  CHECK (x == 2 * I);
  x = 0;
#pragma acc parallel copy(x)
  {
#pragma acc loop auto gang reduction(max:x)
    for (i = 0; i < I; ++i)
      x = x < arr[i] ? arr[i] : x;
  }
  CHECK (x == most);
  x = y = 0;
#pragma acc parallel copy(x) reduction(+:x, y)
  {
    int z = 0;
#pragma acc loop gang vector reduction(+:x, z)
    for (i = 0; i < I; ++i)
      {
	x += 1;
	z += 2;
      }
    y += z;
  }
  CHECK (x == I && y == 2 * I);
}

/* 2.12: all forms of an atomic construct.  */
static void
atomics (void)
{
  int x = 1, v[21], i, was[7];

  for (i = 0; i < 7; i++)
    was[i] = 0;
#pragma acc serial copy(x, was) copyout(v)
  {
#pragma acc atomic read
    v[0] = x;			/* 1 */
#pragma acc atomic write
    x = v[0] + 5;		/* 6 */
#pragma acc atomic update
    x++;
#pragma acc atomic
    --x;
#pragma acc atomic
    x *= 2;			/* 12 */
#pragma acc atomic
    x = x - 2;			/* 10 */
#pragma acc atomic
    x = 3 + x;			/* 13 */
#pragma acc atomic capture
    v[1] = x++;
#pragma acc atomic capture
    v[2] = x--;
#pragma acc atomic capture
    v[3] = ++x;
#pragma acc atomic capture
    v[4] = --x;
#pragma acc atomic capture
    v[5] = x <<= 1;		/* 26 */
#pragma acc atomic capture
    v[6] = x = x | 1;		/* 27 */
#pragma acc atomic capture
    v[7] = x = 4 ^ x;		/* 31 */
#pragma acc atomic capture
    { v[8] = x; x /= 2; }	/* 15 */
#pragma acc atomic capture
    { x &= 7; v[9] = x; }	/* 7 */
#pragma acc atomic capture
    { v[10] = x; x = x >> 1; }	/* 3 */
#pragma acc atomic capture
    { v[11] = x; x = 10 - x; }	/* 7 */
#pragma acc atomic capture
    { x = x + 1; v[12] = x; }	/* 8 */
#pragma acc atomic capture
    { x = 2 * x; v[13] = x; }	/* 16 */
#pragma acc atomic capture if(x > 0)
    { v[14] = x; x = 20; }
#pragma acc atomic capture
    { v[15] = x; x++; }
#pragma acc atomic capture
    { v[16] = x; ++x; }
#pragma acc atomic capture
    { ++x; v[17] = x; }
#pragma acc atomic capture
    { x++; v[18] = x; }		/* 24 */
#pragma acc atomic capture
    { v[19] = x; --x; }
#pragma acc atomic capture
    { x--; v[20] = x; }		/* 22 */
  }
  {
    static const int want[21] = { 1, 13, 14, 14, 13, 26, 27, 31, 31, 7, 7, 3, 8, 16, 16, 20, 21, 23, 24, 24, 22 };
    for (i = 0; i < 21; i++)
      CHECK (v[i] == want[i]);
    CHECK (x == 22);
  }
}

/* 2.15.1: a routine for the device in place of another, and the scope of a routine directive.  */
#pragma acc routine seq nohost
void on_device (int *p) { *p = 5; }

#pragma acc routine seq bind(on_device)
void on_host (int *p) { *p = 6; }

void later (int *, int);
#pragma acc routine(later) gang

static void
routines (void)
{
  int a[64], i, n = 0;

#pragma acc parallel copy(n)
  on_host (&n);
  CHECK (n == 5 || n == 6);
  on_host (&n);
  CHECK (n == 6);
#pragma acc parallel copyout(a)
  later (a, 64);
  for (i = 0; i < 64; i++)
    CHECK (a[i] == 3 * i);
}

void
later (int *a, int n)
{
#pragma acc loop gang vector(32)
  for (int i = 0; i < n; i++)
    a[i] = 3 * i;
}

/* A.3.1: a pointer that is present is what it points to.  */
static void
pointers (int n)
{
  float *p = (float *) malloc (n * sizeof *p);
  int i;

  for (i = 0; i < n; i++)
    p[i] = i;
#pragma acc data copy(p[0:n])
#pragma acc data present(p)
  {
#pragma acc parallel loop
    for (i = 0; i < n; i++)
      p[i] += 1;
  }
  CHECK (p[0] == 1 && p[n - 1] == n);
}

int
main (void)
{
#if _OPENACC != 202211
# error "3.3 is 202211"
#endif
  expressions ();
  device_types ();
  sections (5, 20);
  forced ();
  reductions ();
  atomics ();
  routines ();
  pointers (30);
  return 0;
}
