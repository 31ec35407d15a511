/* Members of structures in data clauses (OpenACC 3.3 sections 2.7.1 and 2.7.2): a
   section behind a pointer member is data of its own; the pointer is attached where it
   is present, and no more.  */
#include "check.h"

#define N 16

struct record
{
  int n;
  double *a;
  float *b;
  double x;
};

static struct record s;

static void
fill (void)
{
  s.n = N;
  s.x = 3;
  for (int i = 0; i < N; i++)
    {
      s.a[i] = i;
      s.b[i] = 2 * i;
    }
}

static double
sum_of_record (void)
{
  double sum = 0;
#pragma acc parallel loop present(s) reduction(+:sum)
  for (int i = 0; i < N; i++)
    sum += s.a[i] * s.n;
  return sum;
}

/* enter data copyin(s.a[0:n]) makes no part of s present.  */
static void
section_before_structure (void)
{
#pragma acc enter data copyin(s.a[0:N])
  CHECK (acc_is_present (s.a, N * sizeof *s.a));
  CHECK (!discrete () || !acc_is_present (&s.a, sizeof s.a));
#pragma acc enter data copyin(s)
  CHECK (acc_is_present (&s, sizeof s));
#pragma acc enter data attach(s.a)
  CHECK (sum_of_record () == N * N * (N - 1) / 2);
#pragma acc exit data detach(s.a)
  /* Not the structure's: that has one reference, by its own name.  */
#pragma acc exit data delete(s.a[0:N])
  CHECK (!discrete () || !acc_is_present (s.a, N * sizeof *s.a));
  CHECK (acc_is_present (&s, sizeof s));
#pragma acc exit data delete(s)
  CHECK (!discrete () || !acc_is_present (&s.n, sizeof s.n));
}

static void
section_after_structure (int finalize)
{
#pragma acc enter data copyin(s)
#pragma acc enter data copyin(s.a[0:N]) copyin(s.b[2:4])
  CHECK (sum_of_record () == N * N * (N - 1) / 2);
  if (finalize)
    {
#pragma acc exit data delete(s.a[0:N], s.b[2:4]) finalize
    }
  else
    {
#pragma acc exit data delete(s.a[0:N], s.b[2:4])
    }
  CHECK (!discrete () || !acc_is_present (s.a, sizeof *s.a));
  CHECK (acc_is_present (&s, sizeof s));
#pragma acc exit data delete(s)
  CHECK (!discrete () || !acc_is_present (&s.n, sizeof s.n));
}

/* Of values and sections together a part of the structure is made, with its pointers.  */
static void
values_and_sections (void)
{
  double sum = 0;
#pragma acc enter data copyin(s.n, s.x, s.a[0:N])
  CHECK (acc_is_present (&s.n, sizeof s.n) && acc_is_present (&s.x, sizeof s.x));
#pragma acc parallel loop present(s.n, s.a[0:N], s.x) reduction(+:sum)
  for (int i = 0; i < N; i++)
    sum += s.a[i] * s.n + s.x;
  CHECK (sum == N * (N * (N - 1) / 2 + s.x));
#pragma acc exit data delete(s.n, s.x, s.a[0:N])
  CHECK (!discrete () || (!acc_is_present (&s.n, sizeof s.n) && !acc_is_present (s.a, sizeof *s.a)));
}

static void
values_alone (void)
{
#pragma acc enter data copyin(s.x)
#pragma acc enter data copyin(s.a[0:N])
  CHECK (acc_is_present (&s.x, sizeof s.x));
  CHECK (!discrete () || !acc_is_present (&s.a, sizeof s.a));
#pragma acc exit data delete(s.a[0:N])
#pragma acc exit data delete(s.x)
  CHECK (!discrete () || !acc_is_present (&s.x, sizeof s.x));
}

/* Compute constructs that name the section make what their kernel needs.  */
static void
sections_in_kernels (void)
{
  double sum = 0, of_section = 0;
#pragma acc enter data copyin(s.a[0:N])
#pragma acc parallel loop present(s.a[0:N]) reduction(+:sum)
  for (int i = 0; i < N; i++)
    sum += s.a[i];
#pragma acc parallel loop copy(s.a[0:N]) reduction(+:of_section)
  for (int i = 0; i < N; i++)
    of_section += s.a[i];
#pragma acc exit data delete(s.a[0:N])
  CHECK (sum == N * (N - 1) / 2 && of_section == sum);
}

/* A data construct makes the pointer present, too, as long as it lasts.  */
static void
sections_of_data_constructs (void)
{
  double sum = 0;
#pragma acc data copyin(s.a[0:N])
  {
    CHECK (acc_is_present (&s.a, sizeof s.a));
#pragma acc parallel loop present(s.a) reduction(+:sum)
    for (int i = 0; i < N; i++)
      sum += s.a[i];
  }
  CHECK (sum == N * (N - 1) / 2);
  CHECK (!discrete () || !acc_is_present (&s.a, sizeof s.a));
}

/* The pointer of a section that was entered is made for a construct that names it.  */
static void
pointers_to_sections (void)
{
  double before = s.a[3];
  for (int k = 0; k < 3; k++)
    {
#pragma acc enter data copyin(s.a[0:N])
#pragma acc parallel present(s.a)
      s.a[3] += 1;
#pragma acc exit data copyout(s.a[0:N])
      CHECK (!discrete () || !acc_is_present (&s.a, sizeof s.a));
    }
  CHECK (s.a[3] == before + 3);
  s.a[3] = before;
}

/* What is absent is neither attached nor detached, and no error.  */
static void
absent_pointers (void)
{
#pragma acc enter data copyin(s.a[0:N])
#pragma acc enter data attach(s.a)
#pragma acc exit data detach(s.a)
#pragma acc exit data detach(s.a) finalize
  acc_attach ((void **) &s.a);
  acc_detach ((void **) &s.a);
  acc_detach_finalize ((void **) &s.a);
#pragma acc exit data delete(s.a[0:N])
#pragma acc exit data delete(s.a[0:N])
  CHECK (!discrete () || !acc_is_present (s.a, sizeof *s.a));
}

/* What is absent the kernel gets where it is on the host, which sim's kernels reach.  */
static void
members_not_created (void)
{
  double x = 0;
  for (int k = 0; k < 2; k++)
    {
#pragma acc parallel no_create(s.x, s.n) copy(x)
      x += s.x * s.n;
    }
  CHECK (x == 2 * 3 * N);
  for (int k = 0; k < 2; k++)
    {
#pragma acc parallel no_create(s.a[0:N]) copy(x)
      x += s.a[k + 2];
    }
  CHECK (x == 2 * 3 * N + 2 + 3);
#pragma acc data no_create(s.x)
  CHECK (!discrete () || !acc_is_present (&s.x, sizeof s.x));
#pragma acc enter data copyin(s.x)
#pragma acc parallel no_create(s.x) copy(x)
  x = s.x++;
  CHECK (x == 3);
#pragma acc exit data copyout(s.x)
  CHECK (s.x == 4);
  s.x = 3;
}

int
main (void)
{
  s.a = malloc (N * sizeof *s.a);
  s.b = malloc (N * sizeof *s.b);
  fill ();
  section_before_structure ();
  section_after_structure (0);
  section_after_structure (1);
  values_and_sections ();
  values_alone ();
  sections_in_kernels ();
  sections_of_data_constructs ();
  pointers_to_sections ();
  absent_pointers ();
  members_not_created ();
  return report ();
}
