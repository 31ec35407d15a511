/* Measuring operations: by events of the driver, or by CUPTI (tracer.c).  */
#include "cuda.h"

#include <stdlib.h>
#include <time.h>

/* A reference is followed by the next after so many nanoseconds: the driver's
   milliseconds keep 60 ns for a difference of a second.  */
#define REFERENCE_AGE 1000000000

static int64_t
monotonic (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return now.tv_sec * (int64_t) 1000000000 + now.tv_nsec;
}

/* d->lock is held.  */
static void
drop (struct accscope_cuda_device *d, struct accscope_cuda_reference *r)
{
  if (--r->users == 0)
    {
      d->cuda->cuEventDestroy (r->event);
      free (r);
    }
}

void
accscope_cuda_mark_release (struct accscope_cuda_device *d,
			    struct accscope_cuda_mark *m)
{
  if (--m->users > 0)
    return;
  accscope_cuda_timed_release (d, m->event);
  pthread_mutex_lock (&d->lock);
  drop (d, m->reference);
  pthread_mutex_unlock (&d->lock);
  free (m);
}

/* Records an event; NULL if it cannot, which the operation itself will tell.  */
static struct accscope_cuda_mark *
mark (struct accscope_cuda_queue *q)
{
  struct accscope_cuda_device *d = q->device;
  struct accscope_cuda_mark *m = malloc (sizeof *m);
  struct accscope_cuda_answer a;

  if (m == NULL)
    return NULL;
  m->event = accscope_cuda_event (d, 1, &a);
  if (m->event == NULL
      || d->cuda->cuEventRecord (m->event, q->stream) != CUDA_SUCCESS)
    {
      if (m->event != NULL)
	accscope_cuda_timed_release (d, m->event);
      free (m);
      return NULL;
    }
  m->users = 1;
  m->known = 0;
  pthread_mutex_lock (&d->lock);
  m->reference = d->reference;
  m->reference->users++;
  pthread_mutex_unlock (&d->lock);
  return m;
}

struct accscope_cuda_operation *
accscope_cuda_measure (struct accscope_cuda_queue *q, uint64_t correlation,
		       int kind, uint64_t bytes)
{
  struct accscope_cuda_device *d = q->device;
  struct accscope_cuda_operation *o;

  if (!__atomic_load_n (&d->observing, __ATOMIC_RELAXED))
    return NULL;
  if (__atomic_load_n (&d->tracing, __ATOMIC_ACQUIRE))
    {
      accscope_cuda_trace_begin (d, correlation, kind, bytes);
      return &d->traced;
    }
  o = q->spare;
  if (o != NULL)
    q->spare = o->next;
  else if ((o = malloc (sizeof *o)) == NULL)
    return NULL;
  o->record = (struct accscope_cuda_record) { .correlation = correlation,
					      .kind = kind, .bytes = bytes };
  o->next = NULL;
  /* The device goes straight from an operation that it has not finished to this
     one, if nothing is between them.  */
  if (q->last_end != NULL && q->last_number == q->submitted
      && q->finished != q->submitted && d->cuda->cuEventQuery (q->last_end->event) == CUDA_ERROR_NOT_READY)
    {
      o->start = q->last_end;
      o->start->users++;
    }
  else
    o->start = mark (q);
  if (o->start == NULL)
    {
      free (o);
      return NULL;
    }
  return o;
}

void
accscope_cuda_measure_start (struct accscope_cuda_queue *q,
			     struct accscope_cuda_operation *o)
{
  struct accscope_cuda_mark *later;

  if (o == NULL || o == &q->device->traced || (later = mark (q)) == NULL)
    return;
  accscope_cuda_mark_release (q->device, o->start);
  o->start = later;
}

void
accscope_cuda_measured (struct accscope_cuda_queue *q,
			struct accscope_cuda_operation *o)
{
  struct accscope_cuda_device *d = q->device;

  if (o == NULL)
    return;
  if (o == &d->traced)
    {
      accscope_cuda_trace_end ();
      return;
    }
  o->end = mark (q);
  if (o->end == NULL)
    {
      accscope_cuda_mark_release (d, o->start);
      free (o);
      return;
    }
  if (q->last_end != NULL)
    accscope_cuda_mark_release (d, q->last_end);
  q->last_end = o->end;
  o->end->users++;
  q->last_number = q->submitted + 1;	/* the caller counts this one */
  *q->last = o;
  q->last = &o->next;
  __atomic_fetch_add (&d->pending, 1, __ATOMIC_RELAXED);
}

static int64_t
time_of (struct accscope_cuda_device *d, struct accscope_cuda_reference *r,
	 CUevent event)
{
  float milliseconds = 0;

  d->cuda->cuEventElapsedTime (&milliseconds, r->event, event);
  return r->device + (int64_t) (milliseconds * 1e6);
}

static int64_t
mark_time (struct accscope_cuda_device *d, struct accscope_cuda_mark *m)
{
  if (!m->known)
    {
      m->time = time_of (d, m->reference, m->event);
      m->known = 1;
    }
  return m->time;
}

size_t
accscope_cuda_drain (struct accscope_cuda_queue *q,
		     struct accscope_cuda_record *where, size_t room)
{
  struct accscope_cuda_device *d = q->device;
  struct accscope_cuda_operation *o;
  CUcontext before;
  size_t n = 0;

  pthread_mutex_lock (&q->lock);
  if (q->first == NULL)
    {
      pthread_mutex_unlock (&q->lock);
      return 0;
    }
  before = accscope_cuda_enter (d);
  while (n < room && (o = q->first) != NULL
	 && d->cuda->cuEventQuery (o->end->event) == CUDA_SUCCESS)
    {
      o->record.start = mark_time (d, o->start);
      o->record.end = mark_time (d, o->end);
      if (o->record.end < o->record.start)
	o->record.end = o->record.start;
      where[n++] = o->record;
      q->first = o->next;
      if (q->first == NULL)
	q->last = &q->first;
      accscope_cuda_mark_release (d, o->start);
      accscope_cuda_mark_release (d, o->end);
      o->next = q->spare;
      q->spare = o;
    }
  accscope_cuda_leave (d, before);
  pthread_mutex_unlock (&q->lock);
  __atomic_fetch_sub (&d->pending, n, __ATOMIC_RELAXED);
  return n;
}

/* The device's clock counts from the first reference.  An event on a stream of
   its own, which is idle, happens between two readings of the host's clock; the
   best of a few tries is taken.  */
struct accscope_cuda_answer
accscope_cuda_clock (struct accscope_cuda_device *d, int64_t *on_device,
		     int64_t *on_host)
{
  CUcontext before;
  struct accscope_cuda_answer a = SUCCESS;
  struct accscope_cuda_reference *next;
  CUevent event, best = NULL;
  int64_t shortest = INT64_MAX;
  int i;

  if (__atomic_load_n (&d->tracing, __ATOMIC_ACQUIRE))
    {
      *on_host = monotonic ();
      *on_device = *on_host - d->origin;
      return a;
    }
  before = accscope_cuda_enter (d);
  pthread_mutex_lock (&d->clock_lock);
  for (i = 0; i < 5; i++)
    {
      int64_t start, took;
      event = accscope_cuda_event (d, 1, &a);
      if (event == NULL)
	break;
      start = monotonic ();
      a = CALL (d, cuEventRecord, event, d->clock);
      if (!FAILED (a))
	a = CALL (d, cuEventSynchronize, event);
      took = monotonic () - start;
      if (FAILED (a) || took >= shortest)
	{
	  accscope_cuda_timed_release (d, event);
	  if (FAILED (a))
	    break;
	  continue;
	}
      if (best != NULL)
	accscope_cuda_timed_release (d, best);
      best = event;
      shortest = took;
      *on_host = start + took / 2;
    }
  if (FAILED (a) || (next = calloc (1, sizeof *next)) == NULL)
    {
      if (best != NULL)
	accscope_cuda_timed_release (d, best);
      if (!FAILED (a))
	a = ANSWER (calloc, CUDA_ERROR_OUT_OF_MEMORY);
      pthread_mutex_unlock (&d->clock_lock);
      accscope_cuda_leave (d, before);
      return a;
    }
  *on_device = d->reference == NULL ? 0 : time_of (d, d->reference, best);
  pthread_mutex_lock (&d->lock);
  if (d->reference == NULL || *on_host - d->reference->host > REFERENCE_AGE)
    {
      *next = (struct accscope_cuda_reference) { best, *on_device, *on_host, 1 };
      if (d->reference != NULL)
	drop (d, d->reference);
      d->reference = next;
      next = NULL;
    }
  pthread_mutex_unlock (&d->lock);
  if (next != NULL)
    {
      free (next);
      accscope_cuda_timed_release (d, best);
    }
  pthread_mutex_unlock (&d->clock_lock);
  accscope_cuda_leave (d, before);
  return a;
}

void
accscope_cuda_rebase (struct accscope_cuda_device *d)
{
  int64_t on_device, on_host;
  int old;

  pthread_mutex_lock (&d->lock);
  old = monotonic () - d->reference->host > REFERENCE_AGE;
  pthread_mutex_unlock (&d->lock);
  /* If it fails, so will the program's operations.  */
  if (old)
    accscope_cuda_clock (d, &on_device, &on_host);
}
