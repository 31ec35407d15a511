/* The clocks.  A device's clock is the host's CLOCK_MONOTONIC, counted from the
   device's opening; what is measured is related to it: the GPU's own time
   (%globaltimer, the same on all multiprocessors), which a kernel of ours reads, by
   it the times of the driver's events, and those of CUPTI's records (tracer.c).  The
   host's and the GPU's run at their own rates, some parts in a million apart, so they
   are related again and again.  Events and %globaltimer are one clock (within a part
   in 10^9 over 40 s of an H200), counted from different moments.  */
#include "cuda.h"

#include <stdlib.h>

/* Waits for so many nanoseconds, then writes the time.  */
static const char kernel_text[] =
  ".version 6.0\n"
  ".target sm_50\n"
  ".address_size 64\n"
  ".visible .entry accscope_clock (.param .u64 %where, .param .u64 %wait)\n"
  "{\n"
  "\t.reg .u64 %address, %time, %until;\n"
  "\t.reg .pred %early;\n"
  "\tld.param.u64 %address, [%where];\n"
  "\tld.param.u64 %until, [%wait];\n"
  "\tmov.u64 %time, %globaltimer;\n"
  "\tadd.u64 %until, %until, %time;\n"
  "$again:\n"
  "\tmov.u64 %time, %globaltimer;\n"
  "\tsetp.lt.u64 %early, %time, %until;\n"
  "\t@%early bra $again;\n"
  "\tst.volatile.global.u64 [%address], %time;\n"
  "\tret;\n"
  "}\n";

/* So long that what comes behind the kernel has been enqueued when it ends: an event,
   or a copy and a kernel.  */
#define WAIT 15000
#define LONGER_WAIT 50000
/* In nanoseconds, as on an H200: from the kernel's reading to where the host sees it,
   and to the event behind it.  */
#define WORD_DELAY 700
#define EVENT_DELAY 1000
/* From a kernel to the copy behind it at least, and from a copy to the kernel (which
   took 2,000 at least, and so leaves room).  */
#define COPY_DELAY 900
#define KERNEL_DELAY 500
/* How long the kernel may keep its caller waiting, at first and later: the GPU may be
   full of others.  */
#define FIRST_PATIENCE 100000000
#define PATIENCE 200000
#define TRIES 8
/* The age of a relation before the next, doubled up to the greatest.  Rates are taken
   over a tenth of a second at least and a minute at most.  */
#define FIRST_AGE 10000000
#define GREATEST_AGE 1000000000
#define LEAST_BASE 100000000
#define GREATEST_BASE 60000000000
#define GREATEST_RATE 1e-3
/* A host that is late in seeing the kernel's word makes the GPU's clock seem slow, by
   more than it can be: such a reading is taken for what it can be at most, unless it
   comes again and again.  */
#define SLOWER 20e-6
#define SLOWER_THAN_RATE 2e-6
#define OFTEN 3
/* An event is recorded late where the GPU is full of others, by up to 33 us on an H200,
   and never early.  So an earlier one tells how late the next is, less what differences
   may be off by that the driver gives in single precision.  */
#define EVENT_LATE 500
#define EVENT_SLACK 1e-6

/* Launches the clock's kernel; d->clock_lock is held.  */
static int
launch (struct accscope_cuda_device *d, uint64_t *word, uint64_t wait)
{
  CUdeviceptr where = (CUdeviceptr) (uintptr_t) word;
  void *parameters[] = { &where, &wait };

  __atomic_store_n (word, 0, __ATOMIC_RELEASE);
  return d->cuda->cuLaunchKernel (d->clocks.kernel, 1, 1, 1, 1, 1, 1, 0, d->clock, parameters, NULL)
	 == CUDA_SUCCESS;
}

/* Waits for a word of the kernel's; 0 if that takes too long.  */
static uint64_t
await (const uint64_t *word, int64_t since, int64_t patience, int64_t *seen)
{
  uint64_t time;

  do
    {
      time = __atomic_load_n (word, __ATOMIC_ACQUIRE);
      *seen = accscope_cuda_now ();
    }
  while (time == 0 && *seen - since < patience);
  return time;
}

struct try
{
  CUevent event;
  uint64_t gpu;			/* the GPU's time, 0 if unknown */
  uint64_t event_gpu;		/* when the event was recorded at the earliest, by that */
  int64_t gpu_host;		/* gpu on CLOCK_MONOTONIC */
  int64_t event_host;		/* and that of the event */
  int64_t took;
};

/* An event on a stream of its own, which is idle, behind the clock's kernel if there
   is one; d->clock_lock is held.  */
static int
try_once (struct accscope_cuda_device *d, int64_t patience, struct try *t,
	  struct accscope_cuda_answer *a)
{
  uint64_t *word = d->clocks.word;
  int64_t before = accscope_cuda_now (), seen;

  *t = (struct try) { .event = accscope_cuda_event (d, 1, a) };
  if (t->event == NULL || (word != NULL && !launch (d, word, WAIT)))
    return 0;
  *a = CALL (d, cuEventRecord, t->event, d->clock);
  if (FAILED (*a))
    return 0;
  if (word != NULL)
    {
      if ((t->gpu = await (word, before, patience, &seen)) == 0)
	return 0;
      t->event_gpu = t->gpu + EVENT_DELAY;
      t->gpu_host = seen - WORD_DELAY;
      t->event_host = t->gpu_host + EVENT_DELAY;
    }
  *a = CALL (d, cuEventSynchronize, t->event);
  if (word == NULL)
    {
      seen = accscope_cuda_now ();
      t->event_host = before + (seen - before) / 2;
    }
  t->took = seen - before;
  return !FAILED (*a);
}

/* From one event to another, in nanoseconds; false if the driver does not tell.  */
static int
between (struct accscope_cuda_device *d, CUevent from, CUevent to, int64_t *nanoseconds)
{
  float milliseconds = 0;

  if (d->cuda->cuEventElapsedTime (&milliseconds, from, to) != CUDA_SUCCESS)
    return 0;
  *nanoseconds = (int64_t) (milliseconds * 1e6);
  return 1;
}

/* The later of what two tries tell is when their events were recorded.  */
static void
agree (struct accscope_cuda_device *d, struct try *first, struct try *second)
{
  int64_t apart;

  if (first->gpu == 0 || second->gpu == 0 || !between (d, first->event, second->event, &apart))
    return;
  if (first->event_gpu + apart > second->event_gpu)
    second->event_gpu = first->event_gpu + apart;
  first->event_gpu = second->event_gpu - apart;
}

/* What the last reference tells of when this event was recorded, unless it comes again
   and again that it was late: then the clocks are not one.  */
static void
agree_with_last (struct accscope_cuda_device *d, struct try *t)
{
  struct accscope_cuda_clocks *k = &d->clocks;
  const struct accscope_cuda_reference *last = d->reference;
  int64_t apart, late;

  if (last == NULL || last->gpu == 0 || t->gpu == 0 || !between (d, last->event, t->event, &apart))
    return;
  late = (int64_t) (last->gpu - t->event_gpu) + apart - (int64_t) (EVENT_SLACK * apart);
  k->late_events = late > EVENT_LATE ? k->late_events + 1 : 0;
  if (late > 0 && k->late_events <= OFTEN)
    t->event_gpu += late;
  else
    k->late_events = 0;
}

static void
set_rate (double *rate, int64_t host, int64_t measured)
{
  double r = (double) (host - measured) / (double) measured;

  if (measured >= LEAST_BASE && r < GREATEST_RATE && r > -GREATEST_RATE)
    *rate = r;
}

/* d->lock is held.  */
static void
doubt (struct accscope_cuda_clocks *k, struct try *t)
{
  int64_t since = (int64_t) (t->gpu - k->relation.last.gpu), late;

  if (k->first.gpu == 0)
    return;
  late = t->gpu_host - accscope_cuda_gpu_time (&k->relation, 0, t->gpu)
	 - (int64_t) ((k->relation.gpu_rate != 0 ? SLOWER_THAN_RATE : SLOWER) * since);
  if (late <= 0 || ++k->late > OFTEN)
    {
      k->late = 0;
      return;
    }
  t->gpu_host -= late;
  t->event_host -= late;
}

/* d->lock is held.  */
static void
note_gpu (struct accscope_cuda_clocks *k, const struct try *t)
{
  struct accscope_cuda_reading now = { t->gpu, t->gpu_host };

  if (k->first.gpu == 0)
    k->first = now;
  else if (now.host - k->first.host > GREATEST_BASE)
    k->first = k->relation.last;
  else
    set_rate (&k->relation.gpu_rate, now.host - k->first.host, (int64_t) (now.gpu - k->first.gpu));
  k->relation.last = now;
}

CUevent
accscope_cuda_reference_drop (struct accscope_cuda_reference *r)
{
  CUevent event = r->event;

  if (--r->users > 0)
    return NULL;
  free (r);
  return event;
}

/* The shortest of a few tries is the truest; d->clock_lock is held.  */
static ACCSCOPE_USED struct accscope_cuda_answer
relate (struct accscope_cuda_device *d, int64_t patience)
{
  struct accscope_cuda_clocks *k = &d->clocks;
  struct accscope_cuda_reference *next, *last = d->reference;
  struct accscope_cuda_answer a = SUCCESS;
  struct try best = { .took = INT64_MAX }, t;
  CUevent unused;
  int i;

  for (i = 0; i < TRIES; i++)
    {
      /* An earlier kernel of ours may not have had its turn.  */
      if (k->word != NULL && d->cuda->cuStreamQuery (d->clock) != CUDA_SUCCESS)
	break;
      if (!try_once (d, patience, &t, &a))
	{
	  if (t.event != NULL)
	    accscope_cuda_timed_release (d, t.event);
	  break;
	}
      if (best.event != NULL)
	agree (d, &best, &t);
      if (t.took < best.took)
	{
	  struct try worse = best;
	  best = t;
	  t = worse;
	}
      if (t.event != NULL)
	accscope_cuda_timed_release (d, t.event);
    }
  if (best.event == NULL)
    return a;
  if ((next = calloc (1, sizeof *next)) == NULL)
    {
      accscope_cuda_timed_release (d, best.event);
      return ANSWER (calloc, CUDA_ERROR_OUT_OF_MEMORY);
    }
  pthread_mutex_lock (&d->lock);
  if (best.gpu != 0)
    doubt (k, &best);
  pthread_mutex_unlock (&d->lock);
  agree_with_last (d, &best);
  *next = (struct accscope_cuda_reference) { best.event, best.event_gpu, best.event_host, 1 };
  pthread_mutex_lock (&d->lock);
  if (best.gpu != 0)
    note_gpu (k, &best);
  d->reference = next;
  unused = last != NULL ? accscope_cuda_reference_drop (last) : NULL;
  pthread_mutex_unlock (&d->lock);
  if (unused != NULL)
    accscope_cuda_timed_release (d, unused);
  return a;
}

struct accscope_cuda_answer
accscope_cuda_clocks_open (struct accscope_cuda_device *d)
{
  struct accscope_cuda_answer a;

  ENTERED (d);
  LOCKED (&d->clock_lock);
  d->origin = accscope_cuda_now ();
  a = accscope_cuda_stream (d, CU_STREAM_NON_BLOCKING, &d->clock);
  return FAILED (a) ? a : relate (d, FIRST_PATIENCE);
}

const struct accscope_cuda_object accscope_cuda_clock_code
  = { kernel_text, sizeof kernel_text };

int
accscope_cuda_clocks_take (struct accscope_cuda_device *d, CUmodule module)
{
  LOCKED (&d->clock_lock);
  if (d->clocks.module != NULL)
    return 0;
  d->clocks.module = module;
  return 1;
}

/* d->clock_lock is held.  */
static int
load_kernel (struct accscope_cuda_device *d)
{
  struct accscope_cuda_clocks *k = &d->clocks;
  int threads;
  void *word = NULL;

  if (k->word != NULL)
    return 1;
  if (k->module == NULL
      || FAILED (accscope_cuda_function (d, k->module, "accscope_clock", &k->kernel, &threads))
      || (k->memory == 0 && d->cuda->cuMemAlloc (&k->memory, sizeof *k->word) != CUDA_SUCCESS)
      || d->cuda->cuMemHostAlloc (&word, 3 * sizeof *k->word, 0) != CUDA_SUCCESS)
    return 0;
  k->word = word;
  return 1;
}

int
accscope_cuda_clocks_read_gpu (struct accscope_cuda_device *d)
{
  ENTERED (d);
  LOCKED (&d->clock_lock);
  if (load_kernel (d) && d->clocks.first.gpu == 0)
    accscope_cuda_untimed (relate (d, FIRST_PATIENCE));
  return d->clocks.first.gpu != 0;
}

int
accscope_cuda_clocks_keep (struct accscope_cuda_device *d)
{
  struct accscope_cuda_clocks *k = &d->clocks;
  int64_t age, known;

  pthread_mutex_lock (&d->lock);
  age = accscope_cuda_now () - d->reference->host;
  known = k->relation.last.host - k->first.host;
  pthread_mutex_unlock (&d->lock);
  if (age < GREATEST_AGE && (k->word == NULL || age < FIRST_AGE || age < known))
    return 0;
  ENTERED (d);
  LOCKED (&d->clock_lock);
  accscope_cuda_untimed (relate (d, PATIENCE));
  return 1;
}

/* One copy; d->clock_lock is held.  */
static int
copy_once (struct accscope_cuda_device *d, void (*begin) (uint64_t), void (*end) (void))
{
  struct accscope_cuda_clocks *k = &d->clocks;
  uint64_t number = k->copies + 1, last;
  int64_t start = accscope_cuda_now (), seen;
  int copied;

  if (d->cuda->cuStreamQuery (d->clock) != CUDA_SUCCESS || !launch (d, &k->word[0], LONGER_WAIT))
    return 0;
  pthread_mutex_lock (&d->lock);
  k->copies = number;
  pthread_mutex_unlock (&d->lock);
  begin (number);
  copied = d->cuda->cuMemcpyDtoHAsync (&k->word[2], k->memory, sizeof *k->word, d->clock)
	   == CUDA_SUCCESS;
  end ();
  if (!copied || !launch (d, &k->word[1], 0)
      || (last = await (&k->word[1], start, PATIENCE, &seen)) == 0)
    return 0;
  pthread_mutex_lock (&d->lock);
  k->copied[number % ACCSCOPE_CUDA_COPIED] = (struct accscope_cuda_copied) {
    number, __atomic_load_n (&k->word[0], __ATOMIC_ACQUIRE), last
  };
  pthread_mutex_unlock (&d->lock);
  return d->cuda->cuStreamSynchronize (d->clock) == CUDA_SUCCESS;
}

void
accscope_cuda_clocks_copy (struct accscope_cuda_device *d, void (*begin) (uint64_t), void (*end) (void))
{
  struct accscope_cuda_clocks *k = &d->clocks;
  int i;

  ENTERED (d);
  LOCKED (&d->clock_lock);
  pthread_mutex_lock (&d->lock);
  k->round = k->copies;
  k->bounded = 0;
  pthread_mutex_unlock (&d->lock);
  for (i = 0; i < TRIES && k->word != NULL; i++)
    if (!copy_once (d, begin, end))
      break;
}

/* Each copy tells what CUPTI's clock is behind at least, and at most.  */
void
accscope_cuda_clocks_copied (struct accscope_cuda_device *d, uint64_t number, uint64_t start,
			     uint64_t end)
{
  struct accscope_cuda_clocks *k = &d->clocks;
  struct accscope_cuda_copied *c = &k->copied[number % ACCSCOPE_CUDA_COPIED];
  int64_t least, most;

  LOCKED (&d->lock);
  if (number == c->number && number > k->round)
    {
      least = (int64_t) (c->before + COPY_DELAY - start);
      most = (int64_t) (c->after - KERNEL_DELAY - end);
      if (!k->bounded || least > k->least)
	k->least = least;
      if (!k->bounded || most < k->most)
	k->most = most;
      k->bounded = 1;
      /* On an H200 it is nearer to the most.  */
      k->relation.cupti = k->least + (k->most - k->least) * 3 / 4;
      __atomic_store_n (&k->cupti_known, 1, __ATOMIC_RELEASE);
    }
}

void
accscope_cuda_clocks_close (struct accscope_cuda_device *d)
{
  struct accscope_cuda_clocks *k = &d->clocks;
  CUevent unused;

  if (d->clock != NULL)
    GIVE_BACK (d, cuStreamSynchronize, d->clock);
  if (d->reference != NULL && (unused = accscope_cuda_reference_drop (d->reference)) != NULL)
    GIVE_BACK (d, cuEventDestroy, unused);
  if (k->word != NULL)
    GIVE_BACK (d, cuMemFreeHost, k->word);
  if (k->memory != 0)
    GIVE_BACK (d, cuMemFree, k->memory);
  if (k->module != NULL)
    GIVE_BACK (d, cuModuleUnload, k->module);
  if (d->clock != NULL)
    GIVE_BACK (d, cuStreamDestroy, d->clock);
}

struct accscope_cuda_relation
accscope_cuda_relation (struct accscope_cuda_device *d)
{
  LOCKED (&d->lock);
  return d->clocks.relation;
}

int64_t
accscope_cuda_gpu_time (const struct accscope_cuda_relation *r, int64_t origin, uint64_t gpu)
{
  int64_t since = (int64_t) (gpu - r->last.gpu);

  return r->last.host + since + (int64_t) (r->gpu_rate * since) - origin;
}

struct accscope_cuda_moment
accscope_cuda_event_moment (struct accscope_cuda_device *d,
			    const struct accscope_cuda_reference *r, CUevent event)
{
  struct accscope_cuda_relation relation = accscope_cuda_relation (d);
  struct accscope_cuda_moment m = { 0, 0 };
  int64_t since = 0;

  between (d, r->event, event, &since);
  if (r->gpu != 0)
    m.gpu = r->gpu + (uint64_t) since;
  m.time = m.gpu != 0 ? accscope_cuda_gpu_time (&relation, d->origin, m.gpu)
	   : r->host - d->origin + since;
  return m;
}
