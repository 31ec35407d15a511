/* Threads use shared and own queues of a device, mark them and wait for each
   other's marks, while records are drained; devices are closed while threads use
   them.  Built with the thread, address and undefined-behaviour sanitizers.  The
   argument is 1 for the model.  */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "queue.h"

enum { THREADS = 4, ROUNDS = 400, WORDS = 16, HARDWARE = 3, CLOSINGS = 200 };

static struct accscope_sim_device *device;
static struct accscope_sim_stream *shared;
static long then_count, drained;
static int stop;

void
accscope_sim_run_then (uintptr_t handle)
{
  __atomic_fetch_add ((long *) handle, 1, __ATOMIC_RELAXED);
}

void
accscope_sim_wake (struct accscope_sim_device *d)
{
  (void) d;
}

void
accscope_sim_model_begin (struct accscope_sim_device *d, uintptr_t launch, struct accscope_sim_geometry g)
{
  (void) d, (void) launch, (void) g;
}

int64_t
accscope_sim_model_end (struct accscope_sim_device *d, uintptr_t launch, struct accscope_sim_geometry g, double *share)
{
  (void) d, (void) launch, (void) g;
  *share = 0.5;
  return 1000;
}

static void
fail (const char *what)
{
  fprintf (stderr, "%s\n", what);
  exit (1);
}

static void
check (struct accscope_sim_answer a)
{
  if (a.error)
    fail ("an operation failed");
}

static void
add_one (const uintptr_t *slots)
{
  long *values = (long *) slots[0];
  for (int i = 0; i < WORDS; i++)
    values[i]++;
}

static struct accscope_sim_answer
put (struct accscope_sim_stream *own, int kind, uint64_t correlation, void *to,
     uintptr_t from, uint64_t bytes, int now)
{
  struct accscope_sim_step step
    = { .stream = own,
	.o = { .kind = kind, .correlation = correlation, .destination = (uintptr_t) to,
	       .source = from, .bytes = bytes, .now = now } };
  accscope_sim_run_step (&step);
  return step.answer;
}

static void
done_with (struct accscope_sim_stream *s)
{
  accscope_sim_stream_close (s);
  free (s);
}

static void *
work (void *argument)
{
  unsigned me = (uintptr_t) argument;
  struct accscope_sim_stream *own = accscope_sim_stream_open (device, me % HARDWARE);
  long in[WORDS], out[WORDS], memory[WORDS];
  uintptr_t block[1];
  for (long round = 0; round < ROUNDS; round++)
    {
      int now = round % 3 == 0;
      for (int i = 0; i < WORDS; i++)
	in[i] = round + i;
      check (put (own, ACCSCOPE_UPLOAD, 1, memory, (uintptr_t) in, sizeof in, now));
      uintptr_t slots[1] = { (uintptr_t) memory };
      check (put (own, ACCSCOPE_STORE, 0, block, (uintptr_t) slots, sizeof slots, now));
      slots[0] = 0;
      check (put (own, ACCSCOPE_KERNEL, 2, block, (uintptr_t) add_one, sizeof block, now));
      struct accscope_sim_mark *mark = accscope_sim_record (own);
      check (accscope_sim_wait (shared, mark));
      check (put (shared, ACCSCOPE_DOWNLOAD, 3, out, (uintptr_t) memory, sizeof out, round % 2));
      if (round % 10 == 0)
	check (accscope_sim_then (shared, (uintptr_t) &then_count));
      if (accscope_sim_synchronize (shared))
	fail ("the shared queue failed");
      if (!accscope_sim_mark_done (mark))
	fail ("a mark that was waited for is not done");
      accscope_sim_mark_release (mark);
      for (int i = 0; i < WORDS; i++)
	if (out[i] != round + i + 1)
	  fail ("a value came back wrong");
    }
  done_with (own);
  return NULL;
}

static void *
drain (void *argument)
{
  (void) argument;
  struct accscope_sim_record records[50];
  for (;;)
    {
      int last = __atomic_load_n (&stop, __ATOMIC_ACQUIRE);
      size_t n = accscope_sim_drain (device, records, 50);
      for (size_t i = 0; i < n; i++)
	if (records[i].kind != (uint64_t[]) { 0, ACCSCOPE_UPLOAD, ACCSCOPE_KERNEL,
					      ACCSCOPE_DOWNLOAD }[records[i].correlation]
	    || records[i].start > records[i].end)
	  fail ("a record is wrong");
      drained += n;
      if (!n && last)
	return NULL;
    }
}

/* What kernels write, as if it were device memory: nobody may once the device is
   closed.  */
static long arena[WORDS];
static uintptr_t block_of_arena[1] = { (uintptr_t) arena };
static unsigned launched;

static void *
use_until_closed (void *argument)
{
  struct accscope_sim_stream *own = argument;
  while (!put (own, ACCSCOPE_KERNEL, 2, block_of_arena, (uintptr_t) add_one,
	       sizeof block_of_arena, 1).error)
    __atomic_fetch_add (&launched, 1, __ATOMIC_RELAXED);
  return NULL;
}

static void
close_while_used (const struct accscope_sim_configuration *c, int users)
{
  struct accscope_sim_stream *own[THREADS];
  pthread_t threads[THREADS];
  device = accscope_sim_open (c);
  if (!device)
    fail ("no device");
  launched = 0;
  for (int i = 0; i < users; i++)
    {
      /* All on one hardware queue: their kernels do not overlap.  */
      own[i] = accscope_sim_stream_open (device, 0);
      if (pthread_create (&threads[i], NULL, use_until_closed, own[i]))
	fail ("no thread");
    }
  while (__atomic_load_n (&launched, __ATOMIC_RELAXED) < THREADS)
    continue;
  accscope_sim_close (device);
  memset (arena, 0, sizeof arena);	/* a race with any kernel that still runs */
  for (int i = 0; i < users; i++)
    pthread_join (threads[i], NULL);
  for (int i = 0; i < WORDS; i++)
    if (arena[i])
      fail ("a kernel ran after the device was closed");
  for (int i = 0; i < users; i++)
    done_with (own[i]);
  accscope_sim_free (device);
}

int
main (int argc, char **argv)
{
  struct accscope_sim_configuration c = { .queues = HARDWARE };
  c.model = argc > 1 && !strcmp (argv[1], "1");
  for (int i = 0; i <= ACCSCOPE_SIM_THEN; i++)
    c.bandwidth[i] = 1e12;
  device = accscope_sim_open (&c);
  if (!device)
    return 2;
  __atomic_store_n (&device->observing, 1, __ATOMIC_RELEASE);
  shared = accscope_sim_stream_open (device, 0);
  pthread_t threads[THREADS], drainer;
  if (pthread_create (&drainer, NULL, drain, NULL))
    return 2;
  for (uintptr_t i = 0; i < THREADS; i++)
    if (pthread_create (&threads[i], NULL, work, (void *) i))
      return 2;
  for (int i = 0; i < THREADS; i++)
    pthread_join (threads[i], NULL);
  done_with (shared);
  accscope_sim_close (device);
  __atomic_store_n (&stop, 1, __ATOMIC_RELEASE);
  pthread_join (drainer, NULL);
  accscope_sim_free (device);
  if (drained != 3L * THREADS * ROUNDS)
    fail ("records were lost");
  if (then_count != THREADS * ROUNDS / 10)
    fail ("calls were lost");
  for (int i = 0; i < CLOSINGS; i++)
    close_while_used (&c, i % 2 ? THREADS : 1);	/* one needs no queue's thread */
  return 0;
}
