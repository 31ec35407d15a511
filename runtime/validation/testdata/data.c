/* Data clauses on every construct: OpenACC 3.3 sections 2.6 and 2.7.  */
#include "check.h"

#define N 128

static float global[N];
#pragma acc declare create(global)
static int table[4] = { 1, 2, 3, 4 };
#pragma acc declare copyin(table)
static float resident[N];
#pragma acc declare device_resident(resident)

static void
fill (float *a, float value)
{
  for (int i = 0; i < N; i++)
    a[i] = value + i;
}

static void
clauses_of_parallel (void)
{
  float in[N], out[N], both[N], scratch[N];
  fill (in, 1);
  fill (both, 2);
  fill (out, -1);
  fill (scratch, 7);
#pragma acc parallel copyin(in) copyout(out) copy(both) create(scratch)
  {
#pragma acc loop
    for (int i = 0; i < N; i++)
      {
	scratch[i] = in[i] * 2;
	in[i] = -5;
	out[i] = scratch[i];
	both[i] += 10;
      }
  }
  CHECK (ALL (N, out[i] == 2 * (1 + i)));
  CHECK (ALL (N, both[i] == 12 + i));
  if (discrete ())
    {
      CHECK (ALL (N, in[i] == 1 + i));
      CHECK (ALL (N, scratch[i] == 7 + i));
    }
  CHECK (!discrete () || !acc_is_present (in, sizeof in));
  CHECK (!discrete () || !acc_is_present (out, sizeof out));
}

static void
clauses_of_kernels_and_serial (void)
{
  float a[N], b[N];
  fill (a, 0);
  fill (b, 0);
#pragma acc kernels copyin(a) copyout(b)
  for (int i = 0; i < N; i++)
    b[i] = a[i] + 1;
  CHECK (ALL (N, b[i] == i + 1));
#pragma acc serial copy(b)
  for (int i = 1; i < N; i++)
    b[i] += b[i - 1];
  float sum = 0;
  for (int i = 0; i < N; i++)
    {
      sum += i + 1;
      CHECK (b[i] == sum);
    }
}

static void
implicit_attributes (void)
{
  float a[N];
  int scale = 3, result[1] = { 0 };
  fill (a, 0);
  /* Arrays are copied, scalars are firstprivate.  */
#pragma acc parallel loop
  for (int i = 0; i < N; i++)
    a[i] *= scale;
  CHECK (ALL (N, a[i] == 3 * i));
#pragma acc parallel copy(result)
  {
    scale += 1;
    result[0] = scale;
  }
  CHECK (result[0] == 4 && scale == 3);
  /* In kernels constructs scalars are copied.  */
  int last = 0;
#pragma acc kernels
  {
    last = 17;
  }
  CHECK (last == 17);
#pragma acc parallel loop default(present) copy(a)
  for (int i = 0; i < N; i++)
    a[i] += 1;
  CHECK (ALL (N, a[i] == 3 * i + 1));
#pragma acc parallel loop default(none) copy(a) firstprivate(scale)
  for (int i = 0; i < N; i++)
    a[i] += scale;
  CHECK (ALL (N, a[i] == 3 * i + 4));
}

static void
subarrays (int n)
{
  float *p = malloc (4 * N * sizeof *p);
  float square[N][N], (*rows)[N] = malloc (sizeof (float[N][N]));
  float vla[n][n];
  for (int i = 0; i < 4 * N; i++)
    p[i] = i;
#pragma acc parallel loop copy(p[N:N])
  for (int i = N; i < 2 * N; i++)
    p[i] = -p[i];
  for (int i = 0; i < 4 * N; i++)
    CHECK (p[i] == (i >= N && i < 2 * N ? -i : i));
  /* Part of what is present, through a pointer into its middle.  */
#pragma acc data copy(p[0:4*N])
  {
    float *middle = p + 2 * N;
#pragma acc parallel loop present(middle[0:N])
    for (int i = 0; i < N; i++)
      middle[i] = 5;
#pragma acc parallel loop copy(p[3*N:10])
    for (int i = 3 * N; i < 3 * N + 10; i++)
      p[i] = 6;
    if (discrete ())
      CHECK (p[3 * N] == 3 * N);
#pragma acc update self(p[2*N:8])
    CHECK (p[2 * N] == 5 && p[2 * N + 7] == 5);
    if (discrete ())
      CHECK (p[2 * N + 8] == 2 * N + 8);
  }
  CHECK (ALL (N, p[2 * N + i] == 5));
  CHECK (ALL (10, p[3 * N + i] == 6));
#pragma acc parallel loop collapse(2) copyout(square, rows[0:N]) copyout(vla)
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      {
	square[i][j] = i - j;
	rows[i][j] = i + j;
	if (i < n && j < n)
	  vla[i][j] = i * j;
      }
  int good = 1;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      good = good && square[i][j] == i - j && rows[i][j] == i + j && (i >= n || j >= n || vla[i][j] == i * j);
  CHECK (good);
#pragma acc data copy(square[2:3][0:N])
  {
#pragma acc parallel loop present(square[2:3][0:N])
    for (int j = 0; j < N; j++)
      square[3][j] = -1;
  }
  CHECK (ALL (N, square[3][i] == -1 && square[5][i] == 5 - i));
  free (p);
  free (rows);
}

static void
data_constructs (void)
{
  float a[N], b[N];
  fill (a, 0);
  fill (b, 0);
#pragma acc data copy(a) copyin(b)
  {
    CHECK (acc_is_present (a, sizeof a) && acc_is_present (b, sizeof b));
#pragma acc data copy(a)
    {
#pragma acc parallel loop present(a, b)
      for (int i = 0; i < N; i++)
	a[i] += b[i];
    }
    /* The inner construct only counted.  */
    CHECK (!discrete () || a[1] == 1);
#pragma acc update self(a[1:1])
    CHECK (a[1] == 2);
    a[2] = 100;
#pragma acc update device(a[2:1])
#pragma acc parallel loop present(a)
    for (int i = 0; i < N; i++)
      a[i] += 1;
  }
  CHECK (ALL (N, a[i] == (i == 2 ? 101 : 2 * i + 1)));
  CHECK (!discrete () || !acc_is_present (a, sizeof a));
  /* if and no_create.  */
#pragma acc data copy(a) if(0)
  CHECK (!discrete () || !acc_is_present (a, sizeof a));
#pragma acc data no_create(a)
  CHECK (!discrete () || !acc_is_present (a, sizeof a));
#pragma acc data copyin(a)
  {
#pragma acc parallel loop no_create(a)
    for (int i = 0; i < N; i++)
      a[i] = 0;
#pragma acc update self(a)
  }
  CHECK (ALL (N, a[i] == 0));
}

static void
dynamic_lifetimes (void)
{
  float *a = malloc (N * sizeof *a);
  fill (a, 0);
#pragma acc enter data copyin(a[0:N])
#pragma acc enter data create(a[0:N])
#pragma acc parallel loop present(a[0:N])
  for (int i = 0; i < N; i++)
    a[i] += 1;
#pragma acc exit data copyout(a[0:N])
  CHECK (acc_is_present (a, N * sizeof *a));
  CHECK (!discrete () || a[3] == 3);
#pragma acc exit data copyout(a[0:N])
  CHECK (!discrete () || !acc_is_present (a, N * sizeof *a));
  CHECK (ALL (N, a[i] == i + 1));
#pragma acc enter data copyin(a[0:N])
#pragma acc enter data copyin(a[0:N])
#pragma acc exit data delete(a[0:N]) finalize
  CHECK (!discrete () || !acc_is_present (a, 1));
  /* A structured lifetime inside a dynamic one and the other way round.  */
#pragma acc enter data copyin(a[0:N])
#pragma acc data copy(a[0:N])
  {
#pragma acc exit data delete(a[0:N])
    CHECK (acc_is_present (a, N * sizeof *a));
#pragma acc parallel loop present(a[0:N])
    for (int i = 0; i < N; i++)
      a[i] += 1;
  }
  CHECK (ALL (N, a[i] == i + 2));
  CHECK (!discrete () || !acc_is_present (a, 1));
  int no = 0;
#pragma acc enter data copyin(a[0:N]) if(no)
  CHECK (!discrete () || !acc_is_present (a, 1));
#pragma acc update self(a[0:N]) if_present
#pragma acc exit data copyout(a[0:N])
  CHECK (ALL (N, a[i] == i + 2));
  free (a);
}

static void
declared (void)
{
  for (int i = 0; i < N; i++)
    global[i] = i;
#pragma acc update device(global)
#pragma acc parallel loop present(global)
  for (int i = 0; i < N; i++)
    {
      resident[i] = global[i] * table[i % 4];
      global[i] = resident[i];
    }
#pragma acc update self(global)
  CHECK (ALL (N, global[i] == i * (1 + i % 4)));
  float local[N];
  for (int i = 0; i < N; i++)
    local[i] = i;
#pragma acc declare copy(local)
#pragma acc parallel loop present(local)
  for (int i = 0; i < N; i++)
    local[i] = 1;
#pragma acc update self(local)
  CHECK (ALL (N, local[i] == 1));
}

struct inner { int count; float *values; };
struct outer { double weight; struct inner part; float fixed[8]; struct inner *list; };

static void
structures (void)
{
  struct outer s = { .weight = 2, .part = { N, malloc (N * sizeof (float)) } };
  fill (s.part.values, 0);
  for (int i = 0; i < 8; i++)
    s.fixed[i] = i;
#pragma acc data copy(s) copy(s.part.values[0:N])
  {
#pragma acc parallel loop present(s)
    for (int i = 0; i < N; i++)
      s.part.values[i] = s.part.values[i] * 2 + s.fixed[i % 8];
  }
  CHECK (ALL (N, s.part.values[i] == 2 * i + i % 8));
  CHECK (s.part.count == N && s.weight == 2);
  float *kept = s.part.values;
#pragma acc enter data copyin(s)
#pragma acc enter data copyin(s.part.values[0:N])
#pragma acc parallel loop present(s)
  for (int i = 0; i < N; i++)
    s.part.values[i] = i;
#pragma acc exit data copyout(s.part.values[0:N])
#pragma acc exit data copyout(s)
  CHECK (s.part.values == kept);
  CHECK (ALL (N, s.part.values[i] == i));

  /* An array of structures, each with an array of its own.  */
  enum { PARTS = 5 };
  struct inner *list = calloc (PARTS, sizeof *list);
#pragma acc enter data create(list[0:PARTS])
  for (int p = 0; p < PARTS; p++)
    {
      list[p].count = p + 1;
      list[p].values = calloc (p + 1, sizeof (float));
#pragma acc update device(list[p].count)
#pragma acc enter data copyin(list[p].values[0:p+1])
    }
#pragma acc parallel loop present(list[0:PARTS])
  for (int p = 0; p < PARTS; p++)
    for (int j = 0; j < list[p].count; j++)
      list[p].values[j] = 10 * p + j;
  int good = 1;
  for (int p = 0; p < PARTS; p++)
    {
#pragma acc exit data copyout(list[p].values[0:p+1])
      for (int j = 0; j <= p; j++)
	good = good && list[p].values[j] == 10 * p + j;
      free (list[p].values);
    }
  CHECK (good);
#pragma acc exit data delete(list[0:PARTS])
  free (list);
  free (s.part.values);
}

static void
attach_clauses (void)
{
  struct inner s = { N, malloc (N * sizeof (float)) };
  fill (s.values, 0);
  float *data = s.values;
#pragma acc enter data copyin(s) copyin(data[0:N])
#pragma acc enter data attach(s.values)
#pragma acc parallel loop present(s)
  for (int i = 0; i < N; i++)
    s.values[i] += 1;
#pragma acc exit data detach(s.values)
#pragma acc exit data copyout(data[0:N])
#pragma acc exit data copyout(s)
  CHECK (s.values == data);
  CHECK (ALL (N, data[i] == i + 1));
  /* The same by the routines.  */
  acc_copyin (&s, sizeof s);
  acc_copyin (data, N * sizeof *data);
  acc_attach ((void **) &s.values);
#pragma acc parallel loop present(s)
  for (int i = 0; i < N; i++)
    s.values[i] += 1;
  acc_detach ((void **) &s.values);
  acc_copyout (data, N * sizeof *data);
  acc_copyout (&s, sizeof s);
  CHECK (s.values == data);
  CHECK (ALL (N, data[i] == i + 2));
  free (data);
}

static void
device_pointers (void)
{
  float *h = malloc (N * sizeof *h), *d = acc_malloc (N * sizeof *d);
  fill (h, 0);
  acc_memcpy_to_device (d, h, N * sizeof *h);
#pragma acc parallel loop deviceptr(d)
  for (int i = 0; i < N; i++)
    d[i] *= 2;
#pragma acc data deviceptr(d)
  {
#pragma acc parallel loop
    for (int i = 0; i < N; i++)
      d[i] += 1;
  }
  acc_memcpy_from_device (h, d, N * sizeof *h);
  CHECK (ALL (N, h[i] == 2 * i + 1));
  if (discrete ())
    {
      acc_map_data (h, d, N * sizeof *h);
#pragma acc parallel loop present(h[0:N])
      for (int i = 0; i < N; i++)
	h[i] = 4;
      acc_unmap_data (h);
      CHECK (ALL (N, h[i] == 2 * i + 1));
      acc_memcpy_from_device (h, d, N * sizeof *h);
      CHECK (ALL (N, h[i] == 4));
    }
  acc_free (d);
#pragma acc enter data copyin(h[0:N])
  float *inside = NULL, *outside = h;
#pragma acc host_data use_device(h)
  inside = h;
  CHECK (inside == acc_deviceptr (outside));
  CHECK (!discrete () || inside != outside);
  inside = NULL;
#pragma acc host_data use_device(h) if(0)
  inside = h;
  CHECK (inside == outside);
#pragma acc exit data delete(h[0:N])
#pragma acc host_data use_device(h) if_present
  inside = h;
  CHECK (inside == outside);
  free (h);
}

static void
corner_cases (void)
{
  float a[4] = { 0 }, *null = NULL;
  int none = 0;
  /* Zero lengths and null pointers are no data.  */
#pragma acc enter data copyin(a[0:none])
#pragma acc exit data delete(a[0:none])
  CHECK (a[0] == 0);
#pragma acc data copy(null[0:none])
  CHECK (null == NULL);
  int many[1000];
#pragma acc parallel loop copyout(many[0:1000]) if(1)
  for (int i = 0; i < 1000; i++)
    many[i] = i;
  CHECK (ALL (1000, many[i] == i));
#pragma acc parallel loop copy(many[999:1])
  for (int i = 999; i < 1000; i++)
    many[i] = -1;
  CHECK (many[998] == 998 && many[999] == -1);
  char byte = 'a';
  long double wide = 1;
  _Bool flag = 0;
#pragma acc parallel copy(byte, wide, flag)
  {
    byte = 'b';
    wide = wide * 3;
    flag = 1;
  }
  CHECK (byte == 'b' && wide == 3 && flag == 1);
}

/* Where two names of an update mean the same memory, its clauses' order counts.  */
static void
updates_of_aliases (void)
{
  if (!discrete ())
    return;
  for (int queue = acc_async_sync; queue < 2; queue += 3)
    for (int self_first = 0; self_first < 2; self_first++)
      {
	int x[4], *p = x, *q = x;
#pragma acc enter data create(x)
#pragma acc parallel loop present(x)
	for (int i = 0; i < 4; i++)
	  x[i] = 10 * (i + 1);
	for (int i = 0; i < 4; i++)
	  x[i] = i + 1;
	if (self_first)
	  {
#pragma acc update self(p[0:3]) device(q[1:2]) async(queue)
	  }
	else
	  {
#pragma acc update device(q[1:2]) self(p[0:3]) async(queue)
	  }
#pragma acc wait
	CHECK (x[0] == 10 && x[1] == (self_first ? 20 : 2) && x[2] == (self_first ? 30 : 3) && x[3] == 4);
#pragma acc exit data copyout(x)
	CHECK (x[0] == 10 && x[1] == (self_first ? 20 : 2) && x[2] == (self_first ? 30 : 3) && x[3] == 40);
      }
}

int
main (void)
{
  clauses_of_parallel ();
  clauses_of_kernels_and_serial ();
  implicit_attributes ();
  subarrays (17);
  data_constructs ();
  dynamic_lifetimes ();
  declared ();
  structures ();
  attach_clauses ();
  device_pointers ();
  corner_cases ();
  updates_of_aliases ();
  return report ();
}
