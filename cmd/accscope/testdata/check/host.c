/* What the host's code does with data that are on the device, marked as in races.c, and compiled
   with -fsanitize=thread.  */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 1000 };
static double sink;

static void
read_before_update (double *a)
{
#pragma acc data copy(a[0:N])
  {
#pragma acc parallel loop
    for (int i = 0; i < N; i++)
      a[i] += 1;		/* CHECK stale-on-host a */
    sink += a[7];		/* CHECK stale-on-host a */
  }
  sink += a[7];
}

static void
read_after_update (double *a)
{
#pragma acc data copy(a[0:N])
  {
#pragma acc parallel loop
    for (int i = 0; i < N; i++)
      a[i] += 1;
#pragma acc update self(a[0:10])
    sink += a[7];
  }
}

static void
read_beyond_update (double *a)
{
#pragma acc data copy(a[0:N])
  {
#pragma acc parallel loop
    for (int i = 0; i < N; i++)
      a[i] += 1;		/* CHECK stale-on-host a */
#pragma acc update self(a[0:10])
    sink += a[10];		/* CHECK stale-on-host a */
  }
}

/* Given up, which the host and a later kernel miss.  */
static void
read_what_was_given_up (double *a)
{
#pragma acc parallel loop copyin(a[0:N])
  for (int i = 0; i < N; i++)
    a[i] += 1;			/* CHECK stale-on-host a */
  sink += a[3];			/* CHECK stale-on-host a */
}

static void
sent_what_was_given_up (double *a, double *b)
{
#pragma acc parallel loop copyin(a[0:N])
  for (int i = 0; i < N; i++)
    a[i] += 1;			/* CHECK stale-on-host a */
#pragma acc parallel loop copyin(a[0:N]) copyout(b[0:N])
  for (int i = 0; i < N; i++)
    b[i] = 2 * a[i];		/* CHECK stale-on-host a */
}

/* Scratch memory is given up as well; the host fills it anew.  */
static void
scratch (double *b)
{
  for (int step = 0; step < 3; step++)
    {
      double *t = calloc (N, sizeof *t);

#pragma acc parallel loop create(t[0:N]) copyout(b[0:N])
      for (int i = 0; i < N; i++)
	{
	  t[i] = i;
	  b[i] = t[i];
	}
      t[0] = 1;
      sink += t[0] + b[0];
      free (t);
    }
}

/* The host may keep other data in its copy.  */
static void
staging (double *a, const double *b)
{
#pragma acc data copyin(a[0:N])
  {
#pragma acc parallel loop
    for (int i = 0; i < N; i++)
      a[i] += 1;		/* CHECK stale-on-host? a */
    memcpy (a, b, N * sizeof *a);
    sink += a[5];
  }
}

static void
written_and_not_sent (double *a, double *b)
{
#pragma acc data copyin(a[0:N]) copyout(b[0:N])
  {
    a[9] += 2;			/* CHECK stale-on-device a */
#pragma acc parallel loop
    for (int i = 0; i < N; i++)
      b[i] = 2 * a[i];		/* CHECK stale-on-device a */
  }
}

static void
copied_and_not_sent (double *a, double *b)
{
#pragma acc data copyin(a[0:N]) copyout(b[0:N])
  {
    memset (a, 0, 10 * sizeof *a);	/* MAYBE stale-on-device a */
#pragma acc parallel loop
    for (int i = 0; i < N; i++)
      b[i] = 2 * a[i];		/* CHECK stale-on-device a */
  }
}

/* The next step is prepared while the kernel runs.  */
static void
prepared (double *a, double *b)
{
#pragma acc data copyin(a[0:N]) copyout(b[0:N])
  for (int step = 0; step < 3; step++)
    {
#pragma acc parallel loop async(1)
      for (int i = 0; i < N; i++)
	b[i] = 2 * a[i];
      for (int i = 0; i < N; i++)
	a[i] = step + i;
#pragma acc wait(1)
#pragma acc update device(a[0:N])
    }
}

static void
changed_and_overwritten (double *a)
{
#pragma acc data copy(a[0:N])	/* CHECK lost-write a */
  {
    a[3] = 17;			/* CHECK lost-write a */
  }
}

static void
download_beside_the_host (double *a)
{
#pragma acc data copy(a[0:N])
  {
#pragma acc parallel loop async(1)
    for (int i = 0; i < N; i++)
      a[i] += 1;
#pragma acc update self(a[0:N]) async(1)	/* CHECK queue-race a */
    sink += a[1];		/* CHECK queue-race a */
#pragma acc wait(1)
    sink += a[1];
  }
}

static void
upload_beside_the_host (double *a, double *b)
{
#pragma acc data copy(b[0:N]) create(a[0:N])
  {
#pragma acc update device(a[0:N]) async(1)	/* CHECK queue-race a */
#pragma acc parallel loop async(1)
    for (int i = 0; i < N; i++)
      b[i] += a[i];
    sink += a[2];
    a[2] = 1;			/* CHECK queue-race a */
#pragma acc wait(1)
    a[3] = 1;
  }
}

static void
freed_beside_an_upload (void)
{
  double *t = calloc (N, sizeof *t);

#pragma acc enter data create(t[0:N])
#pragma acc update device(t[0:N]) async(1)	/* CHECK queue-race t */
  free (t);			/* CHECK queue-race t */
#pragma acc wait(1)
#pragma acc exit data delete(t[0:N])
}

static void
freed_behind_an_upload (void)
{
  double *t = calloc (N, sizeof *t);

#pragma acc enter data create(t[0:N])
#pragma acc update device(t[0:N]) async(1)
#pragma acc wait(1)
#pragma acc exit data delete(t[0:N])
  free (t);
}

int
main (void)
{
  double *a = malloc (N * sizeof *a), *b = malloc (N * sizeof *b);

#define AFRESH() for (int i = 0; i < N; i++) a[i] = b[i] = i + 1
  AFRESH ();
  read_before_update (a);
  read_after_update (a);
  AFRESH ();
  read_beyond_update (a);
  AFRESH ();
  read_what_was_given_up (a);
  AFRESH ();
  sent_what_was_given_up (a, b);
  AFRESH ();
  scratch (b);
  staging (a, b);
  AFRESH ();
  written_and_not_sent (a, b);
  AFRESH ();
  copied_and_not_sent (a, b);
  prepared (a, b);
  AFRESH ();
  changed_and_overwritten (a);
  AFRESH ();
  download_beside_the_host (a);
  upload_beside_the_host (a, b);
  freed_beside_an_upload ();
  freed_behind_an_upload ();
  printf ("%d\n", sink > 0);
  return 0;
}
