/* Data that are not there, not written, or in use, marked as in races.c.  */
#include <openacc.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 1000 };

static void
beyond_the_section (const double *a, double *b)
{
#pragma acc parallel loop copyin(a[0:N/2]) copyout(b[0:N])
  for (int i = 0; i < N; i++)
    b[i] = a[i];		/* CHECK out-of-bounds a */
}

static void
before_the_section (const double *a, double *b)
{
#pragma acc parallel loop copyin(a[10:N-10]) copyout(b[0:N])
  for (int i = 0; i < N; i++)
    b[i] = a[i];		/* CHECK out-of-bounds a */
}

/* Far enough to land in other data, were they next to each other.  */
static void
into_the_next (double *a, double *b)
{
#pragma acc data copy(a[0:N], b[0:N])
#pragma acc parallel loop present(a[0:N], b[0:N])
  for (int i = 0; i < N; i++)
    a[i + N - 1] = b[i];	/* CHECK out-of-bounds a */
}

static void
whole_section (const double *a, double *b)
{
#pragma acc parallel loop copyin(a[10:N-10]) copyout(b[10:N-10])
  for (int i = 10; i < N; i++)
    b[i] = a[i];
}

static void
half_written (double *b)
{
#pragma acc parallel loop copyout(b[0:N])	/* CHECK uninitialised b */
  for (int i = 0; i < N / 2; i++)
    b[i] = i;
}

static void
half_written_of_copy (double *b)
{
#pragma acc parallel loop copy(b[0:N])
  for (int i = 0; i < N / 2; i++)
    b[i] = i;
}

static void
created (double *b)
{
#pragma acc data create(b[0:N])
  {
#pragma acc parallel loop present(b[0:N])
    for (int i = 0; i < N; i += 2)
      b[i] = i;
#pragma acc update self(b[0:N])	/* CHECK uninitialised b */
  }
}

struct padded { double value; int flag; };

static void
padding (struct padded *s)
{
#pragma acc parallel loop copyout(s[0:N])
  for (int i = 0; i < N; i++)
    {
      s[i].value = i;
      s[i].flag = 1;
    }
}

static void
bare_pointer (double *b)
{
  struct { double *p; } inner = { b };
#pragma acc parallel loop copyin(inner)
  for (int i = 0; i < N; i++)
    inner.p[i] = i;		/* CHECK not-mapped - */
}

static void
queues_without_wait (const double *a, double *b, double *c)
{
#pragma acc data copyin(a[0:N]) copyout(b[0:N], c[0:N])
  {
#pragma acc parallel loop async(1)
    for (int i = 0; i < N; i++)
      b[i] = a[i];		/* CHECK queue-race b */
#pragma acc parallel loop async(2)
    for (int i = 0; i < N; i++)
      c[i] = b[i];		/* CHECK queue-race b; MAYBE uninitialised b */
#pragma acc wait
  }
}

static void
queues_with_wait (const double *a, double *b, double *c)
{
#pragma acc data copyin(a[0:N]) copyout(b[0:N], c[0:N])
  {
#pragma acc parallel loop async(1)
    for (int i = 0; i < N; i++)
      b[i] = a[i];
#pragma acc wait(1) async(2)
#pragma acc parallel loop async(2)
    for (int i = 0; i < N; i++)
      c[i] = b[i];
#pragma acc wait
  }
}

static void
queues_of_halves (double *b)
{
#pragma acc data copy(b[0:N])
  {
#pragma acc parallel loop async(1)
    for (int i = 0; i < N / 2; i++)
      b[i] += 1;
#pragma acc parallel loop async(2)
    for (int i = N / 2; i < N; i++)
      b[i] += 1;
#pragma acc wait
  }
}

static void
update_beside_kernel (double *b)
{
#pragma acc data copy(b[0:N])
  {
#pragma acc parallel loop async(1)
    for (int i = 0; i < N; i++)
      b[i] += 1;		/* CHECK queue-race b */
#pragma acc update self(b[0:N]) async(2)	/* CHECK queue-race b */
#pragma acc wait
  }
}

static void
update_behind_kernel (double *b)
{
#pragma acc data copy(b[0:N])
  {
#pragma acc parallel loop async(1)
    for (int i = 0; i < N; i++)
      b[i] += 1;
#pragma acc update self(b[0:N]) async(1)
#pragma acc wait(1)
  }
}

static void
computed_with_what_nobody_wrote (double *a, double *b)
{
#pragma acc parallel loop create(a[0:N]) copyout(b[0:N])
  for (int i = 0; i < N; i++)
    b[i] = 2 * a[i];		/* CHECK uninitialised a */
}

static void
copied_with_what_nobody_wrote (double *a, double *b)
{
#pragma acc data create(a[0:N]) copy(b[0:N])
  {
#pragma acc parallel loop
    for (int i = 0; i < N / 2; i++)
      a[i] = 2 * b[i];
#pragma acc parallel loop
    for (int i = 0; i < N / 2; i++)
      b[i] = 1 + a[i];
  }
}

static void
changed_by_the_host (double *a, double *b)
{
#pragma acc data copyin(a[0:N]) copyout(b[0:N])
  {
#pragma acc parallel loop
    for (int i = 0; i < N; i++)
      b[i] = a[i] + 1;
    for (int i = 0; i < N; i++)
      a[i] += 1;
#pragma acc parallel loop
    for (int i = 0; i < N; i++)
      b[i] = a[i] + 2;		/* CHECK stale-on-device a */
  }
}

static void
changed_and_sent (double *a, double *b)
{
#pragma acc data copyin(a[0:N]) copyout(b[0:N])
  {
    for (int i = 0; i < N; i++)
      a[i] += 1;
#pragma acc update device(a[0:N])
#pragma acc parallel loop
    for (int i = 0; i < N; i++)
      b[i] = a[i] + 2;
  }
}

static void
copied_after_a_change (double *a, double *b)
{
#pragma acc data copyin(a[0:N]) copyout(b[0:N])
  {
    for (int i = 0; i < N; i++)
      a[i] += 1;
#pragma acc parallel loop
    for (int i = 0; i < N; i++)
      b[i] = a[i];		/* CHECK stale-on-device a */
  }
}

static void
changed_scalar (double *b)
{
  double factor = 2;

#pragma acc data copyin(factor) copyout(b[0:N])
  {
    factor = 3;
#pragma acc parallel loop present(factor)
    for (int i = 0; i < N; i++)
      b[i] = factor * i;	/* CHECK stale-on-device factor */
  }
}

/* Behind the last whole block of 64 bytes.  */
static void
changed_tail (double *b)
{
  double tail[9] = { 0 };

#pragma acc data copyin(tail) copyout(b[0:N])
  {
    tail[8] = 3;
#pragma acc parallel loop present(tail)
    for (int i = 0; i < N; i++)
      b[i] = tail[i % 9] + 1;	/* CHECK stale-on-device tail */
  }
}

static void
sent_scalars (double *b)
{
  double factor = 2, tail[9] = { 0 };

#pragma acc data copyin(factor, tail) copyout(b[0:N])
  for (int step = 0; step < 3; step++)
    {
      factor = step;
      tail[8] = step;
#pragma acc update device(factor, tail[8:1])
#pragma acc parallel loop present(factor, tail)
      for (int i = 0; i < N; i++)
	b[i] = factor * tail[i % 9];
    }
}

static void
given_up (double *b)
{
#pragma acc parallel loop copyin(b[0:N])
  for (int i = 0; i < N; i++)
    b[i] += 1;			/* CHECK stale-on-host? b */ /* which is sent again */
}

static void
overwritten (double *b)
{
#pragma acc data copy(b[0:N])
  {
#pragma acc parallel loop
    for (int i = 0; i < N; i++)
      b[i] = i;			/* CHECK lost-write b */
#pragma acc update device(b[0:N])
#pragma acc parallel loop
    for (int i = 0; i < N; i++)
      b[i] += i;
  }
}

/* A library that is given the device's address may write there unseen.  */
static void
exposed (double *a, double *b)
{
#pragma acc data create(a[0:N]) copyout(b[0:N])
  {
#pragma acc host_data use_device(a)
    for (int i = 0; i < N; i++)
      a[i] = i;
#pragma acc parallel loop
    for (int i = 0; i < N; i++)
      b[i] = a[i] + 1;
  }
}

/* At the address where other data were before.  */
static void
allocated (double *a, double *b)
{
  double *d;

#pragma acc parallel loop copy(a[0:N])
  for (int i = 0; i < N; i++)
    a[i] += 1;
  d = acc_malloc (N * sizeof *d);
#pragma acc parallel loop deviceptr(d) copyout(b[0:N])
  for (int i = 0; i < N; i++)
    b[i] = d[i] + 1;		/* CHECK uninitialised - */
  acc_free (d);
}

int
main (void)
{
  double *a = malloc (N * sizeof *a), *b = malloc (2 * N * sizeof *b), *c = malloc (N * sizeof *c);
  struct padded *s = calloc (N, sizeof *s);

  for (int i = 0; i < N; i++)
    a[i] = b[i] = c[i] = i;
  beyond_the_section (a, b);
  before_the_section (a, b);
  into_the_next (a, b);
  whole_section (a, b);
  half_written (b);
  half_written_of_copy (b);
  created (b);
  padding (s);
  bare_pointer (b);
  computed_with_what_nobody_wrote (a, b);
  copied_with_what_nobody_wrote (a, b);
  changed_by_the_host (a, b);
  changed_and_sent (a, b);
  copied_after_a_change (a, b);
  changed_scalar (b);
  changed_tail (b);
  sent_scalars (b);
  given_up (b);
  overwritten (b);
  exposed (a, b);
  allocated (a, b);
  queues_without_wait (a, b, c);
  queues_with_wait (a, b, c);
  queues_of_halves (b);
  update_beside_kernel (b);
  update_behind_kernel (b);
  return 0;
}
