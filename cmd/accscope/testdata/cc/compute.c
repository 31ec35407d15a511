/* Compute constructs, loops and reductions (OpenACC 3.3 2.5, 2.9, 2.12). */
#include "check.h"

#define STRING(x) #x
#define ACC(text) _Pragma (STRING (acc text))
#define REPEAT(n) ACC (parallel loop self(n > 100) vector_length(32)) \
  for (int i = 0; i < n; i++)

struct sums { int count; double all[2]; };

static void
conditions (void)
{
  int a[32], i, away = 0;

  for (i = 0; i < 32; i++)
    a[i] = i;
#pragma acc enter data copyin(a)
#pragma acc parallel loop self
  for (i = 0; i < 32; i++)
    a[i] += 1; /* on the host */
#pragma acc parallel loop self(a[0] != 1) copy(away)
  for (i = 0; i < 32; i++)
    a[i] += 10; /* on the device */
#pragma acc serial self(away == 0) if(away == 0)
  a[0] += 100;
  CHECK (a[0] == (SEPARATE ? 101 : 111));
#pragma acc exit data copyout(a)
  CHECK (a[0] == (SEPARATE ? 10 : 111) && a[31] == (SEPARATE ? 41 : 42));
  REPEAT (32)
    a[i] = i;
  { ACC (kernels loop self(a[1] == 1) copy(a)) for (i = 0; i < 32; i++) a[i]--; } CHECK (__LINE__ == 32);
  CHECK (a[31] == 30);
}

static void
loops (void)
{
  int m[6][5], i, j, count = 0, t[2], s = 0;

#pragma acc parallel num_gangs(3, 2) num_workers(2) copyout(m)
  {
#pragma acc loop gang(dim:2)
    for (i = 0; i < 6; i++)
      {
	int twice = 2 * i;
#pragma acc loop gang(dim:1) vector(32)
	for (j = 0; j < 5; j++)
	  m[i][j] = twice + j;
      }
  }
  for (i = 0; i < 6; i++)
    for (j = 0; j < 5; j++)
      CHECK (m[i][j] == 2 * i + j);
#pragma acc parallel loop gang collapse(force:2) copy(m) reduction(+:s)
  for (i = 0; i < 6; i++)
    {
      int more = i;
      for (j = 0; j < 5; j++)
	{
	  m[i][j] += more;
	  s++;
	}
    }
  for (i = 0; i < 6; i++)
    for (j = 0; j < 5; j++)
      CHECK (m[i][j] == 3 * i + j);
  CHECK (s == 30);
#pragma acc parallel loop gang worker(2) vector(64) copy(count)
  for (i = 0; i < 100; i++)
    {
#pragma acc atomic update if(i >= 0)
      count++;
    }
  CHECK (count == 100);
#pragma acc parallel loop private(t[0:2]) copy(count)
  for (i = 0; i < 10; i++)
    {
      t[0] = i;
#pragma acc atomic if(1)
      count += t[0];
    }
  CHECK (count == 145);
}

static void
reductions (void)
{
  int counts[4] = { 1, 0, 0, 0 }, i, j, extreme[2] = { 100, -100 };
  double *p = (double *) calloc (4, sizeof *p), part = 0;
  struct sums s = { 0, { 0, 0 } };

#pragma acc parallel loop gang vector reduction(+:counts)
  for (i = 0; i < 100; i++)
    counts[i % 4]++;
  CHECK (counts[0] == 26 && counts[3] == 25);
#pragma acc parallel copy(s)
#pragma acc loop reduction(+:s.count, part)
  for (i = 0; i < 100; i++)
    s.count++, part += 0.5;
  CHECK (s.count == 100 && part == 50);
#pragma acc parallel loop reduction(+:p[0:4])
  for (i = 0; i < 100; i++)
    p[i % 4] += 1;
  CHECK (p[0] == 25 && p[3] == 25);
#pragma acc kernels loop reduction(min:extreme[0:1])
  for (i = 10; i < 90; i++)
    if (i < extreme[0])
      extreme[0] = i;
  CHECK (extreme[0] == 10);
#pragma acc parallel loop gang copy(counts)
  for (i = 0; i < 4; i++)
    {
      int sums[2] = { 0, 0 };
#pragma acc loop vector reduction(+:sums)
      for (j = 0; j < 10; j++)
	sums[j % 2] += j;
      counts[i] = sums[0] + sums[1];
    }
  for (i = 0; i < 4; i++)
    CHECK (counts[i] == 45);
  free (p);
}

/* Gangs along dimensions that no loop is divided among do what there is redundantly (2.5.10).  */
static void
dimensions (void)
{
  int all = 0, outer = 0, a[4][6], i, j;

#pragma acc parallel num_gangs(2, 3) copy(all, outer) copyout(a)
  {
#pragma acc loop gang(dim: 2)
    for (i = 0; i < 4; i++)
      {
#pragma acc atomic
	outer++;
#pragma acc loop gang(dim: 1)
	for (j = 0; j < 6; j++)
	  a[i][j] = i * j;
      }
#pragma acc loop gang
    for (i = 0; i < 4; i++)
      {
#pragma acc atomic update
	all += 1;
      }
  }
  CHECK (all == 12 && outer == 8 && a[3][5] == 15);
}

#pragma acc routine seq
static int on_device (int x) { return x + 100; }
#pragma acc routine seq bind(on_device)
static int on_host (int x) { return x + 1; }

static void
bound (void)
{
  int a[8], i;

#pragma acc parallel loop copyout(a)
  for (i = 0; i < 8; i++)
    a[i] = on_host (i);
  CHECK (a[7] == (SEPARATE ? 107 : 8) && on_host (7) == 8); /* 2.15.1: on a device other than the host */
#pragma acc serial copyout(a) self
  a[7] = on_host (7);
  CHECK (a[7] == 8);
}

int
main (void)
{
  dimensions ();
  bound ();
  conditions ();
  loops ();
  reductions ();
  return 0;
}
