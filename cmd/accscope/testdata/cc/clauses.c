/* Clauses in forms that take more than another word: private sections of pointers (OpenACC 3.3 2.9.10), sections
   that regions around a construct name (2.6.2), 3.4's always, variables that two clauses name.  */
#include "check.h"

static void
private_sections (int n)
{
  int *p = (int *) malloc (n * sizeof *p), r[8], s[4][4], i, j, k;

  for (k = 0; k < n; k++)
    p[k] = 77;
#pragma acc parallel loop gang private(p[0:n]) copyout(r)
  for (i = 0; i < 8; i++)
    {
      int sum = 0;
      for (k = 0; k < n; k++)
	p[k] = i;
      for (k = 0; k < n; k++)
	sum += p[k];
      r[i] = sum;
    }
#pragma acc parallel copyout(s)
  {
#pragma acc loop collapse(2) private(p[1:2])
    for (i = 0; i < 4; i++)
      for (j = 0; j < 4; j++)
	s[i][j] = (p[1] = i) + (p[2] = j);
  }
#pragma acc parallel private(p[0:1]) num_gangs(1) copy(r)
  r[0] += p[0] = 5;
  CHECK (r[0] == 5 && r[7] == 7 * n && s[3][2] == 5);
  for (k = 0; k < n; k++)
    CHECK (p[k] == 77);
}

static void
sections (int n)
{
  int a[100], m[4][5], *p = (int *) malloc (100 * sizeof *p), i, g = 7;

  for (i = 0; i < 100; i++)
    a[i] = p[i] = i;
  for (i = 0; i < 20; i++)
    m[i / 5][i % 5] = -1;
#pragma acc data copy(a[10:n], p[20:n])
  {
#pragma acc parallel loop
    for (i = 0; i < n; i++)
      a[10 + i] += p[20 + i];
#pragma acc kernels present(p[20:n])
    for (i = 0; i < n; i++)
      p[20 + i]++;
  }
  CHECK (a[9] == 9 && a[10] == 30 && a[10 + n] == 10 + n && p[20] == 21 && p[19] == 19);
#pragma acc data copyout(zero: p[2:10]) create(zero: m[1:2]) copy(g)
  {
#pragma acc parallel
    g = m[1][1];
  }
  CHECK (g == (SEPARATE ? 0 : -1) && p[2] == (SEPARATE ? 0 : 2) && p[12] == 12);
#pragma acc data copy(a[10:n], p[20:n]) if(n > 3)
  {
#pragma acc parallel loop
    for (i = 0; i < n; i++)
      a[10 + i] = p[20 + i] = i;
  }
  CHECK (a[10] == 0 && a[59] == 49 && p[69] == 49);
}

struct pair { float *x, *y; int n; };

/* Rows, members and what they lead to in regions, under conditions, and zeroed.  */
static void
regions (int n)
{
  struct { int n, v[16]; } s;
  int *rows[4], i;
  struct pair t, *q = &t;

  q->x = (float *) malloc (16 * sizeof *q->x);
  for (i = 0; i < 16; i++)
    {
      if (i % 4 == 0)
	rows[i / 4] = (int *) malloc (4 * sizeof *rows[0]);
      s.v[i] = rows[i / 4][i % 4] = q->x[i] = -1;
    }
#pragma acc data copy(s.v[4:8])
  {
#pragma acc parallel loop
    for (i = 4; i < 12; i++)
      s.v[i] = i;
  }
  CHECK (s.v[3] == -1 && s.v[4] == 4 && s.v[11] == 11 && s.v[12] == -1);
#pragma acc enter data copyin(q[0:1])
#pragma acc data copyout(rows[0:4][0:4]) copy(q->x[0:16]) if(n > 3)
  {
#pragma acc parallel loop present(q[0:1])
    for (i = 0; i < 16; i++)
      rows[i / 4][i % 4] = q->x[i] = i;
    n = 0;
  }
  CHECK (rows[3][3] == 15 && q->x[15] == 15);
#pragma acc parallel loop copyout(zero: rows[0:4][0:4], q->x[0:16])
  for (i = 0; i < 16; i += 2)
    rows[i / 4][i % 4] = q->x[i] = 2 * i;
  CHECK (rows[3][2] == 28 && rows[3][3] == (SEPARATE ? 0 : 15) && q->x[14] == 28 && q->x[15] == (SEPARATE ? 0 : 15));
#pragma acc exit data delete(q[0:1])
}

static void
members (struct pair *q)
{
  int i;

#pragma acc enter data copyin(q[0:1])
#pragma acc enter data copyin(q->x[0:16]) create(q->y[0:16])
#pragma acc parallel loop present(q, q->x[0:16], q->y[0:16])
  for (i = 0; i < q->n; i++)
    q->y[i] = 3 * q->x[i];
#pragma acc exit data copyout(q->y[0:16]) delete(q->x[0:16])
#pragma acc exit data delete(q[0:1])
  for (i = 0; i < 16; i++)
    CHECK (q->y[i] == 3 * i);
}

static void
always (void)
{
  int a[4] = { 1, 2, 3, 4 };

#pragma acc enter data copyin(a)
  a[0] = 10;
#pragma acc parallel copyin(always: a)
  a[0] += 1;
#pragma acc update self(a)
  CHECK (a[0] == 11);
  a[1] = 20;
#pragma acc data copy(always: a)
  {
#pragma acc parallel present(a)
    a[1] += 1;
  }
  CHECK (a[1] == 21);
#pragma acc serial copyout(alwaysout: a) async(1)
  a[2] = 30;
#pragma acc wait(1)
  CHECK (a[2] == 30);
  a[3] = 40;
#pragma acc enter data copyin(alwaysin: a)
  a[3] = 0;
#pragma acc exit data copyout(always: a)
  CHECK (a[3] == (SEPARATE ? 40 : 0));
#pragma acc exit data delete(a)
}

static void
twice (void)
{
  int a[4] = { 1, 1, 1, 1 }, b[4], i;

#pragma acc parallel loop present_or_copy(a) pcreate(b) pcopyin(b) copyin(a) copyout(b)
  for (i = 0; i < 4; i++)
    {
      b[i] = 2;
      a[i] += b[i];
    }
  CHECK (a[3] == 3 && b[3] == 2);
#pragma acc data create(a) copyin(a[0:1], a[3:1]) copyout(a)
#pragma acc parallel loop copyout(b) copy(b[1:2])
  for (i = 0; i < 4; i++)
    b[i] = a[i] = 5;
  CHECK (a[3] == 5 && b[3] == 5);
}

int
main (void)
{
  struct pair s;
  int i;

  s.n = 16;
  s.x = (float *) malloc (16 * sizeof *s.x);
  s.y = (float *) malloc (16 * sizeof *s.y);
  for (i = 0; i < 16; i++)
    s.x[i] = i;
  private_sections (4);
  sections (50);
  members (&s);
  regions (16);
  always ();
  twice ();
  return 0;
}
