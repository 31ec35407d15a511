/* 64 host threads use one device at once: data of their own and data they share,
   queues of their own and queues they share, look-ups while others map and
   unmap, and changes of the registry.  Prints what is wrong.  */
#include <acc_prof.h>
#include <openacc.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 64, LENGTH = 256, QUEUES = 3 };

static int rounds;
static int separate;		/* the device has memory of its own */
static int constant[LENGTH];	/* on the device throughout */
static int passing[LENGTH];	/* mapped and unmapped by all */
static long launches, events;
static int wrong;

static void
complain (int thread, int round, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  printf ("thread %d, round %d: ", thread, round);
  vprintf (format, arguments);
  printf ("\n");
  va_end (arguments);
  __atomic_store_n (&wrong, 1, __ATOMIC_RELAXED);
}

/* Always registered: every launch must be seen, on the thread it is made on, whose
   number no other thread has.  */
static void
count_launch (acc_prof_info *info, acc_event_info *event, acc_api_info *api)
{
  static __thread int number = -1;
  static int taken[2 * THREADS];

  (void) api;
  if (number < 0)
    {
      number = info->thread_id;
      if (number < 0 || number >= 2 * THREADS
	  || __atomic_exchange_n (&taken[number], 1, __ATOMIC_RELAXED))
	complain (number, -1, "the thread's number is another one's or none");
    }
  else if (info->thread_id != number)
    complain (number, -1, "the thread's number is %d now", info->thread_id);
  if (info->event_type != acc_ev_compute_construct_start
      || event->event_type != acc_ev_compute_construct_start)
    complain (-1, -1, "a callback got event %d", info->event_type);
  __atomic_fetch_add (&launches, 1, __ATOMIC_RELAXED);
}

/* Registered and unregistered by all.  */
static void
come_and_go (acc_prof_info *info, acc_event_info *event, acc_api_info *api)
{
  (void) info, (void) event, (void) api;
  __atomic_fetch_add (&events, 1, __ATOMIC_RELAXED);
}

/* What the runtime says of data that this thread alone maps.  */
static void
check_own (int thread, int round, int *x, int mapped)
{
  char *device = acc_deviceptr (x + 3);

  if (!separate)
    return;
  if (acc_is_present (x, LENGTH * sizeof *x) != mapped)
    complain (thread, round, "acc_is_present is not %d", mapped);
  if ((device != NULL) != mapped)
    complain (thread, round, "acc_deviceptr is %p", device);
  if (mapped && acc_hostptr (device + 5) != (char *) (x + 3) + 5)
    complain (thread, round, "acc_hostptr is another address");
}

static void *
work (void *argument)
{
  int thread = (int) (long) argument, sum = 0, made = 0;
  unsigned state = (unsigned) thread + 1;
  int *x = calloc (LENGTH, sizeof *x);
  void *where = acc_deviceptr (constant);

  for (int round = 0; round < rounds; round++)
    {
      state = state * 1664525u + 1013904223u;
      switch (state >> 24 & 7)
	{
	case 0:			/* structured, synchronous */
#pragma acc parallel loop copy(x[0:LENGTH])
	  for (int i = 0; i < LENGTH; i++)
	    x[i] += 1;
	  sum += 1;
	  made += 1;
	  break;
	case 1:			/* a queue of this thread */
	  made += 3;
#pragma acc enter data copyin(x[0:LENGTH]) async(100 + thread)
	  check_own (thread, round, x, 1);
	  for (int k = 0; k < 3; k++)
	    {
#pragma acc parallel loop present(x[0:LENGTH]) async(100 + thread)
	      for (int i = 0; i < LENGTH; i++)
		x[i] += 1;
	    }
#pragma acc exit data copyout(x[0:LENGTH]) async(100 + thread)
#pragma acc wait(100 + thread)
	  check_own (thread, round, x, 0);
	  sum += 3;
	  break;
	case 2:			/* queues that all use */
	  {
	    int queue = round % QUEUES;
#pragma acc parallel loop copy(x[0:LENGTH]) async(queue)
	    for (int i = 0; i < LENGTH; i++)
	      x[i] += 1;
#pragma acc wait(queue)
	    sum += 1;
	    made += 1;
	  }
	  break;
	case 3:			/* the routines */
	  acc_copyin (x, LENGTH * sizeof *x);
	  check_own (thread, round, x, 1);
	  x[0] = -1;
	  if (separate)
	    acc_update_self (x, LENGTH * sizeof *x);
	  else
	    x[0] = sum;
	  acc_delete (x, LENGTH * sizeof *x);
	  check_own (thread, round, x, 0);
	  break;
	case 4:			/* data that all map: its value never changes */
#pragma acc data copyin(passing)
	  {
	    int bad = 0;
#pragma acc parallel loop present(passing) reduction(+ : bad)
	    for (int i = 0; i < LENGTH; i++)
	      bad += passing[i] != i;
	    if (bad != 0)
	      complain (thread, round, "%d shared elements are wrong", bad);
	    made += 1;
	  }
	  break;
	case 5:			/* the registry */
	  acc_prof_register (acc_ev_update_start, come_and_go, acc_reg);
	  acc_prof_register (acc_ev_compute_construct_start, come_and_go, acc_reg);
#pragma acc update device(constant)
	  acc_prof_unregister (acc_ev_compute_construct_start, come_and_go, acc_reg);
	  acc_prof_unregister (acc_ev_update_start, come_and_go, acc_reg);
	  break;
	default:		/* look-ups while others map and unmap */
	  for (int i = 0; i < 200; i++)
	    {
	      int at = (int) ((state >> 3) + (unsigned) i * 7) % LENGTH;
	      if (at < 0)
		at += LENGTH;
	      if (acc_deviceptr (constant + at)
		  != (char *) where + (size_t) at * sizeof *constant)
		complain (thread, round, "data on the device throughout has moved");
	      if (!acc_is_present (constant + at, sizeof *constant))
		complain (thread, round, "data on the device throughout is absent");
	    }
	}
    }
  for (int i = 0; i < LENGTH; i++)
    if (x[i] != sum)
      {
	complain (thread, rounds, "element %d is %d instead of %d", i, x[i], sum);
	break;
      }
  free (x);
  return (void *) (long) made;
}

int
main (int argc, char **argv)
{
  pthread_t thread[THREADS];
  long made = 0;

  rounds = argc > 1 ? atoi (argv[1]) : 100;
  for (int i = 0; i < LENGTH; i++)
    passing[i] = constant[i] = i;
  acc_prof_register (acc_ev_compute_construct_start, count_launch, acc_reg);
#pragma acc enter data copyin(constant)
  separate = acc_deviceptr (constant) != (void *) constant;
  for (long i = 0; i < THREADS; i++)
    if (pthread_create (&thread[i], NULL, work, (void *) i) != 0)
      return 2;
  for (int i = 0; i < THREADS; i++)
    {
      void *result;
      pthread_join (thread[i], &result);
      made += (long) result;
    }
  if (launches != made)
    printf ("%ld launches were seen of %ld\n", launches, made);
  if (events == 0)
    printf ("no event came to the callback that comes and goes\n");
  if (separate && acc_is_present (passing, sizeof passing))
    printf ("what all have unmapped is still present\n");
#pragma acc exit data delete(constant)
  return wrong || launches != made;
}
