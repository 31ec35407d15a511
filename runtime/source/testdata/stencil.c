/* Names of every sort that C has: pointers, sections, arrays, structures and
   their members, statics, scalars.  */

#include <openacc.h>
#include <stdlib.h>

struct field
{
  int n;
  double *a;
  float *b;
  int flags[4];
};

static double table[100];
double shared_scale[8];
static float weight;

static int
sweep (int n, float alpha, float *x, float *y)
{
  float sum = 0;
  float window[16];

  for (int i = 0; i < 16; i++)
    window[i] = i;
#pragma acc parallel loop copyin(x[0:n], window) copy(y[2:n-2]) reduction(+:sum)
  for (int i = 2; i < n; i++)
    {
      float *z = y;
      z[i] = alpha * x[i] + y[i] + window[i & 15] + table[i & 63];
      sum += y[i];
    }
  return sum;
}

int
members (struct field *fp, struct field f, int k)
{
  int count = 0;

#pragma acc data copy(f.a[0:f.n])
  {
#pragma acc parallel loop copy(f.a[0:f.n]) copyin(f.n) reduction(+:count)
    for (int i = 0; i < f.n; i++)
      {
	f.a[i] += i;
	count++;
      }
  }
#pragma acc enter data copyin(fp[0:1])
#pragma acc parallel loop copyin(fp[0:1]) copy(fp->a[0:k])
  for (int i = 0; i < k; i++)
    fp->a[i] += i;
#pragma acc update self(fp->n)
#pragma acc exit data delete(fp[0:1])
#pragma acc kernels
  for (int i = 0; i < 100; i++)
    table[i] += i + k + weight;
#pragma acc serial copy(f)
  f.n++;
  return count + f.n;
}

static inline void
scale (double *values, int n, double by)
{
#pragma acc parallel loop present(values[0:n]) async(1)
  for (int i = 0; i < n; i++)
    values[i] *= by;
#pragma acc wait(1)
}

int
main (int argc, char **argv)
{
  int n = 1000 + argc;
  float *x = malloc (n * sizeof *x), *y = malloc (n * sizeof *y);
  double *v = malloc (n * sizeof *v);
  int lengths[n];
  struct field f = { n, malloc (n * 8), malloc (n * 4), { 0 } };

  for (int i = 0; i < n; i++)
    x[i] = y[i] = v[i] = lengths[i] = f.a[i] = f.b[i] = i;
#pragma acc data copyin(x[0:n]) create(y[0:n])
  {
    sweep (n, 2.0f, x, y);
#pragma acc update device(y[0:n])
  }
#pragma acc enter data copyin(v[0:n])
  scale (v, n, 3.0);
#pragma acc exit data copyout(v[0:n])
#pragma acc data copy(lengths, table, f.flags)
  {
#pragma acc parallel loop copy(lengths)
    for (int i = 0; i < n; i++)
      lengths[i]++;
  }
  acc_copyin (f.b, n * 4);
  acc_update_self (f.b, n * 4);
  acc_copyin (shared_scale, sizeof shared_scale);
  members (&f, f, 3);
  return y[3] < 0 || lengths[1] < 0 || argv == 0;
}
