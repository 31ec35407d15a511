/* Small kernels, right and wrong.  Marks tell what is found at their lines, kind and
   variable, "-" where none is known; at the other lines nothing is.  A mark with MAYBE is for
   what the compiler may have done without.  */
#include <complex.h>
#include <stdlib.h>

enum { N = 512, M = 64 };

static void
sum_without_reduction (const double *a, double *out)
{
  double sum = 0;
#pragma acc parallel loop copyin(a[0:N]) copy(sum)
  for (int i = 0; i < N; i++)
    sum += a[i];		/* CHECK race sum */
  *out = sum;
}

static void
sum_with_reduction (const double *a, double *out)
{
  double sum = 0;
#pragma acc parallel loop copyin(a[0:N]) reduction(+:sum)
  for (int i = 0; i < N; i++)
    sum += a[i];
  *out = sum;
}

static void
complex_reduction (const double *a, double *out)
{
  double complex sum = 0;
#pragma acc parallel loop gang vector copyin(a[0:N]) reduction(+:sum)
  for (int i = 0; i < N; i++)
    sum += a[i] * I;
  *out = cimag (sum);
}

static void
maximum_without_reduction (const double *a, double *out)
{
  double most = 0;
#pragma acc parallel loop copyin(a[0:N]) copy(most)
  for (int i = 0; i < N; i++)
    if (a[i] > most)		/* CHECK race most */
      most = a[i];		/* CHECK race most */
  *out = most;
}

static void
temporary_shared (const double *a, double *b)
{
  double t = 0;
#pragma acc parallel loop copyin(a[0:N]) copyout(b[0:N]) copy(t)
  for (int i = 0; i < N; i++)
    {
      t = a[i] * 2;		/* CHECK race t */
      b[i] = t;		/* MAYBE race t */
    }
}

static void
temporary_private (const double *a, double *b)
{
  double t;
#pragma acc parallel loop copyin(a[0:N]) copyout(b[0:N]) private(t)
  for (int i = 0; i < N; i++)
    {
      t = a[i] * 2;
      b[i] = t;
    }
}

static void
neighbour_in_place (double *a)
{
#pragma acc parallel loop copy(a[0:N]) independent
  for (int i = 1; i < N; i++)
    a[i] = a[i - 1] + 1;	/* CHECK race a */
}

static void
neighbour_of_other (const double *a, double *b)
{
#pragma acc parallel loop copyin(a[0:N]) copyout(b[0:N])
  for (int i = 0; i < N; i++)
    b[i] = i ? a[i - 1] + 1 : 0;
}

static void
histogram (const int *key, int *count)
{
#pragma acc parallel loop copyin(key[0:N]) copy(count[0:M])
  for (int i = 0; i < N; i++)
    count[key[i]]++;		/* CHECK race count */
}

static void
histogram_atomic (const int *key, int *count)
{
#pragma acc parallel loop copyin(key[0:N]) copy(count[0:M])
  for (int i = 0; i < N; i++)
#pragma acc atomic update
    count[key[i]]++;
}

static void
histogram_of_floats (const int *key, double *count)
{
#pragma acc parallel loop copyin(key[0:N]) copy(count[0:M])
  for (int i = 0; i < N; i++)
#pragma acc atomic update
    count[key[i]] += 0.5;
}

static void
half_atomic (const int *key, int *count)
{
#pragma acc parallel loop gang worker vector copyin(key[0:N]) copy(count[0:M])
  for (int i = 0; i < N; i++)
    {
#pragma acc atomic update	/* MAYBE race count */
      count[key[i]]++;		/* MAYBE race count */
      if (i == N - 1)
	count[0] = 7;		/* CHECK race count */
    }
}

static void
two_gang_loops (const double *a, double *b, double *c)
{
#pragma acc parallel copyin(a[0:N]) copyout(b[0:N], c[0:N]) num_gangs(8)
  {
#pragma acc loop gang
    for (int i = 0; i < N; i++)
      b[i] = a[i];		/* CHECK race b */
#pragma acc loop gang
    for (int i = 0; i < N; i++)
      c[i] = b[N - 1 - i];	/* CHECK race b */
  }
}

static void
two_constructs (const double *a, double *b, double *c)
{
#pragma acc data copyin(a[0:N]) copyout(b[0:N], c[0:N])
  {
#pragma acc parallel loop
    for (int i = 0; i < N; i++)
      b[i] = a[i];
#pragma acc parallel loop
    for (int i = 0; i < N; i++)
      c[i] = b[N - 1 - i];
  }
}

/* Within a gang, vector loops follow each other.  */
static void
two_vector_loops (const double *a, double *b, double *c)
{
#pragma acc parallel copyin(a[0:N]) copyout(b[0:N], c[0:N]) num_gangs(1) num_workers(1) vector_length(32)
  {
#pragma acc loop vector
    for (int i = 0; i < N; i++)
      b[i] = a[i];
#pragma acc loop vector
    for (int i = 0; i < N; i++)
      c[i] = b[N - 1 - i];
  }
}

static void
worker_loops (const double *a, double *b, double *c)
{
#pragma acc parallel copyin(a[0:N]) copyout(b[0:N], c[0:N]) num_gangs(1) num_workers(8) vector_length(32)
  {
#pragma acc loop worker vector
    for (int i = 0; i < N; i++)
      b[i] = a[i];
#pragma acc loop worker vector
    for (int i = 0; i < N; i++)
      c[i] = b[N - 1 - i];
  }
}

static void
rows (const double *a, double *row)
{
#pragma acc parallel loop gang copyin(a[0:M*M]) copyout(row[0:M])
  for (int i = 0; i < M; i++)
    {
      double sum = 0;
#pragma acc loop vector reduction(+:sum)
      for (int j = 0; j < M; j++)
	sum += a[i * M + j];
      row[i] = sum;
    }
}

static void
columns_transposed (const double *a, double *b)
{
#pragma acc parallel loop gang copyin(a[0:M*M]) copy(b[0:M*M])
  for (int i = 0; i < M; i++)
#pragma acc loop vector
    for (int j = 0; j < M; j++)
      b[j * M + (i & ~1)] = a[i * M + j];	/* CHECK race b */
}

static void
collapsed (const double *a, double *b)
{
#pragma acc parallel loop collapse(2) copyin(a[0:M*M]) copyout(b[0:M*M])
  for (int i = 0; i < M; i++)
    for (int j = 0; j < M; j++)
      b[j * M + i] = a[i * M + j];
}

static void
stencil_in_place (double *a)
{
#pragma acc parallel loop collapse(2) copy(a[0:M*M])
  for (int i = 1; i < M - 1; i++)
    for (int j = 1; j < M - 1; j++)
      a[i * M + j] = 0.5 * (a[(i - 1) * M + j] + a[(i + 1) * M + j]);	/* CHECK race a */
}

static void
bytes_beside_each_other (const char *a, char *b)
{
#pragma acc parallel loop copyin(a[0:N]) copyout(b[0:N])
  for (int i = 0; i < N; i++)
    b[i] = a[i] + 1;
}

static void
bytes_in_place (char *b, short *s)
{
#pragma acc parallel loop copy(b[0:N])
  for (int i = 0; i < N; i++)
    b[i] = b[i] + 1;
#pragma acc parallel loop gang copy(s[0:N/2])
  for (int i = 0; i < N / 2; i++)
    s[i] = s[i] * 2 + 1;
}

static void
bytes_of_neighbours (char *b)
{
#pragma acc parallel loop copy(b[0:N])
  for (int i = 1; i < N; i++)
    b[i] = b[i - 1] + 1;	/* CHECK race b */
}

static void
gather (const int *index, const double *a, double *b)
{
#pragma acc parallel loop copyin(index[0:N], a[0:N]) copyout(b[0:N])
  for (int i = 0; i < N; i++)
    b[i] = a[index[i]];
}

static void
scatter (const int *index, const double *a, double *b)
{
#pragma acc parallel loop copyin(index[0:N], a[0:N]) copy(b[0:N])
  for (int i = 0; i < N; i++)
    b[index[i]] = a[i];		/* CHECK race b */
}

static void
all_write_the_same (int *flag)
{
#pragma acc parallel loop copy(flag[0:1])	/* MAYBE race? flag */
  for (int i = 0; i < N; i++)
    flag[0] = 1;		/* MAYBE race? flag */
}

/* The values are equal, as all of a is.  */
static void
equal_by_chance (const double *zeros, double *b)
{
  double t;

#pragma acc parallel loop copyin(zeros[0:N]) copyout(b[0:N]) create(t)
  for (int i = 0; i < N; i++)
    {
      t = 2 * zeros[i];		/* CHECK race t; MAYBE stale-on-host? t */
      b[i] = t + 1;		/* MAYBE race t */
    }
}

static void
sequential (double *a)
{
#pragma acc parallel loop seq copy(a[0:N])
  for (int i = 1; i < N; i++)
    a[i] = a[i - 1] + 1;
}

#pragma acc routine seq
static double
twice (double x)
{
  return 2 * x;
}

static void
with_routine (const double *a, double *b)
{
#pragma acc parallel loop copyin(a[0:N]) copyout(b[0:N])
  for (int i = 0; i < N; i++)
    b[i] = twice (a[i]);
}

static void
private_array (const double *a, double *b)
{
  double t[4];
#pragma acc parallel loop gang vector copyin(a[0:N]) copyout(b[0:N]) private(t)
  for (int i = 0; i < N; i++)
    {
      for (int k = 0; k < 4; k++)
	t[k] = a[i] + k;
      b[i] = t[0] + t[3];
    }
}

static void
shared_array (const double *a, double *b)
{
  double t[4] = { 0 };
#pragma acc parallel loop gang vector copyin(a[0:N]) copyout(b[0:N]) copy(t)
  for (int i = 0; i < N; i++)
    {
      for (int k = 0; k < 4; k++)
	t[k] = a[i] + k;	/* CHECK race t */
      b[i] = t[0] + t[3];	/* MAYBE race t */
    }
}

static void
counter_captured (int *next, double *list)
{
#pragma acc parallel loop copy(next[0:1]) copyout(list[0:N])
  for (int i = 0; i < N; i++)
    {
      int at;
#pragma acc atomic capture
      at = next[0]++;
      list[at] = i;
    }
}

static void
counter_plain (int *next, double *list)
{
#pragma acc parallel loop copy(next[0:1]) copy(list[0:N])	/* MAYBE race next */
  for (int i = 0; i < N; i++)
    {
      int at = next[0]++;	/* CHECK race next */ /* MAYBE race list */
      list[at % N] = i;		/* CHECK race list */
    }
}

int
main (void)
{
  double *a = malloc (M * M * sizeof *a), *b = malloc (M * M * sizeof *b), *c = malloc (M * M * sizeof *c), out;
  int *key = malloc (N * sizeof *key), *index = malloc (N * sizeof *index), count[M] = { 0 }, next = 0;
  double counts[M] = { 0 };
  char *text = malloc (N), *copy = malloc (N);

  for (int i = 0; i < M * M; i++)
    a[i] = b[i] = c[i] = i % 97;
  for (int i = 0; i < N; i++)
    {
      key[i] = i * 7 % M;
      index[i] = i / 2;
      text[i] = (char) i;
    }
  sum_without_reduction (a, &out);
  sum_with_reduction (a, &out);
  complex_reduction (a, &out);
  maximum_without_reduction (a, &out);
  temporary_shared (a, b);
  temporary_private (a, b);
  neighbour_in_place (a);
  neighbour_of_other (a, b);
  histogram (key, count);
  histogram_atomic (key, count);
  histogram_of_floats (key, counts);
  half_atomic (key, count);
  two_gang_loops (a, b, c);
  two_constructs (a, b, c);
  two_vector_loops (a, b, c);
  worker_loops (a, b, c);
  rows (a, b);
  columns_transposed (a, b);
  collapsed (a, b);
  stencil_in_place (a);
  bytes_beside_each_other (text, copy);
  bytes_in_place (text, (short *) copy);
  bytes_of_neighbours (text);
  gather (index, a, b);
  scatter (index, a, b);
  all_write_the_same (count);
  {
    double *zeros = calloc (N, sizeof *zeros);

    equal_by_chance (zeros, b);
    free (zeros);
  }
  sequential (a);
  with_routine (a, b);
  private_array (a, b);
  shared_array (a, b);
  counter_captured (&next, c);
  next = 0;
  counter_plain (&next, c);
  return 0;
}
