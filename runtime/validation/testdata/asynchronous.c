/* Asynchronous constructs and the routines of chapter 3 (OpenACC 3.3 sections 2.16
   and 3.2).  */
#include "check.h"
#include <pthread.h>

#define N 4096
#define BYTES (N * sizeof (int))

static void
set (int *a, int value)
{
  for (int i = 0; i < N; i++)
    a[i] = value;
}

static void
queues (void)
{
  int *a = malloc (BYTES), *b = malloc (BYTES), *c = malloc (BYTES);
  set (a, 1);
  set (b, 2);
  set (c, 0);
#pragma acc enter data copyin(a[0:N], b[0:N]) create(c[0:N]) async(1)
#pragma acc parallel loop present(a[0:N]) async(1)
  for (int i = 0; i < N; i++)
    a[i] += i;
#pragma acc parallel loop present(a[0:N], b[0:N], c[0:N]) async(2) wait(1)
  for (int i = 0; i < N; i++)
    c[i] = a[i] * b[i];
#pragma acc update self(c[0:N]) async(2)
#pragma acc wait(2)
  CHECK (ALL (N, c[i] == 2 * (i + 1)));
  CHECK (acc_async_test (2) && acc_async_test (1));
#pragma acc update device(b[0:N]) async(5)
#pragma acc wait(1, 5) async(6)
#pragma acc exit data copyout(a[0:N]) delete(b[0:N], c[0:N]) async(6)
  acc_wait (6);
  CHECK (ALL (N, a[i] == i + 1));
  CHECK (!discrete () || !acc_is_present (a, BYTES));
  /* A chain over many queues.  */
  set (a, 0);
#pragma acc data copy(a[0:N])
  {
    for (int q = 0; q < 40; q++)
      {
#pragma acc parallel loop present(a[0:N]) async(q) wait(q ? q - 1 : 0)
	for (int i = 0; i < N; i++)
	  a[i] = 2 * (a[i] % 1000) + 1;
      }
#pragma acc wait
  }
  int want = 0;
  for (int q = 0; q < 40; q++)
    want = 2 * (want % 1000) + 1;
  CHECK (ALL (N, a[i] == want));
  CHECK (acc_async_test_all ());
  /* Independent work, then one wait.  */
  int parts[8][64];
  for (int q = 0; q < 8; q++)
    {
      int *part = parts[q];
#pragma acc parallel loop copyout(part[0:64]) async(q + 100)
      for (int i = 0; i < 64; i++)
	part[i] = q * i;
    }
  acc_wait_all ();
  for (int q = 0; q < 8; q++)
    CHECK (ALL (64, parts[q][i] == q * i));
  int x = 5;
#pragma acc parallel firstprivate(x) copyout(c[0:N]) async(1)
  {
#pragma acc loop
    for (int i = 0; i < N; i++)
      c[i] = x;
  }
  x = 6;
#pragma acc wait(1)
  CHECK (ALL (N, c[i] == 5));
#pragma acc parallel loop copy(c[0:N]) async
  for (int i = 0; i < N; i++)
    c[i]++;
#pragma acc wait(acc_async_noval)
  CHECK (ALL (N, c[i] == 6));
  int on = 0;
#pragma acc kernels copy(c[0:N]) async(3)
  for (int i = 0; i < N; i++)
    c[i]++;
#pragma acc wait(3)
#pragma acc serial copy(on) wait(3) async(4)
  on = 1;
  acc_wait (4);
  CHECK (on == 1 && ALL (N, c[i] == 7));
  free (a);
  free (b);
  free (c);
}

static void
queue_routines (void)
{
  int *a = malloc (BYTES), list[3] = { 11, 12, 13 };
  set (a, 3);
  int initial = acc_get_default_async ();
  acc_set_default_async (9);
  CHECK (acc_get_default_async () == 9);
#pragma acc parallel loop copy(a[0:N]) async
  for (int i = 0; i < N; i++)
    a[i]++;
  acc_wait (9);
  CHECK (ALL (N, a[i] == 4));
  acc_set_default_async (acc_async_default);
  CHECK (acc_get_default_async () == initial);
  acc_copyin_async (a, BYTES, 11);
  acc_wait_async (11, 12);
  acc_update_self_async (a, BYTES, 12);
  acc_wait_all_async (13);
  int any = acc_wait_any (3, list);
  CHECK (any >= 0 && any < 3);
  acc_wait_device (11, acc_get_device_num (acc_get_device_type ()));
  acc_wait_all_device (0);
  CHECK (acc_async_test_device (12, 0) && acc_async_test_all_device (0));
  acc_copyout_async (a, BYTES, 11);
  acc_async_wait (11);
  acc_async_wait_all ();
  CHECK (!discrete () || !acc_is_present (a, 1));
  CHECK (acc_async_test (1000));
  free (a);
}

static void
devices (void)
{
  acc_device_t type = acc_get_device_type ();
  CHECK (acc_get_num_devices (type) > 0);
  CHECK (acc_get_num_devices (acc_device_host) == 1);
  acc_set_device_num (0, type);
  CHECK (acc_get_device_num (type) == 0);
  acc_set_device_type (type);
  CHECK (acc_get_device_type () == type);
  acc_init (type);
  acc_init (type);
  acc_init_device (0, type);
  CHECK (acc_get_property_string (0, type, acc_property_name) != NULL);
  CHECK (acc_get_property_string (0, type, acc_property_vendor) != NULL);
  CHECK (acc_get_property_string (0, type, acc_property_driver) != NULL);
  if (discrete ())
    {
      size_t before = acc_get_property (0, type, acc_property_free_memory);
      void *d = acc_malloc (1 << 20);
      size_t after = acc_get_property (0, type, acc_property_free_memory);
      CHECK (before <= acc_get_property (0, type, acc_property_memory));
      CHECK (before - after >= 1 << 20);
      acc_free (d);
      CHECK (acc_get_property (0, type, acc_property_free_memory) == before);
      CHECK (acc_get_property (0, type, acc_property_shared_memory_support) == 0);
    }
  acc_free (NULL);
  CHECK (acc_on_device (acc_device_host) && !acc_on_device (acc_device_not_host));
  int host, not_host, current;
#pragma acc parallel copyout(host, not_host, current)
  {
    host = acc_on_device (acc_device_host);
    not_host = acc_on_device (acc_device_not_host);
    current = acc_on_device (type);
  }
  CHECK (!host == discrete () && !not_host != discrete () && current);
  /* The other device and back.  */
  int a[64];
  acc_set_device_type (acc_device_host);
#pragma acc parallel loop copyout(a)
  for (int i = 0; i < 64; i++)
    a[i] = i;
  CHECK (ALL (64, a[i] == i) && acc_get_device_type () == acc_device_host);
  acc_set_device_type (type);
#pragma acc parallel loop copy(a)
  for (int i = 0; i < 64; i++)
    a[i]++;
  CHECK (ALL (64, a[i] == i + 1));
  acc_shutdown (type);
#pragma acc parallel loop copy(a)
  for (int i = 0; i < 64; i++)
    a[i]++;
  CHECK (ALL (64, a[i] == i + 2));
}

static void
data_routines (void)
{
  int *a = malloc (BYTES), *b = malloc (BYTES);
  set (a, 1);
  set (b, 2);
  int *d = acc_copyin (a, BYTES);
  CHECK (d == acc_deviceptr (a) && acc_hostptr (d) == a);
  CHECK (acc_deviceptr (a + 10) == d + 10 && acc_hostptr (d + 10) == a + 10);
  CHECK (acc_copyin (a, BYTES) == d && acc_create (a + 5, 20) == d + 5);
  CHECK (acc_present_or_copyin (a, BYTES) == d && acc_pcopyin (a, 4) == d && acc_pcreate (a, 4) == d);
  CHECK (acc_is_present (a, BYTES) && acc_is_present (a + N - 1, 4));
  CHECK (!discrete () || !acc_is_present (a, BYTES + 1));
#pragma acc parallel loop deviceptr(d)
  for (int i = 0; i < N; i++)
    d[i] = i;
  acc_update_self (a + 100, 10 * sizeof *a);
  CHECK (ALL (10, a[100 + i] == 100 + i));
  CHECK (!discrete () || (a[99] == 1 && a[110] == 1));
  a[0] = 77;
  acc_update_device (a, sizeof *a);
  acc_copyout (a, BYTES);
  CHECK (acc_is_present (a, BYTES));
  acc_copyout_finalize (a, BYTES);
  CHECK (!discrete () || !acc_is_present (a, 1));
  CHECK (a[0] == 77 && a[N - 1] == N - 1);
  CHECK (!discrete () || (acc_deviceptr (a) == NULL && acc_hostptr (d) == NULL));

  acc_create (b, BYTES);
#pragma acc parallel loop present(b[0:N])
  for (int i = 0; i < N; i++)
    b[i] = -i;
  if (discrete ())
    {
      acc_delete (b, BYTES);
      CHECK (b[5] == 2 && !acc_is_present (b, BYTES));
    }
  else
    acc_delete (b, BYTES);

  int *first = acc_malloc (BYTES), *second = acc_malloc (BYTES);
  set (b, 9);
  acc_memcpy_to_device (first, b, BYTES);
  acc_memcpy_device (second, first, BYTES);
  set (b, 0);
  acc_memcpy_from_device_async (b, second, BYTES, 1);
  acc_wait (1);
  CHECK (ALL (N, b[i] == 9));
  acc_memcpy_to_device_async (first + 10, a, 40, 2);
  acc_memcpy_device_async (second, first + 10, 40, 2);
  acc_memcpy_from_device_async (b, second, 40, 2);
  acc_wait (2);
  CHECK (ALL (10, b[i] == a[i]) && b[10] == 9);
  acc_free (first);
  acc_free (second);
  acc_copyin (a, BYTES);
  acc_create (b, BYTES);
  acc_memcpy_d2d (b, a, BYTES, 0, 0);
  acc_copyout (b, BYTES);
  acc_delete (a, BYTES);
  CHECK (!discrete () || ALL (N, a[i] == b[i]));
  free (a);
  free (b);
}

/* Attachment counters: the pointer keeps its device value until the last
   detach.  */
static void
attachments (void)
{
  struct { int n; int *p; } s = { N, malloc (BYTES) };
  int *p = s.p;
  set (p, 1);
  acc_copyin (&s, sizeof s);
  acc_copyin (p, BYTES);
  acc_attach ((void **) &s.p);
  acc_attach ((void **) &s.p);
  acc_detach ((void **) &s.p);
#pragma acc parallel loop present(s)
  for (int i = 0; i < N; i++)
    s.p[i] = i;
  acc_detach_finalize ((void **) &s.p);
  acc_attach_async ((void **) &s.p, 1);
#pragma acc parallel loop present(s) async(1)
  for (int i = 0; i < N; i++)
    s.p[i]++;
  acc_detach_async ((void **) &s.p, 1);
  acc_wait (1);
  acc_copyout (p, BYTES);
  acc_copyout (&s, sizeof s);
  CHECK (s.p == p && ALL (N, p[i] == i + 1));
  free (p);
}

static int linked[N];
#pragma acc declare link(linked)

static void
links (void)
{
  set (linked, 1);
#pragma acc data copy(linked)
  {
#pragma acc parallel loop present(linked)
    for (int i = 0; i < N; i++)
      linked[i] += i;
  }
  CHECK (ALL (N, linked[i] == i + 1));
}

static void *
worker (void *argument)
{
  int number = *(int *) argument, mine[256];
  long good = 1;
  for (int round = 0; round < 50; round++)
    {
#pragma acc parallel loop copyout(mine) async(number)
      for (int i = 0; i < 256; i++)
	mine[i] = number * i + round;
#pragma acc wait(number)
      for (int i = 0; i < 256; i++)
	good = good && mine[i] == number * i + round;
    }
  return (void *) good;
}

/* Puts a long kernel onto queue Q, and a download of its result.  */
static void
begin (int *a, int q, int value)
{
  set (a, 0);
#pragma acc update device(a[0:N]) async(q)
#pragma acc parallel loop present(a[0:N]) async(q)
  for (int i = 0; i < N; i++)
    for (volatile int k = 0; k < 500; k++)
      a[i] = k < 499 ? 0 : value;
#pragma acc update self(a[0:N]) async(q)
}

static int
sum (const int *a)
{
  int s = 0;
  for (int i = 0; i < N; i++)
    s += a[i];
  return s;
}

/* A false if clause, and what its directive has beside it (2.16, 2.16.2): what the
   host executes itself comes after the operations on the queues named.  */
static void
conditions (void)
{
  static int a[N], b[N];
  int total, never = 0;
#pragma acc enter data copyin(a, b)
#define LOCALLY(construct)						\
  begin (a, 1, 3);							\
  total = 0;								\
  PRAGMA (acc construct reduction(+:total) copy(total))			\
  for (int i = 0; i < N; i++)						\
    total += a[i];							\
  CHECK (total == 3 * N);
#define PRAGMA(text) _Pragma (#text)
  LOCALLY (parallel loop wait(1) if(never))
  LOCALLY (serial loop wait(1) if(never))
  LOCALLY (kernels loop wait(1) if(never))
  LOCALLY (parallel loop wait if(never))
  LOCALLY (parallel loop wait(1) if(never) async(2))
  LOCALLY (serial loop wait async if(never))
  LOCALLY (parallel loop async(1) if(never))
  begin (a, 1, 2);
  begin (b, 2, 5);
  total = 0;
#pragma acc parallel loop wait(1, 2) if(never) copy(total) reduction(+:total) async(3)
  for (int i = 0; i < N; i++)
    total += a[i] + b[i];
  CHECK (total == 7 * N);
  begin (a, 1, 4);
#pragma acc update self(b) wait(1) if(never)
  CHECK (sum (a) == 4 * N);
  begin (a, 1, 5);
#pragma acc enter data copyin(b) wait(1) if(never)
  CHECK (sum (a) == 5 * N);
  begin (a, 1, 6);
#pragma acc exit data delete(b) wait if(never)
  CHECK (sum (a) == 6 * N);
  begin (a, 1, 7);
#pragma acc update self(b) wait(1) async(2) if(never)
#pragma acc wait(2)
  CHECK (sum (a) == 7 * N);
  CHECK (acc_is_present (b, sizeof b));
#pragma acc exit data delete(a, b) wait
}

static void
host_threads (void)
{
  pthread_t threads[4];
  int numbers[4];
  for (int i = 0; i < 4; i++)
    {
      numbers[i] = i + 1;
      CHECK (pthread_create (&threads[i], NULL, worker, &numbers[i]) == 0);
    }
  for (int i = 0; i < 4; i++)
    {
      void *good;
      pthread_join (threads[i], &good);
      CHECK (good != NULL);
    }
}

int
main (void)
{
  queues ();
  queue_routines ();
  devices ();
  data_routines ();
  attachments ();
  links ();
  conditions ();
  host_threads ();
  return report ();
}
