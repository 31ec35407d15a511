/* Variables that kernels get as values: what a launch sees of them, and what moves
   (OpenACC 3.3 sections 2.5.13, 2.7.7 and 5.1.7).  */
#include "check.h"
#include <acc_prof.h>
#include <pthread.h>

#define N 64

static int counts[acc_ev_last + 16];
static size_t bytes;
static const void *host;
/* Called in enter_data_start.  Volatile, as a compiler may take a construct's call for one
   that calls nothing of this file.  */
static void (*volatile inside) (void);

static void
count (acc_prof_info *profile, acc_event_info *event, acc_api_info *api)
{
  (void) api;
  counts[profile->event_type]++;
  if (profile->event_type == acc_ev_enqueue_upload_start)
    {
      bytes = event->data_event.bytes;
      host = event->data_event.host_ptr;
    }
  if (profile->event_type == acc_ev_enter_data_start && inside != NULL)
    inside ();
}

static int
uploads (void)
{
  int n = counts[acc_ev_enqueue_upload_start];
  counts[acc_ev_enqueue_upload_start] = 0;
  return n;
}

/* What a kernel writes to its copyin scalar no other launch sees.  */
static void
written (int queue)
{
  int x = 7, result[N], sum = 0;

#pragma acc data create(result)
  {
    for (int i = 0; i < 1000; i++)
      {
	int slot = i % N;
#pragma acc parallel copyin(x) present(result) async(queue)
	{
	  x += 1;
	  result[slot] = x;
	}
      }
#pragma acc wait
#pragma acc update self(result)
  }
  for (int i = 0; i < N; i++)
    sum += result[i] == 8;
  CHECK (!discrete () || (sum == N && x == 7));
}

/* The block is used again while nothing in it changes; each change shows.  */
static void
changing (void)
{
  int a[N], x = 1, y = 2;

  memset (counts, 0, sizeof counts);
#pragma acc enter data create(a)
  for (int i = 0; i < 10; i++)
    {
      if (i == 5)
	x = 100;
#pragma acc parallel loop present(a) firstprivate(x, y)
      for (int k = 0; k < N; k++)
	a[k] = x + y;
      if (i == 4 || i == 9)
	{
	  int want = x + y;
#pragma acc update self(a)
	  CHECK (ALL (N, a[i] == want));
	}
      if (i == 0)
	{
	  CHECK (!discrete () || uploads () == 1);
	  CHECK (!discrete () || (bytes == sizeof x + sizeof y && host == NULL));
	}
    }
  /* One for the change; or one for each, where kernels may write to values.  */
  CHECK (!discrete () || uploads () == (getenv ("ACCSCOPE_STANDIN_WRITES") ? 9 : 1));
  CHECK (counts[acc_ev_create] == counts[acc_ev_delete] + discrete ());
#pragma acc exit data delete(a)
}

/* One value: the event names it.  */
static void
one (void)
{
  int a[N];
  short x = 3, *volatile at = &x;

#pragma acc data copyout(a)
  {
    uploads ();
#pragma acc parallel loop firstprivate(x)
    for (int k = 0; k < N; k++)
      a[k] = x;
    CHECK (!discrete () || (uploads () == 1 && bytes == sizeof x && host == at));
  }
  CHECK (ALL (N, a[i] == 3));
}

/* What the queue has still to write to the host comes first.  */
static void
in_order (void)
{
  for (int round = 0; round < 20; round++)
    {
      int x = -1, result = -1, a[N];
#pragma acc enter data create(x, a)
#pragma acc parallel present(x, a) async(1)
      {
	for (int k = 0; k < 20000; k++)
	  a[k % N] = k;
	x = 40 + round + (a[0] == -1);
      }
#pragma acc exit data copyout(x) delete(a) async(1)
#pragma acc parallel firstprivate(x) copyout(result) async(1)
      result = x + 2;
#pragma acc wait(1)
      CHECK (!discrete () || result == 42 + round);
    }
}

/* Another queue that waits for it, too.  */
static void
across (void)
{
  int x = -1, result = -1;

#pragma acc enter data create(x)
#pragma acc parallel present(x) async(1)
  x = 5;
#pragma acc exit data copyout(x) async(1)
#pragma acc parallel firstprivate(x) copyout(result) async(2) wait(1)
  result = x + 1;
#pragma acc wait
  CHECK (!discrete () || result == 6);
}

/* The frame is gone, and its memory another's, before the kernel runs.  */
static __attribute__ ((noinline)) void
leave (int *a, int at, int value)
{
  struct { int value, more[3]; } wide = { value, { 1, 2, 3 } };
#pragma acc parallel present(a[0:N]) firstprivate(at, wide) async(3)
  a[at] = wide.value + wide.more[0] + wide.more[1] + wide.more[2];
}

static __attribute__ ((noinline)) int
overwrite (void)
{
  volatile int memory[256];
  int sum = 0;
  for (int i = 0; i < 256; i++)
    memory[i] = -1;
  for (int i = 0; i < 256; i++)
    sum += memory[i];
  return sum;
}

static void
frames (void)
{
  int a[N];
#pragma acc data copyout(a)
  {
    for (int i = 0; i < N; i++)
      {
	leave (a, i, i);
	overwrite ();
      }
#pragma acc wait(3)
  }
  CHECK (ALL (N, a[i] == i + 6));
}

/* A variable that is present is not a value: the device's copy counts.  So is one of
   which a part is present, as far as a construct allows that.  */
static int shared_scalar = 1;

static void *
map_it (void *unused)
{
#pragma acc enter data copyin(shared_scalar)
  return unused;
}

static void
mapped_meanwhile (void)
{
  int result = 0;
  pthread_t other;

  for (int round = 0; round < 2; round++)
    {
      shared_scalar = 10 + round;	/* not on the device */
#pragma acc parallel firstprivate(shared_scalar) copyout(result)
      result = shared_scalar;
      CHECK (result == (round == 0 || !discrete () ? 10 + round : 10));
      if (round == 0 && pthread_create (&other, NULL, map_it, NULL) == 0)
	pthread_join (other, NULL);
    }
#pragma acc exit data delete(shared_scalar)
  /* By a thread that does so again and again, at any moment.  */
  shared_scalar = 10;
  for (int round = 0; round < 200; round++)
    {
      if (pthread_create (&other, NULL, map_it, NULL) != 0)
	return;
#pragma acc parallel firstprivate(shared_scalar) copyout(result)
      result = shared_scalar;
      pthread_join (other, NULL);
      if (result != 10)
	break;
#pragma acc exit data delete(shared_scalar)
    }
  CHECK (result == 10);
}

/* A tool may set it in the callback of enter_data_start: values are read after.  */
static int set_inside;

static void
set_it (void)
{
  set_inside = 5;
}

static void
after_callbacks (void)
{
  int result = 0;

  if (!discrete ())
    return;
  inside = set_it;
#pragma acc parallel firstprivate(set_inside) copyout(result)
  result = set_inside;
  inside = NULL;
  CHECK (result == 5);
}

/* So too where nothing of the construct but that value is new, launch after launch,
   and in the callback of an allocation for another variable.  */
static void
after_each_callback (void)
{
  int result = 0;

  if (!discrete ())
    return;
#pragma acc data create(result)
  for (int launch = 0; launch < 6; launch++)
    {
      set_inside = 0;
      inside = launch % 2 ? NULL : set_it;
#pragma acc parallel firstprivate(set_inside) present(result)
      result = set_inside;
      inside = NULL;
#pragma acc update self(result)
      CHECK (result == (launch % 2 ? 0 : 5));
    }
}

/* A pointer that a present clause names and that is not mapped is no variable of its own:
   the kernel gets where the device's data are, whatever a launch before has made of it.  */
static void
pointers (void)
{
  int a[N] = { 0 }, b[N] = { 0 }, moved[2] = { 0 }, *p;

#pragma acc enter data copyin(a, b, moved)
  memset (counts, 0, sizeof counts);
  for (int i = 0; i < 10; i++)
    {
      p = i % 5 == 4 ? b + 1 : a;
#pragma acc parallel loop present(p)
      for (int k = 0; k < N - 1; k++)
	p[k] += 1;
    }
  if (discrete ())
    for (int i = 0; i < 5; i++)
      {
	p = moved;
#pragma acc parallel present(p)
	{
	  *p += 1;
	  p++;
	}
	CHECK (p == moved);
      }
  CHECK (counts[acc_ev_create] == 0 && counts[acc_ev_delete] == 0 && uploads () == 0);
  p = moved;
#pragma acc enter data copyin(p)
  if (discrete ())
    {
      /* Now it is a variable: what the device has of it is what is meant.  */
#pragma acc parallel present(p)
      p = NULL;
#pragma acc exit data copyout(p)
      CHECK (p == NULL);
    }
  else
    {
#pragma acc exit data delete(p)
    }
#pragma acc exit data copyout(a, b, moved)
  for (int k = 0; k < N; k++)
    CHECK (a[k] == (k < N - 1 ? 8 : 0) && b[k] == (k > 0 ? 2 : 0));
  CHECK (!discrete () || (moved[0] == 5 && moved[1] == 0));
}

static void
set_in_allocation (acc_prof_info *profile, acc_event_info *event, acc_api_info *api)
{
  (void) profile, (void) event, (void) api;
  set_inside = 6;
}

static void
after_allocation (void)
{
  int result = 0;

  if (!discrete ())
    return;
  acc_prof_register (acc_ev_alloc, set_in_allocation, acc_reg);
  set_inside = 0;
#pragma acc parallel firstprivate(set_inside) copyout(result)
  result = set_inside;
  acc_prof_unregister (acc_ev_alloc, set_in_allocation, acc_reg);
  CHECK (result == set_inside); /* some devices have the memory already, and raise no event */
}

int
main (void)
{
  static const acc_event_t events[]
    = { acc_ev_create, acc_ev_delete, acc_ev_enqueue_upload_start, acc_ev_enter_data_start };

  for (unsigned i = 0; i < sizeof events / sizeof *events; i++)
    acc_prof_register (events[i], count, acc_reg);
  written (acc_async_sync);
  written (2);
  changing ();
  one ();
  in_order ();
  across ();
  frames ();
  mapped_meanwhile ();
  after_callbacks ();
  after_allocation ();
  pointers ();
  /* Where nobody asks for names a launch that comes again is one step.  */
  for (unsigned i = 0; i < sizeof events / sizeof *events; i++)
    if (events[i] != acc_ev_enter_data_start)
      acc_prof_unregister (events[i], count, acc_reg);
  after_each_callback ();
  return report ();
}
