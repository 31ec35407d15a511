/* Right programs, from each of which one mistake after another is made (check_mistakes_test.go): a
   function each, which gives a sum of its results.  */
#include <stdlib.h>
#include <string.h>

enum { N = 96, M = 8 };

double
scaled (void)
{
  double *a = malloc (N * sizeof *a), *b = malloc (N * sizeof *b), sum = 0;

  for (int i = 0; i < N; i++)
    a[i] = i + 1, b[i] = 3;
#pragma acc parallel loop copyin(a[0:N]) copyout(b[0:N])
  for (int i = 0; i < N; i++)
    b[i] = 2 * a[i];
  for (int i = 0; i < N; i++)
    sum += b[i];
  return sum;
}

double
region (void)
{
  double *x = malloc (N * sizeof *x), *y = malloc (N * sizeof *y), *t = malloc (N * sizeof *t), sum = 0;

  for (int i = 0; i < N; i++)
    x[i] = i + 1, y[i] = 1, t[i] = 0;
#pragma acc data copyin(x[0:N]) copy(y[0:N]) create(t[0:N])
  {
#pragma acc parallel loop
    for (int i = 0; i < N; i++)
      t[i] = x[i] * x[i];
#pragma acc parallel loop
    for (int i = 0; i < N; i++)
      y[i] += t[i];
  }
  for (int i = 0; i < N; i++)
    sum += y[i];
  return sum;
}

double
stepped (void)
{
  double *u = malloc (N * sizeof *u), *f = malloc (N * sizeof *f), sum = 0;

  for (int i = 0; i < N; i++)
    u[i] = i, f[i] = 1;
#pragma acc enter data copyin(u[0:N], f[0:N])
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
  double *v = malloc (N * sizeof *v), total = 0, most = 0;

  for (int i = 0; i < N; i++)
    v[i] = i + 1;
#pragma acc parallel loop copyin(v[0:N]) copy(total) reduction(+:total)
  for (int i = 0; i < N; i++)
    total += v[i];
#pragma acc parallel loop copyin(v[0:N]) copy(most) reduction(max:most)
  for (int i = 0; i < N; i++)
    most = v[i] > most ? v[i] : most;
  return total + most;
}

double
counted (void)
{
  int *key = malloc (N * sizeof *key), *bin = malloc (M * sizeof *bin);
  double sum = 0;

  for (int i = 0; i < N; i++)
    key[i] = i % M;
  for (int i = 0; i < M; i++)
    bin[i] = 0;
#pragma acc parallel loop copyin(key[0:N]) copy(bin[0:M])
  for (int i = 0; i < N; i++)
    {
#pragma acc atomic update
      bin[key[i]] += 1;
    }
  for (int i = 0; i < M; i++)
    sum += bin[i] * (i + 1);
  return sum;
}

double
queued (void)
{
  double *p = malloc (N * sizeof *p), *q = malloc (N * sizeof *q), *r = malloc (N * sizeof *r), sum = 0;

  for (int i = 0; i < N; i++)
    p[i] = i + 1, q[i] = 0, r[i] = 0;
#pragma acc enter data copyin(p[0:N], q[0:N], r[0:N])
#pragma acc parallel loop present(p, q) async(1)
  for (int i = 0; i < N; i++)
    q[i] = 2 * p[i];
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
pipelined (void)
{
  double *in = malloc (N * sizeof *in), *out = malloc (N * sizeof *out), sum = 0;

  for (int i = 0; i < N; i++)
    in[i] = i + 1, out[i] = 0;
#pragma acc data create(in[0:N]) copyout(out[0:N])
  {
#pragma acc update device(in[0:N]) async(1)
#pragma acc parallel loop async(1)
    for (int i = 0; i < N; i++)
      out[i] = in[i] * 3;
#pragma acc wait(1)
    for (int i = 0; i < N; i++)
      in[i] = 7;
#pragma acc update device(in[0:N]) async(1)
#pragma acc parallel loop async(1)
    for (int i = 0; i < N; i++)
      out[i] += in[i];
#pragma acc wait(1)
  }
  for (int i = 0; i < N; i++)
    sum += out[i];
  return sum;
}

double
relaxed (void)
{
  double *now = malloc (N * sizeof *now), *then = malloc (N * sizeof *then), sum = 0;

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

double
windowed (void)
{
  double *w = malloc (N * sizeof *w), *s = malloc (N * sizeof *s), part[4] = { 0 }, sum = 0;

  for (int i = 0; i < N; i++)
    w[i] = i, s[i] = 0;
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
boundary (void)
{
  double *g = malloc (N * sizeof *g), edge, sum = 0;

  for (int i = 0; i < N; i++)
    g[i] = i;
#pragma acc data copy(g[0:N])
  for (int step = 0; step < 3; step++)
    {
#pragma acc parallel loop
      for (int i = 0; i < N; i++)
	g[i] = g[i] + 1;
#pragma acc update self(g[0:1])
      edge = g[0];
      sum += edge;
      g[N - 1] = edge;
#pragma acc update device(g[N-1:1])
    }
  for (int i = 0; i < N; i++)
    sum += g[i];
  return sum;
}

double
matrix (void)
{
  double *c = malloc (M * M * sizeof *c), *d = malloc (M * M * sizeof *d), *e = malloc (M * sizeof *e), sum = 0;

  for (int i = 0; i < M * M; i++)
    c[i] = i, d[i] = 0;
  for (int i = 0; i < M; i++)
    e[i] = 0;
#pragma acc data copyin(c[0:M*M]) copyout(d[0:M*M], e[0:M])
  {
#pragma acc parallel loop collapse(2)
    for (int i = 0; i < M; i++)
      for (int j = 0; j < M; j++)
	d[j * M + i] = c[i * M + j];
#pragma acc parallel loop
    for (int i = 0; i < M; i++)
      {
	double row = 0;
	for (int j = 0; j < M; j++)
	  row += d[i * M + j];
	e[i] = row;
      }
  }
  for (int i = 0; i < M; i++)
    sum += e[i] + d[i];
  return sum;
}

double
swapped (void)
{
  float *left = malloc (N * sizeof *left), *right = malloc (N * sizeof *right);
  double sum = 0;

  for (int i = 0; i < N; i++)
    left[i] = i, right[i] = 2 * i;
#pragma acc data copy(left[0:N], right[0:N])
  {
#pragma acc parallel loop
    for (int i = 0; i < N; i++)
      {
	float held = left[i];
	left[i] = right[i] + 1;
	right[i] = held + 2;
      }
#pragma acc update self(left[0:N], right[0:N])
    for (int i = 0; i < N; i++)
      sum += left[i] - 3 * right[i];
  }
  return sum;
}

double
gathered (void)
{
  int *from = malloc (N * sizeof *from);
  double *all = malloc (N * sizeof *all), *some = malloc (N * sizeof *some), sum = 0;

  for (int i = 0; i < N; i++)
    from[i] = N - 1 - i, all[i] = i + 0.5, some[i] = 0;
#pragma acc enter data copyin(from[0:N], all[0:N]) create(some[0:N])
#pragma acc parallel loop present(from, all, some) async(3)
  for (int i = 0; i < N; i++)
    some[i] = all[from[i]] + 1;
#pragma acc update self(some[0:N]) async(3)
#pragma acc wait(3)
  for (int i = 0; i < N; i++)
    sum += some[i] * i;
  for (int i = 0; i < N; i++)
    all[i] = 2 * i;
#pragma acc update device(all[0:N])
#pragma acc parallel loop present(from, all, some)
  for (int i = 0; i < N; i++)
    some[i] = all[from[i]] + 1;
#pragma acc exit data copyout(some[0:N]) delete(from, all)
  for (int i = 0; i < N; i++)
    sum += some[i] * i;
  return sum;
}

double
normed (void)
{
  double *h = malloc (N * sizeof *h), *k = malloc (N * sizeof *k), dot = 0, least = 1000;

  for (int i = 0; i < N; i++)
    h[i] = i + 1, k[i] = 2;
#pragma acc data copyin(h[0:N]) copy(k[0:N])
  {
#pragma acc parallel loop copy(dot) reduction(+:dot)
    for (int i = 0; i < N; i++)
      dot += h[i] * k[i];
#pragma acc parallel loop
    for (int i = 0; i < N; i++)
      k[i] = h[i] / dot;
#pragma acc parallel loop copy(least) reduction(min:least)
    for (int i = 0; i < N; i++)
      least = k[i] < least ? k[i] : least;
  }
  return dot + least + k[5];
}

double
batched (void)
{
  double *job = malloc (N * sizeof *job), *done = malloc (N * sizeof *done), sum = 0;

  for (int i = 0; i < N; i++)
    job[i] = 1, done[i] = 0;
#pragma acc enter data create(job[0:N], done[0:N])
  for (int n = 0; n < 2; n++)
    {
      for (int i = 0; i < N; i++)
	job[i] = i + n;
#pragma acc update device(job[0:N]) async(4)
#pragma acc parallel loop present(job, done) async(4)
      for (int i = 0; i < N; i++)
	done[i] = job[i] * 2;
#pragma acc update self(done[0:N]) async(4)
#pragma acc wait(4)
      for (int i = 0; i < N; i++)
	sum += done[i];
    }
#pragma acc exit data delete(job, done)
  return sum;
}

double
layered (void)
{
  double *in = malloc (N * sizeof *in), *mid = malloc (N * sizeof *mid), *out = malloc (N * sizeof *out), sum = 0;

  for (int i = 0; i < N; i++)
    in[i] = i % 5, mid[i] = 0, out[i] = 0;
#pragma acc parallel loop copyin(in[0:N]) copyout(mid[0:N])
  for (int i = 0; i < N; i++)
    mid[i] = in[i] + 1;
#pragma acc parallel loop copyin(mid[0:N]) copyout(out[0:N])
  for (int i = 0; i < N; i++)
    out[i] = mid[i] * mid[i];
  for (int i = 0; i < N; i++)
    sum += out[i];
  return sum;
}
