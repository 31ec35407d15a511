/* Kernels by which a card's description is calibrated (docs/modelled.md): each shows one part of a
   GPU, at the size that is given. The launch geometry is left open, but for what shows how times
   change with it.  Usage: probes [N [TIMES]]  */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>


static long n = 1 << 18;
static double *a, *b, *c, *d;
static float *f, *g;
static int *at, *bins;
#define LOOP(NAME, CLAUSES, BODY)					\
  static void NAME (void)						\
  {									\
    _Pragma (CLAUSES)							\
    for (long i = 0; i < n; i++)					\
      BODY								\
  }
#define PRESENT present (a[0:n], b[0:n], c[0:n], d[0:n], f[0:n], g[0:n], at[0:n], bins[0:n])
#define OPEN "acc parallel loop gang vector PRESENT"
#define WORKERS "acc parallel loop gang worker vector PRESENT"

/* Memory. */
LOOP (fill, OPEN, { a[i] = 1; })
LOOP (copy, OPEN, { b[i] = a[i]; })
LOOP (copy_workers, WORKERS, { b[i] = a[i]; })
LOOP (copy_narrow, "acc parallel loop gang vector num_gangs(16) PRESENT", { b[i] = a[i]; })
LOOP (copy_128, "acc parallel loop gang vector vector_length(128) PRESENT", { b[i] = a[i]; })
LOOP (copy_float, OPEN, { g[i] = f[i]; })
LOOP (triad, WORKERS, { a[i] = b[i] + 3 * c[i]; })
LOOP (four_streams, OPEN, { d[i] = a[i] * b[i] + c[i] * d[i]; })
LOOP (stride_4, OPEN, { b[i] = a[4 * i & (n - 1)]; })
LOOP (stride_17, OPEN, { b[i] = a[17 * i & (n - 1)]; })
LOOP (store_far, OPEN, { b[33 * i & (n - 1)] = a[i]; })
LOOP (gathered, OPEN, { b[i] = a[at[i]]; })
LOOP (scattered, WORKERS, { b[at[i]] = a[i]; })
LOOP (same_line, OPEN, {
  double s = 0;
  for (int k = 0; k < 16; k++)
    s += a[(i & ~31) + k];
  b[i] = s;
})
LOOP (chase, OPEN, {
  int k = i;
  for (int m = 0; m < 8; m++)
    k = at[k];
  bins[i] = k;
})
/* Arithmetic. */
LOOP (fused64, OPEN, {
  double x = a[i];
  for (int k = 0; k < 64; k++)
    x = x * 0.999 + 1e-3;
  b[i] = x;
})
LOOP (fused32, OPEN, {
  float x = f[i];
  for (int k = 0; k < 64; k++)
    x = x * 0.999f + 1e-3f;
  g[i] = x;
})
LOOP (independent64, WORKERS, {
  double x = a[i];
  double y = x + 1;
  double z = x + 2;
  double w = x + 3;
  for (int k = 0; k < 32; k++)
    {
      x = x * 0.999 + 1e-3;
      y = y * 0.998 + 1e-3;
      z = z * 0.997 + 1e-3;
      w = w * 0.996 + 1e-3;
    }
  b[i] = x + y + z + w;
})
LOOP (integers, OPEN, {
  unsigned x = (unsigned) i;
  for (int k = 0; k < 64; k++)
    x = (x * 1664525u + 1013904223u) ^ (x >> 7);
  bins[i] = (int) (x >> 8);
})
LOOP (divided, OPEN, {
  double x = a[i] + 2;
  for (int k = 0; k < 8; k++)
    x = 1 + 1 / x;
  b[i] = x;
})
LOOP (rooted, OPEN, {
  double x = a[i] + 2;
  for (int k = 0; k < 8; k++)
    x = 1 + sqrt (x);
  b[i] = x;
})
LOOP (rest64, OPEN, { bins[i] = (int) (i * 7 % (n - 5)); })
LOOP (exponential, WORKERS, { b[i] = exp (-a[i]); })
LOOP (sine, OPEN, { g[i] = sinf (f[i]); })
/* Lanes that part. */
LOOP (halves, OPEN, {
  double x = a[i];
  if (i & 1)
    for (int k = 0; k < 32; k++)
      x = x * 0.999 + 1e-3;
  else
    for (int k = 0; k < 32; k++)
      x = x * 0.99 - 1e-3;
  b[i] = x;
})
LOOP (one_in_32, OPEN, {
  double x = a[i];
  if ((i & 31) == 0)
    for (int k = 0; k < 64; k++)
      x = x * 0.999 + 1e-3;
  b[i] = x;
})
/* Atomic operations. */
#define ATOMIC(NAME, TYPE, WHERE)		\
  static void NAME (void)			\
  {						\
    _Pragma (OPEN)				\
    for (long i = 0; i < n; i++)		\
      {						\
	_Pragma ("acc atomic")			\
	WHERE += 1;				\
      }						\
  }
ATOMIC (atomic_one, int, bins[0])
ATOMIC (atomic_32, int, bins[i & 31])
ATOMIC (atomic_1024, int, bins[at[i] & 1023])
ATOMIC (atomic_apart, int, bins[i])
ATOMIC (atomic_random, int, bins[at[i]])
ATOMIC (atomic_double, double, a[at[i] & 1023])
/* Reductions. */
static double total;
static void
sum_vector (void)
{
  double s = 0;
#pragma acc parallel loop gang vector reduction (+:s) present (a[0:n], b[0:n], c[0:n], at[0:n])
  for (long i = 0; i < n; i++)
    s += a[i];
  total += s;
}
static void
sum_workers (void)
{
  double s = 0;
#pragma acc parallel loop gang worker vector reduction (+:s) present (a[0:n], b[0:n], c[0:n], at[0:n])
  for (long i = 0; i < n; i++)
    s += a[i] * b[i];
  total += s;
}
static void
largest (void)
{
  double s = 0;
#pragma acc parallel loop gang worker vector reduction (max:s) present (a[0:n], b[0:n], c[0:n], at[0:n])
  for (long i = 0; i < n; i++)
    s = s > c[i] ? s : c[i];
  total += s;
}
static void
count (void)
{
  int s = 0;
#pragma acc parallel loop gang vector reduction (+:s) present (a[0:n], b[0:n], c[0:n], at[0:n])
  for (long i = 0; i < n; i++)
    s += at[i] & 1;
  total += s;
}
/* Shapes of loops: side rows of side elements. */
static long side;
static void
rows_vector (void)
{
#pragma acc parallel loop gang present (a[0:n], b[0:n], c[0:n], at[0:n])
  for (long i = 0; i < side; i++)
#pragma acc loop vector
    for (long j = 0; j < side; j++)
      b[i * side + j] = a[i * side + j] + 1;
}
static void
rows_worker_vector (void)
{
#pragma acc parallel loop gang worker present (a[0:n], b[0:n], c[0:n], at[0:n])
  for (long i = 0; i < side; i++)
#pragma acc loop vector
    for (long j = 0; j < side; j++)
      b[i * side + j] = a[i * side + j] + 1;
}
static void
rows_across (void)
{
#pragma acc parallel loop gang vector present (a[0:n], b[0:n], c[0:n], at[0:n])
  for (long i = 0; i < side; i++)
    for (long j = 0; j < side; j++)
      b[i * side + j] = a[i * side + j] + 1;
}
static void
rows_down (void)
{
#pragma acc parallel loop gang vector present (a[0:n], b[0:n], c[0:n], at[0:n])
  for (long j = 0; j < side; j++)
    for (long i = 0; i < side; i++)
      b[i * side + j] = a[i * side + j] + 1;
}
static void
row_sums (void)
{
#pragma acc parallel loop gang present (a[0:n], b[0:n], c[0:n], at[0:n])
  for (long i = 0; i < side; i++)
    {
      double s = 0;
#pragma acc loop vector reduction (+:s)
      for (long j = 0; j < side; j++)
	s += a[i * side + j];
      c[i] = s;
    }
}
static void
row_sums_workers (void)
{
#pragma acc parallel loop gang present (a[0:n], b[0:n], c[0:n], at[0:n])
  for (long i = 0; i < side; i++)
    {
      double s = 0;
#pragma acc loop worker vector reduction (+:s)
      for (long j = 0; j < side; j++)
	s += a[i * side + j];
      c[i] = s;
    }
}
static void
stencil_rows (void)
{
#pragma acc parallel loop gang worker present (a[0:n], b[0:n], c[0:n], at[0:n])
  for (long i = 1; i < side - 1; i++)
#pragma acc loop vector
    for (long j = 1; j < side - 1; j++)
      b[i * side + j] = 0.25 * (a[i * side + j - 1] + a[i * side + j + 1] + a[(i - 1) * side + j] + a[(i + 1) * side + j]);
}
static void
stencil_collapsed (void)
{
#pragma acc parallel loop gang vector collapse (2) present (a[0:n], b[0:n], c[0:n], at[0:n])
  for (long i = 1; i < side - 1; i++)
    for (long j = 1; j < side - 1; j++)
      b[i * side + j] = 0.25 * (a[i * side + j - 1] + a[i * side + j + 1] + a[(i - 1) * side + j] + a[(i + 1) * side + j]);
}
static void
transposed (void)
{
#pragma acc parallel loop gang present (a[0:n], b[0:n], c[0:n], at[0:n])
  for (long i = 0; i < side; i++)
#pragma acc loop vector
    for (long j = 0; j < side; j++)
      b[j * side + i] = a[i * side + j];
}
static void
triangle (void)
{
#pragma acc parallel loop gang present (a[0:n], b[0:n], c[0:n], at[0:n])
  for (long i = 0; i < side; i++)
#pragma acc loop vector
    for (long j = 0; j <= i; j++)
      b[i * side + j] = a[i * side + j] + 1;
}
static void
gangs_alone (void)
{
#pragma acc parallel loop gang present (a[0:n], b[0:n], c[0:n], at[0:n])
  for (long i = 0; i < side; i++)
    for (long j = 0; j < 64; j++)
      b[i * 64 + j] = a[i * 64 + j] + 1;
}
static void
eights (void)
{
#pragma acc parallel loop gang present (a[0:n], b[0:n], c[0:n], at[0:n])
  for (long i = 0; i < n / 64; i++)
#pragma acc loop vector
    for (long j = 0; j < 8; j++)
      b[8 * i + j] = a[8 * i + j];
}
static void
product (void)
{
  long m = side < 256 ? side : 256;
#pragma acc parallel loop gang present (a[0:n], b[0:n], c[0:n], at[0:n])
  for (long i = 0; i < m; i++)
#pragma acc loop worker vector
    for (long j = 0; j < m; j++)
      {
	double s = 0;
	for (long k = 0; k < m; k++)
	  s += a[i * m + k] * b[k * m + j];
	c[i * m + j] = s;
      }
}
static void
one_lane (void)
{
#pragma acc parallel num_gangs (1) present (a[0:n], b[0:n], c[0:n], at[0:n])
  for (int i = 0; i < 256; i++)
    b[i] = a[i] + 1;
}
static void
nothing (void)
{
#pragma acc parallel num_gangs (1) present (a[0:n], b[0:n], c[0:n], at[0:n])
  ;
}
static void
workers_in_turn (void)
{
#pragma acc parallel num_gangs (132) num_workers (8) present (a[0:n], b[0:n], c[0:n], at[0:n])
  {
#pragma acc loop gang
    for (long i = 0; i < side; i++)
      {
#pragma acc loop worker
	for (long j = 0; j < 16; j++)
#pragma acc loop vector
	  for (long k = 0; k < 32; k++)
	    b[i * 32 + k] += a[j * 32 + k];
      }
  }
}
LOOP (own_array, OPEN, {
  double own[8];
  for (int k = 0; k < 8; k++)
    own[(k * 5 + at[i]) & 7] = a[(i + k) & (n - 1)];
  b[i] = own[at[i] & 7];
})

int
main (int argc, char **argv)
{
  int times = argc > 2 ? atoi (argv[2]) : 3;
  unsigned random = 1;

  n = argc > 1 ? atol (argv[1]) : n;
  if (n < 4096 || (n & (n - 1)) || times < 1)
    {
      fprintf (stderr, "usage: %s [N >= 4096, a power of two [TIMES]]\n", argv[0]);
      return 2;
    }
  side = (long) sqrt ((double) n);
  a = malloc (n * sizeof *a), b = malloc (n * sizeof *b), c = malloc (n * sizeof *c), d = malloc (n * sizeof *d);
  f = malloc (n * sizeof *f), g = malloc (n * sizeof *g), at = malloc (n * sizeof *at), bins = calloc (n, sizeof *bins);
  for (long i = 0; i < n; i++)
    {
      random = random * 1103515245 + 12345;
      at[i] = (int) ((random >> 4) & (n - 1));
      a[i] = b[i] = c[i] = d[i] = (double) i / n;
      f[i] = g[i] = (float) i / n;
    }
#pragma acc data copy (a[0:n], b[0:n], c[0:n], d[0:n], f[0:n], g[0:n], bins[0:n]) copyin (at[0:n])
  for (int t = 0; t < times; t++)
    {
      nothing (), fill (), copy (), copy_workers (), copy_narrow (), copy_128 (), copy_float (), triad (), four_streams ();
      stride_4 (), stride_17 (), store_far (), gathered (), scattered (), same_line (), chase ();
      fused64 (), fused32 (), independent64 (), integers (), divided (), rooted (), rest64 (), exponential (), sine ();
      halves (), one_in_32 ();
      atomic_one (), atomic_32 (), atomic_1024 (), atomic_apart (), atomic_random (), atomic_double ();
      sum_vector (), sum_workers (), largest (), count ();
      rows_vector (), rows_worker_vector (), rows_across (), rows_down (), row_sums (), row_sums_workers ();
      stencil_rows (), stencil_collapsed (), transposed (), triangle (), gangs_alone (), eights (), product (), one_lane ();
      workers_in_turn (), own_array ();
    }
  printf ("%ld %d %.9g %.9g\n", n, times, total, b[1]);
  return 0;
}
