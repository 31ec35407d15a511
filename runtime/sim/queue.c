/* Queues of a sim device.  See queue.h.

   Activity queues share hardware queues.  That cannot deadlock: a wait refers to
   a mark made before it, so every operation depends only on ones submitted
   earlier, and the earliest unfinished one can always run.  */
#define _GNU_SOURCE
#include "queue.h"
#include "../device/signals.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STACK_BYTES (8u << 20)
#define BRIEF_BYTES 4096	/* copied in less time than a thread takes to wake up */
#define SPINS 200	/* some microseconds: longer than a small operation */

typedef struct accscope_sim_device device;
typedef struct accscope_sim_hardware hardware;
typedef struct accscope_sim_stream stream;
typedef struct accscope_sim_mark mark;
typedef struct accscope_sim_operation operation;
typedef struct accscope_sim_answer answer;

#define LOAD(place) __atomic_load_n (&(place), __ATOMIC_ACQUIRE)
#define STORE(place, what) __atomic_store_n (&(place), (what), __ATOMIC_RELEASE)

/* Running an operation.  */

/* Whether an injected fault hits this operation.  */
static int
faulty (device *d, const operation *o)
{
  const struct accscope_sim_configuration *c = &d->configuration;
  uint64_t all = __atomic_add_fetch (&d->operations, 1, __ATOMIC_RELAXED);
  if (c->lost_after && all > c->lost_after)
    {
      STORE (d->lost, 1);
      return 1;
    }
  uint64_t n = __atomic_add_fetch (&d->count[o->kind], 1, __ATOMIC_RELAXED);
  if (o->fail || n == c->failing[o->kind])
    {
      accscope_sim_fail (o->stream, ACCSCOPE_SIM_ERROR (o->kind, n));
      return 1;
    }
  return 0;
}

/* Waits until everything up to sequence is done.  */
static void
wait_for (hardware *q, uint64_t sequence)
{
  for (int i = 0; i < SPINS; i++)
    {
      if (LOAD (q->completed) >= sequence)
	return;
      accscope_pause ();
    }
  pthread_mutex_lock (&q->lock);
  q->waiters++;
  while (LOAD (q->completed) < sequence)
    pthread_cond_wait (&q->progress, &q->lock);
  q->waiters--;
  pthread_mutex_unlock (&q->lock);
}

/* What waits for operations of which one has failed fails with it: what is to come has
   not, whether the failure has been reported meanwhile or not.  */
static void
follow_failure (stream *s, const mark *m)
{
  if (m->stream != s
      && (LOAD (m->stream->error) || LOAD (m->stream->taken) != m->taken))
    accscope_sim_fail (s, LOAD (m->stream->latest));
}

/* Returns whether the reader of records must be woken.  */
static unsigned
carry_out (hardware *q, const operation *o)
{
  device *d = q->device;
  switch (o->kind)
    {
    case ACCSCOPE_SIM_MARK:
      STORE (o->mark->end, q->model_end);
      return 0;
    case ACCSCOPE_SIM_WAIT:
      wait_for (o->mark->hardware, o->mark->sequence);
      follow_failure (o->stream, o->mark);
      if (d->configuration.model)
	{
	  const int64_t end = LOAD (o->mark->end);

	  q->model_end = end > q->model_end ? end : q->model_end;
	}
      return 0;
    case ACCSCOPE_SIM_THEN:
      accscope_sim_run_then (o->source);
      return 0;
    }
  /* What follows a failure that nobody had heard of does not run.  */
  if (LOAD (o->stream->error) || LOAD (d->lost)
      || (o->sequence && o->sequence <= LOAD (o->stream->dropped)))
    return 0;
  if (o->kind == ACCSCOPE_STORE)
    {
      accscope_sim_perform (o);
      return 0;
    }
  if ((d->configuration.faults || o->fail) && faulty (d, o))
    return 0;
  struct accscope_sim_record r
    = { o->correlation, (uint64_t) o->kind,
	o->kind == ACCSCOPE_KERNEL ? 0 : o->bytes, 0, 0 };
  unsigned observing = LOAD (d->observing);
  if (d->configuration.model)
    accscope_sim_perform_modelled (q, o, &r.start, &r.end);
  else
    {
      if (observing)
	r.start = accscope_sim_now (d);
      accscope_sim_perform (o);
      if (observing)
	r.end = accscope_sim_now (d);
    }
  return observing ? accscope_sim_append (d, &r) : 0;
}

static unsigned
execute (hardware *q, const operation *o)
{
  unsigned wake = carry_out (q, o);

  if (o->stamp)
    free (o->stamp);
  return wake;
}

static void
finish (hardware *q, uint64_t sequence)
{
  STORE (q->completed, sequence);
  if (q->waiters)
    pthread_cond_broadcast (&q->progress);
}

static void *
run (void *argument)
{
  hardware *q = argument;
  char name[16];
  snprintf (name, sizeof name, "sim%u.%u", q->device->configuration.number % 1000,
	    q->number % 10000);
  pthread_setname_np (pthread_self (), name);
  pthread_mutex_lock (&q->lock);
  for (;;)
    {
      while (!q->head || q->running)
	{
	  if (q->closing && !q->running)
	    {
	      pthread_mutex_unlock (&q->lock);
	      return NULL;
	    }
	  q->thread_waits = 1;
	  pthread_cond_wait (&q->work, &q->lock);
	  q->thread_waits = 0;
	}
      operation *o = q->head;
      __atomic_store_n (&q->head, o->next, __ATOMIC_RELAXED);
      if (!q->head)
	q->tail = NULL;
      q->running = 1;
      pthread_mutex_unlock (&q->lock);

      if (execute (q, o))
	accscope_sim_wake (q->device);

      pthread_mutex_lock (&q->lock);
      q->running = 0;
      finish (q, o->sequence);
      pthread_mutex_unlock (&q->lock);
      if (o->mark)
	accscope_sim_mark_release (o->mark);
      free (o);
      for (int i = 0; i < SPINS && !__atomic_load_n (&q->head, __ATOMIC_RELAXED); i++)
	accscope_pause ();
      pthread_mutex_lock (&q->lock);
    }
}

/* Starts the thread of a hardware queue.  Asynchronous signals go to the program's own
   threads, except the two by which kernels are sampled and Go code is preempted.  */
static int
start_thread (hardware *q)
{
  sigset_t blocked, before;
  accscope_asynchronous_signals (&blocked);
  sigdelset (&blocked, SIGPROF);
  sigdelset (&blocked, SIGURG);
  pthread_attr_t attributes;
  if (pthread_attr_init (&attributes))
    return -1;
  int failed = pthread_attr_setstacksize (&attributes, STACK_BYTES);
  if (!failed)
    {
      pthread_sigmask (SIG_SETMASK, &blocked, &before);
      failed = pthread_create (&q->thread, &attributes, run, q);
      pthread_sigmask (SIG_SETMASK, &before, NULL);
    }
  pthread_attr_destroy (&attributes);
  if (failed)
    return -1;
  q->has_thread = 1;
  return 0;
}

/* Submitting.  */

uint64_t
accscope_sim_error (const stream *s)
{
  return LOAD (s->hardware->device->lost) ? ACCSCOPE_SIM_ERROR (ACCSCOPE_SIM_LOST, 0)
	 : LOAD (s->error);
}

uint64_t
accscope_sim_take_error (stream *s)
{
  uint64_t error = accscope_sim_error (s);
  if (!error || LOAD (s->hardware->device->lost))
    return error;
  STORE (s->dropped, LOAD (s->last));
  __atomic_add_fetch (&s->taken, 1, __ATOMIC_ACQ_REL);
  return __atomic_exchange_n (&s->error, 0, __ATOMIC_ACQ_REL);
}

/* Whether an operation is over so soon that others may wait for the queue's lock until
   then.  */
static int
brief (const device *d, const operation *o)
{
  return o->kind != ACCSCOPE_KERNEL && o->bytes <= BRIEF_BYTES
	 && !d->configuration.model;
}

/* Notes what the operation knows to be over, where that is checked.  */
static void
stamp (operation *o)
{
  const struct accscope_sim_configuration *c = &o->stream->hardware->device->configuration;

  if (!c->checker)
    return;
  if (o->kind == ACCSCOPE_KERNEL)
    c->checks->launch (c->checker);
  if (o->kind <= ACCSCOPE_STORE)
    o->stamp = c->checks->submit (c->checker, o->stream->checked);
  if (o->stamp && (o->kind == ACCSCOPE_UPLOAD || o->kind == ACCSCOPE_DOWNLOAD))
    accscope_sim_moves (o);
}

/* The host has heard that all on the stream is done, or all before a mark.  */
void
accscope_sim_heard_all (const stream *s)
{
  const struct accscope_sim_configuration *c = &s->hardware->device->configuration;

  if (c->checker)
    c->checks->idle (c->checker, s->checked);
}

void
accscope_sim_heard_of (const mark *m)
{
  const struct accscope_sim_configuration *c = &m->hardware->device->configuration;

  if (m->stamp)
    c->checks->heard (c->checker, m->stamp);
}

/* Runs o here if now is set and the queue is idle; else puts a copy of it onto the
   queue.  */
static answer
submit (stream *s, operation *o, int now)
{
  hardware *q = s->hardware;
  answer a = { o->kind == ACCSCOPE_SIM_THEN ? accscope_sim_error (s)
	       : accscope_sim_take_error (s), 0 };
  if (a.error)
    return a;
  o->stream = s;
  stamp (o);
  if (q->device->configuration.model)
    o->submitted = accscope_sim_now (q->device);

  operation *copy = NULL;
  for (;;)
    {
      pthread_mutex_lock (&q->lock);
      if (q->closing || s->closed)
	{
	  pthread_mutex_unlock (&q->lock);
	  free (copy);
	  free (o->stamp);
	  a.error = ACCSCOPE_SIM_ERROR (ACCSCOPE_SIM_CLOSED, 0);
	  return a;
	}
      if (now && !q->head && !q->running)
	{
	  uint64_t sequence = q->submitted + 1;
	  int locked = brief (q->device, o);
	  STORE (q->submitted, sequence);
	  STORE (s->last, sequence);
	  if (!locked)
	    {
	      q->running = 1;
	      pthread_mutex_unlock (&q->lock);
	    }

	  a.wake = execute (q, o);

	  if (!locked)
	    {
	      pthread_mutex_lock (&q->lock);
	      q->running = 0;
	    }
	  finish (q, sequence);
	  if (q->thread_waits && (q->head || q->closing))
	    pthread_cond_signal (&q->work);
	  pthread_mutex_unlock (&q->lock);
	  free (copy);
	  accscope_sim_heard_all (s);
	  a.error = accscope_sim_take_error (s);
	  return a;
	}
      if (copy)
	break;
      pthread_mutex_unlock (&q->lock);
      copy = accscope_sim_copy (o);
      if (!copy)
	{
	  free (o->stamp);
	  a.error = ACCSCOPE_SIM_ERROR (ACCSCOPE_SIM_NO_MEMORY, 0);
	  return a;
	}
    }
  if (!q->has_thread && start_thread (q))
    {
      pthread_mutex_unlock (&q->lock);
      free (copy);
      a.error = ACCSCOPE_SIM_ERROR (ACCSCOPE_SIM_NO_THREAD, 0);
      return a;
    }
  if (copy->mark)
    __atomic_add_fetch (&copy->mark->references, 1, __ATOMIC_RELAXED);
  copy->sequence = q->submitted + 1;
  if (copy->kind == ACCSCOPE_SIM_MARK)
    copy->mark->sequence = copy->sequence;
  STORE (q->submitted, copy->sequence);
  STORE (s->last, copy->sequence);
  if (q->tail)
    q->tail->next = copy;
  else
    __atomic_store_n (&q->head, copy, __ATOMIC_RELAXED);
  q->tail = copy;
  if (q->thread_waits)
    pthread_cond_signal (&q->work);
  pthread_mutex_unlock (&q->lock);
  return a;
}

int
accscope_sim_run_step (void *operands)
{
  struct accscope_sim_step *step = operands;
  const struct accscope_operation *does = &step->o;
  operation o = { .kind = does->kind, .correlation = does->correlation,
		  .bytes = does->bytes, .destination = does->destination,
		  .source = does->source, .fail = step->fail, .parts = does->parts,
		  .geometry = { does->gangs, does->workers, does->vector } };

  if (o.kind != ACCSCOPE_AWAIT)
    step->answer = submit (step->stream, &o, does->now);
  else if (step->stream)	/* of a closed queue nothing is left */
    step->answer = (answer) { accscope_sim_synchronize (step->stream), 0 };
  return step->answer.error != 0;
}

answer
accscope_sim_then (stream *s, uintptr_t handle)
{
  operation o = { .kind = ACCSCOPE_SIM_THEN, .source = handle };
  return submit (s, &o, 0);
}

/* Marks and waits.  */

mark *
accscope_sim_record (stream *s)
{
  mark *m = calloc (1, sizeof *m);
  if (!m)
    return NULL;
  m->hardware = s->hardware;
  m->stream = s;
  m->taken = LOAD (s->taken);
  m->references = 1;
  if (s->hardware->device->configuration.checker)
    m->stamp = s->hardware->device->configuration.checks->mark (s->hardware->device->configuration.checker, s->checked);
  if (s->hardware->device->configuration.model)
    {
      /* An operation of its own learns the modelled time.  */
      operation o = { .kind = ACCSCOPE_SIM_MARK, .mark = m };
      uint64_t error = submit (s, &o, 0).error;
      if (!error)
	return m;
      accscope_sim_fail (s, error);	/* for whoever can report it */
    }
  m->sequence = LOAD (s->last);
  return m;
}

int
accscope_sim_mark_done (const mark *m)
{
  return LOAD (m->hardware->completed) >= m->sequence;
}

void
accscope_sim_mark_release (mark *m)
{
  if (__atomic_sub_fetch (&m->references, 1, __ATOMIC_ACQ_REL) == 0)
    {
      free (m->stamp);
      free (m);
    }
}

answer
accscope_sim_wait (stream *s, mark *m)
{
  const struct accscope_sim_configuration *c = &s->hardware->device->configuration;

  if (m->stamp)
    c->checks->wait (c->checker, s->checked, m->stamp);
  if (!s->hardware->device->configuration.model
      && (m->hardware == s->hardware || accscope_sim_mark_done (m)))
    {
      /* No operation is needed, but the queue isn't idle before the mark is
	 reached.  */
      uint64_t last = LOAD (s->last);
      while (m->hardware == s->hardware && last < m->sequence
	     && !__atomic_compare_exchange_n (&s->last, &last, m->sequence, 0,
					      __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
	continue;
      follow_failure (s, m);
      return (answer) { accscope_sim_take_error (s), 0 };
    }
  operation o = { .kind = ACCSCOPE_SIM_WAIT, .mark = m };
  return submit (s, &o, 0);
}

uint64_t
accscope_sim_synchronize (stream *s)
{
  wait_for (s->hardware, LOAD (s->last));
  accscope_sim_heard_all (s);
  return accscope_sim_take_error (s);
}

/* Opening and closing.  */

device *
accscope_sim_open (const struct accscope_sim_configuration *configuration)
{
  device *d = calloc (1, sizeof *d);
  if (!d)
    return NULL;
  d->configuration = *configuration;
  d->hardware = calloc (configuration->queues, sizeof *d->hardware);
  if (!d->hardware)
    {
      free (d);
      return NULL;
    }
  pthread_mutex_init (&d->links, NULL);
  pthread_mutex_init (&d->modelling, NULL);
  pthread_mutex_init (&d->recording, NULL);
  pthread_mutex_init (&d->faulting, NULL);
  for (unsigned i = 0; i < configuration->queues; i++)
    {
      hardware *q = &d->hardware[i];
      q->device = d;
      q->number = i;
      pthread_mutex_init (&q->lock, NULL);
      pthread_cond_init (&q->work, NULL);
      pthread_cond_init (&q->progress, NULL);
    }
  d->epoch = accscope_sim_monotonic ();
  return d;
}

void
accscope_sim_close (device *d)
{
  for (unsigned i = 0; i < d->configuration.queues; i++)
    {
      hardware *q = &d->hardware[i];
      pthread_mutex_lock (&q->lock);
      q->closing = 1;	/* nothing is submitted from here on */
      pthread_cond_signal (&q->work);
      unsigned has_thread = q->has_thread;
      pthread_mutex_unlock (&q->lock);
      wait_for (q, LOAD (q->submitted));
      if (has_thread)
	pthread_join (q->thread, NULL);
    }
}

void
accscope_sim_free (device *d)
{
  for (unsigned i = 0; i < d->configuration.queues; i++)
    {
      pthread_mutex_destroy (&d->hardware[i].lock);
      pthread_cond_destroy (&d->hardware[i].work);
      pthread_cond_destroy (&d->hardware[i].progress);
    }
  pthread_mutex_destroy (&d->links);
  pthread_mutex_destroy (&d->recording);
  pthread_mutex_destroy (&d->faulting);
  free (d->faults);
  free (d->hardware);
  free (d->records);
  free (d);
}

stream *
accscope_sim_stream_open (device *d, unsigned number)
{
  stream *s = calloc (1, sizeof *s);
  if (!s)
    return NULL;
  s->hardware = &d->hardware[number];
  if (d->configuration.checker)
    s->checked = d->configuration.checks->queue (d->configuration.checker);
  return s;
}

void
accscope_sim_stream_close (stream *s)
{
  pthread_mutex_lock (&s->hardware->lock);
  s->closed = 1;
  pthread_mutex_unlock (&s->hardware->lock);
  wait_for (s->hardware, LOAD (s->last));
}
