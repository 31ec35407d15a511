/* Data constructs and clauses (OpenACC 3.3 2.6.5, 2.7). */
#include "check.h"

struct grid { int n; double *p; };

static void
asynchronous (void)
{
  int a[64], b[64], i, *p = a, *q = b;

  for (i = 0; i < 64; i++)
    a[i] = i, b[i] = 0;
#pragma acc parallel loop async(3) copyout(b)
  for (i = 0; i < 64; i++)
    b[i] = 5;
  if (p)
#pragma acc data copyin(p[0:64]) copy(q[0:64]) async(3) wait(1, 2) default(present)
  {
    int *swap = p;
#pragma acc parallel loop async(3)
    for (i = 0; i < 64; i++)
      q[i] += p[i];
    p = q, q = swap;
  }
  else
    exit (1);
  for (i = 0; i < 64; i++)
    CHECK (b[i] == i + 5);
#pragma acc data default(none)
  {
#pragma acc parallel loop copy(a)
    for (i = 0; i < 64; i++)
      a[i]++;
  }
  CHECK (a[3] == 4);
}

static void
zeroed (void)
{
  double *z = (double *) malloc (80);
  int i, seen = 0, m[4][4];

  for (i = 0; i < 10; i++)
    z[i] = 7;
#pragma acc data copyout(zero: z[0:10])
  {
#pragma acc parallel loop present(z)
    for (i = 0; i < 5; i++)
      z[i] += 1;
  }
  CHECK (z[3] == (SEPARATE ? 1 : 8) && z[8] == (SEPARATE ? 0 : 7));
#pragma acc enter data create(zero: z[2:4])
#pragma acc update self(z[2:4])
  CHECK (z[1] == 8 || z[1] == 1);
  CHECK (z[5] == (SEPARATE ? 0 : 7) && z[2] == (SEPARATE ? 0 : 8));
  z[2] = 3;
#pragma acc update device(z[2:4])
#pragma acc parallel loop create(zero: z[2:4]) reduction(+: seen)
  for (i = 2; i < 6; i++)
    seen += (int) z[i];
  CHECK (seen >= 3); /* was there already */
#pragma acc exit data delete(z[2:4])
#pragma acc parallel copyout(zero: m)
  m[1][1] = 1;
  CHECK (m[1][1] == 1);
  if (SEPARATE)
    CHECK (m[0][0] == 0 && m[3][3] == 0);
  z[3] = 7;
#pragma acc data copyout(zero: z[0:10]) if(seen > 0)
#pragma acc kernels create(zero: m) copyout(zero: z[0:10]) if(seen > 0) self(seen < 0)
  z[4] = 1;
  CHECK (z[4] == 1 && z[3] == (SEPARATE ? 0 : 7));
#pragma acc enter data create(zero: z[0:10]) if(seen < 0)
  CHECK (!SEPARATE || !acc_is_present (z, 80));
  free (z);
}

static int fixed[4];
#pragma acc declare create(zero: fixed)

static int
zeroed_by_declare (void)
{
  int v[4], s = 0;
#pragma acc declare create(zero: v) create(s)

#pragma acc serial copyout(s)
  {
    s = v[0] + v[3] + fixed[2];
    v[0] = 3;
  }
#pragma acc update self(v)
  return SEPARATE ? s + 10 * v[0] : 30;
}

static void
members (void)
{
  struct grid g, *gp = &g;
  int i;

  g.n = 10;
  g.p = (double *) malloc (80);
  for (i = 0; i < 10; i++)
    g.p[i] = i;
#pragma acc data copy(gp[0:1]) copy(gp->p[0:10])
  {
#pragma acc parallel loop present(gp)
    for (i = 0; i < 10; i++)
      gp->p[i] += 1;
  }
  for (i = 0; i < 10; i++)
    CHECK (g.p[i] == i + 1);
  free (g.p);
}

static void
modified (void)
{
  int a[8], b[8], i;

  for (i = 0; i < 8; i++)
    a[i] = i, b[i] = 0;
#pragma acc parallel loop copyin(readonly: a) copyout(b) copyin(a)
  for (i = 0; i < 8; i++)
    {
#pragma acc cache(readonly: a[i:1])
      b[i] = a[i];
    }
  CHECK (b[7] == 7);
#pragma acc parallel loop copyin(a) copyout(a)
  for (i = 0; i < 8; i++)
    a[i] *= 2;
  CHECK (a[7] == 14);
}

static void
updated (void)
{
  int m[8][8], i, j;

  for (i = 0; i < 8; i++)
    for (j = 0; j < 8; j++)
      m[i][j] = 1;
#pragma acc enter data copyin(m)
#pragma acc parallel loop collapse(2) present(m)
  for (i = 0; i < 8; i++)
    for (j = 0; j < 8; j++)
      m[i][j] = 2;
#pragma acc update self(m[2:3][1:4]) async(1)
#pragma acc wait(1)
  for (i = 0; i < 8; i++)
    for (j = 0; j < 8; j++)
      CHECK (m[i][j] == (!SEPARATE || (i >= 2 && i < 5 && j >= 1 && j < 5) ? 2 : 1));
#pragma acc update self(m[6:2][0:8])
  CHECK (m[6][0] == 2 && m[7][7] == 2);
#pragma acc exit data delete(m)
}

static void
rows (void)
{
  double **r = (double **) malloc (4 * sizeof *r);
  int i, j, n = 4;

  for (i = 0; i < 4; i++)
    {
      r[i] = (double *) malloc (8 * sizeof **r);
      for (j = 0; j < 8; j++)
	r[i][j] = i + j;
    }
#pragma acc parallel loop copy(r[0:n][0:8])
  for (i = 0; i < 4; i++)
    for (int k = 0; k < 8; k++)
      r[i][k] += 1;
  CHECK (r[3][7] == 11 && r[0][0] == 1);
#pragma acc data copy(r[0:n][2:4]) async(1)
  {
    n = 0;
#pragma acc parallel loop present(r[0:4]) async(1)
    for (i = 0; i < 4; i++)
      r[i][3] = -1;
  }
  CHECK (r[3][3] == -1 && r[3][4] == 8);
  n = 4;
#pragma acc enter data copyin(r[0:n][0:8])
#pragma acc parallel loop present(r[0:n])
  for (i = 0; i < 4; i++)
    r[i][0] = 50;
#pragma acc exit data copyout(r[0:n][0:8])
  CHECK (r[2][0] == 50 && r[2][1] == 4);
  for (i = 0; i < 4; i++)
    free (r[i]);
  free (r);
}

/* Elements of an array of pointers, and several sections of a variable. */
static void
elements (void)
{
  int *rows[4], m[8][8], i, j, sizes[4] = { 5, 6, 7, 8 };

  for (i = 0; i < 4; i++)
    rows[i] = (int *) calloc (sizes[i], sizeof (int));
#pragma acc enter data copyin(rows, sizes) create(m)
  for (i = 0; i < 4; i++)
    {
#pragma acc enter data copyin(rows[i:1][0:sizes[i]])
    }
#pragma acc parallel loop present(rows, sizes, m)
  for (i = 0; i < 4; i++)
    for (j = 0; j < sizes[i]; j++)
      rows[i][j] = m[i][j] = m[i + 4][j] = 10 * i + j;
#pragma acc update self(m[0:1][1:2], m[5:2][0:4], m[1][0:1]) async(1)
#pragma acc wait(1)
  CHECK (m[0][2] == 2 && m[6][3] == 23 && m[1][0] == 10);
  for (i = 0; i < 4; i++)
    {
#pragma acc exit data copyout(rows[i][0:sizes[i]])
    }
#pragma acc exit data delete(rows, sizes, m)
  CHECK (rows[3][7] == 37 && rows[0][4] == 4);
  for (i = 0; i < 4; i++)
    free (rows[i]);
}

int
main (void)
{
  asynchronous ();
  zeroed ();
  elements ();
  CHECK (zeroed_by_declare () == 30);
  members ();
  modified ();
  updated ();
  rows ();
  return 0;
}
