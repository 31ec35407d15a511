/* Kernels that are not used to calibrate a card's description, but to see how right it is: parts of
   programs as people write them.  Usage: others [N [TIMES]]  */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static long n = 1 << 18;

/* Particles under each other's pull. */
static void
pull (long m, const float *restrict x, const float *restrict y, float *restrict ax, float *restrict ay)
{
#pragma acc parallel loop present (x[0:m], y[0:m], ax[0:m], ay[0:m])
  for (long i = 0; i < m; i++)
    {
      float sx = 0, sy = 0;
#pragma acc loop seq
      for (long j = 0; j < m; j++)
	{
	  float dx = x[j] - x[i], dy = y[j] - y[i], r = 1 / sqrtf (dx * dx + dy * dy + 0.01f), r3 = r * r * r;
	  sx += dx * r3;
	  sy += dy * r3;
	}
      ax[i] = sx;
      ay[i] = sy;
    }
}
/* A sparse matrix of 16 values a row times a vector. */
static void
sparse (long rows, const double *restrict value, const int *restrict column, const double *restrict x, double *restrict y)
{
#pragma acc parallel loop gang worker present (value[0:16*rows], column[0:16*rows], x[0:rows], y[0:rows])
  for (long i = 0; i < rows; i++)
    {
      double s = 0;
#pragma acc loop vector reduction (+:s)
      for (long k = 16 * i; k < 16 * i + 16; k++)
	s += value[k] * x[column[k]];
      y[i] = s;
    }
}
static void
sparse_by_lane (long rows, const double *restrict value, const int *restrict column, const double *restrict x, double *restrict y)
{
#pragma acc parallel loop present (value[0:16*rows], column[0:16*rows], x[0:rows], y[0:rows])
  for (long i = 0; i < rows; i++)
    {
      double s = 0;
      for (long k = 16 * i; k < 16 * i + 16; k++)
	s += value[k] * x[column[k]];
      y[i] = s;
    }
}
/* Heat in a cube. */
static void
heat (long m, const double *restrict t, double *restrict u)
{
#pragma acc parallel loop gang collapse (2) present (t[0:m*m*m], u[0:m*m*m])
  for (long i = 1; i < m - 1; i++)
    for (long j = 1; j < m - 1; j++)
#pragma acc loop vector
      for (long k = 1; k < m - 1; k++)
	{
	  long p = (i * m + j) * m + k;
	  u[p] = t[p] + 0.1 * (t[p - 1] + t[p + 1] + t[p - m] + t[p + m] + t[p - m * m] + t[p + m * m] - 6 * t[p]);
	}
}
/* Points of the set of Mandelbrot: lanes that go on for different times. */
static void
escape (long m, int *restrict times)
{
#pragma acc parallel loop collapse (2) present (times[0:m*m])
  for (long i = 0; i < m; i++)
    for (long j = 0; j < m; j++)
      {
	double x = 0, y = 0, p = -2 + 3.0 * j / m, q = -1.5 + 3.0 * i / m;
	int k = 0;
	for (; k < 64 && x * x + y * y < 4; k++)
	  {
	    double t = x * x - y * y + p;
	    y = 2 * x * y + q;
	    x = t;
	  }
	times[i * m + j] = k;
      }
}
/* Prices of options (Black and Scholes). */
static void
prices (long m, const double *restrict s, double *restrict call)
{
#pragma acc parallel loop present (s[0:m], call[0:m])
  for (long i = 0; i < m; i++)
    {
      double v = 0.3, r = 0.02, k = 1, t = 1, d1 = (log ((s[i] + 0.1) / k) + (r + v * v / 2) * t) / (v * sqrt (t)), d2 = d1 - v * sqrt (t);
      call[i] = s[i] * 0.5 * erfc (-d1 / sqrt (2.0)) - k * exp (-r * t) * 0.5 * erfc (-d2 / sqrt (2.0));
    }
}
static void
histogram (long m, const int *restrict key, int *restrict bins)
{
#pragma acc parallel loop present (key[0:m], bins[0:256])
  for (long i = 0; i < m; i++)
    {
#pragma acc atomic
      bins[key[i] & 255]++;
    }
}
struct body { double x, y, z, m, vx, vy, vz, pad; };
static void
push (long m, struct body *bodies)
{
#pragma acc parallel loop present (bodies[0:m])
  for (long i = 0; i < m; i++)
    {
      bodies[i].x += 0.1 * bodies[i].vx;
      bodies[i].y += 0.1 * bodies[i].vy;
      bodies[i].z += 0.1 * bodies[i].vz;
    }
}
static double
dot (long m, const double *restrict x, const double *restrict y)
{
  double s = 0;
#pragma acc parallel loop reduction (+:s) present (x[0:m], y[0:m])
  for (long i = 0; i < m; i++)
    s += x[i] * y[i];
  return s;
}
static void
axpy (long m, double by, const double *restrict x, double *restrict y)
{
#pragma acc parallel loop present (x[0:m], y[0:m])
  for (long i = 0; i < m; i++)
    y[i] += by * x[i];
}
/* A matrix times a vector, and its transpose. */
static void
times (long m, const double *restrict matrix, const double *restrict x, double *restrict y)
{
#pragma acc parallel loop gang present (matrix[0:m*m], x[0:m], y[0:m])
  for (long i = 0; i < m; i++)
    {
      double s = 0;
#pragma acc loop vector reduction (+:s)
      for (long j = 0; j < m; j++)
	s += matrix[i * m + j] * x[j];
      y[i] = s;
    }
}
static void
times_transposed (long m, const double *restrict matrix, const double *restrict x, double *restrict y)
{
#pragma acc parallel loop present (matrix[0:m*m], x[0:m], y[0:m])
  for (long j = 0; j < m; j++)
    {
      double s = 0;
      for (long i = 0; i < m; i++)
	s += matrix[i * m + j] * x[i];
      y[j] = s;
    }
}
static void
multiply (long m, const double *restrict x, const double *restrict y, double *restrict z)
{
#pragma acc parallel loop collapse (2) present (x[0:m*m], y[0:m*m], z[0:m*m])
  for (long i = 0; i < m; i++)
    for (long j = 0; j < m; j++)
      {
	double s = 0;
	for (long k = 0; k < m; k++)
	  s += x[i * m + k] * y[k * m + j];
	z[i * m + j] = s;
      }
}
static void
blur (long m, const float *restrict in, float *restrict out)
{
#pragma acc parallel loop collapse (2) present (in[0:m*m], out[0:m*m])
  for (long i = 2; i < m - 2; i++)
    for (long j = 2; j < m - 2; j++)
      {
	float s = 0;
	for (long k = -2; k <= 2; k++)
	  for (long l = -2; l <= 2; l++)
	    s += in[(i + k) * m + j + l];
	out[i * m + j] = s / 25;
      }
}
static void
halved (long m, const double *restrict in, double *restrict out)
{
#pragma acc kernels present (in[0:m], out[0:m/2])
#pragma acc loop independent
  for (long i = 0; i < m / 2; i++)
    out[i] = 0.5 * (in[2 * i] + in[2 * i + 1]);
}
static void
collatz (long m, int *restrict steps)
{
#pragma acc parallel loop present (steps[0:m])
  for (long i = 0; i < m; i++)
    {
      unsigned long v = (unsigned long) i + 1;
      int k = 0;
      for (; v != 1 && k < 300; k++)
	v = v & 1 ? 3 * v + 1 : v / 2;
      steps[i] = k;
    }
}

int
main (int argc, char **argv)
{
  int repeat = argc > 2 ? atoi (argv[2]) : 3;
  unsigned random = 7;
  double s = 0;

  n = argc > 1 ? atol (argv[1]) : n;
  if (n < 4096 || repeat < 1)
    {
      fprintf (stderr, "usage: %s [N >= 4096 [TIMES]]\n", argv[0]);
      return 2;
    }
  long side = (long) sqrt ((double) n), cube = (long) cbrt ((double) n), few = side < 2048 ? side : 2048, small = side < 256 ? side : 256, rows = n / 16;
  double *a = malloc (n * sizeof *a), *b = malloc (n * sizeof *b), *c = malloc (n * sizeof *c);
  float *f = malloc (n * sizeof *f), *g = malloc (n * sizeof *g), *p = malloc (n * sizeof *p), *q = malloc (n * sizeof *q);
  int *key = malloc (n * sizeof *key), *bins = calloc (n, sizeof *bins);
  struct body *bodies = calloc (rows, sizeof *bodies);
  for (long i = 0; i < n; i++)
    {
      random = random * 1103515245 + 12345;
      key[i] = (int) ((random >> 4) % (unsigned) rows);
      a[i] = b[i] = c[i] = (double) i / n;
      f[i] = g[i] = p[i] = q[i] = (float) key[i] / n;
    }
#pragma acc data copy (a[0:n], b[0:n], c[0:n], f[0:n], g[0:n], p[0:n], q[0:n], bins[0:n], bodies[0:rows]) copyin (key[0:n])
  for (int t = 0; t < repeat; t++)
    {
      pull (few, f, g, p, q);
      sparse (rows, a, key, b, c);
      sparse_by_lane (rows, a, key, b, c);
      heat (cube, a, b);
      escape (side, bins);
      prices (n, a, b);
      histogram (n, key, bins);
      push (rows, bodies);
      s += dot (n, a, b);
      axpy (n, 0.5, a, c);
      times (side, a, b, c);
      times_transposed (side, a, b, c);
      multiply (small, a, b, c);
      blur (side, f, g);
      halved (n, a, c);
      collatz (n, bins);
    }
  printf ("%ld %d %.9g %.9g\n", n, repeat, s, b[1] + c[1]);
  return 0;
}
