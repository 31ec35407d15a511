/* Kernels whose results by the device's code and by the host's are compared, marked as in races.c.  */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 4000 };

/* Rounded once where the host's code rounds twice, and other functions of the same name.  */
static void
fused (const double *a, double *b, float *f)
{
#pragma acc parallel loop copyin(a[0:N]) copy(b[0:N], f[0:N])
  for (int i = 0; i < N; i++)
    {
      b[i] = a[i] * a[i] - b[i] * a[i] + sin (a[i]) * exp (-a[i]);
      f[i] = f[i] * f[i] + (float) a[i] * 0.3f;
    }
}

/* What is left is nothing but rounding.  */
static void
cancelled (const double *a, double *b)
{
#pragma acc parallel loop copyin(a[0:N]) copy(b[0:N])
  for (int i = 0; i < N; i++)
    b[i] = a[i] * 3.1 - (a[i] * 2 + a[i] * 1.1);
}

static void
summed (const double *a, const float *f, double *sum, float *few, int *count)
{
  double s = 0;
  float t = 0;
  int c = 0;

#pragma acc parallel loop copyin(a[0:N], f[0:N]) reduction(+:s, t, c)
  for (int i = 0; i < N; i++)
    {
      s += a[i] * (i % 2 ? 1 : -1);
      t += f[i];
      c += i % 3;
    }
  *sum = s;
  *few = t;
  *count = c;
}

static void
histogram (const double *a, int *bins, double *sums)
{
#pragma acc parallel loop copyin(a[0:N]) copy(bins[0:16], sums[0:16])
  for (int i = 0; i < N; i++)
    {
      int bin = (int) (fabs (a[i]) * 100) % 16;
#pragma acc atomic update
      bins[bin]++;
#pragma acc atomic update
      sums[bin] += a[i];
    }
}

struct field { double *values; int count; };

/* By pointers in data, and bytes.  */
static void
attached (struct field *of, char *text)
{
#pragma acc enter data copyin(of[0:1])
#pragma acc enter data copyin(of->values[0:N])
#pragma acc parallel loop gang present(of[0:1]) copy(text[0:N])
  for (int i = 0; i < of->count; i++)
    {
#pragma acc loop vector
      for (int j = 0; j < 40; j++)
	of->values[40 * i + j] += j;
      text[i] = (char) (text[i] + i);
    }
#pragma acc exit data copyout(of->values[0:N])
#pragma acc exit data delete(of[0:1])
}

static void
dependent (int *k)
{
#pragma acc parallel loop copy(k[0:N])
  for (int i = 1; i < N; i++)
    k[i] = k[i - 1] + 1;	/* CHECK race k; CHECK differs k */
}

static void
dependent_reals (double *b)
{
#pragma acc parallel loop copy(b[0:N])
  for (int i = 1; i < N; i++)
    b[i] = b[i - 1] * 0.9 + 1;	/* CHECK race b; CHECK differs b */
}

int
main (void)
{
  double *a = malloc (N * sizeof *a), *b = malloc (N * sizeof *b), sums[16] = { 0 }, sum;
  float *f = malloc (N * sizeof *f), few;
  int *k = calloc (N, sizeof *k), bins[16] = { 0 }, count;
  char *text = calloc (N, 1);
  struct field of = { b, N / 40 };

  for (int i = 0; i < N; i++)
    {
      a[i] = cos (i);
      b[i] = i;
      f[i] = 1 / (i + 1.0f);
    }
  fused (a, b, f);
  cancelled (a, b);
  summed (a, f, &sum, &few, &count);
  histogram (a, bins, sums);
  attached (&of, text);
  dependent (k);
  dependent_reals (b);
  printf ("%d\n", sum + few + count > 0);
  return 0;
}
