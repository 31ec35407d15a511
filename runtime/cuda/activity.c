/* Measuring operations: by events of the driver, or by CUPTI (tracer.c).  Kernels
   may take their own times instead (stamps.c).  */
#include "cuda.h"

#include <stdlib.h>

void
accscope_cuda_mark_release (struct accscope_cuda_device *d,
			    struct accscope_cuda_mark *m)
{
  CUevent unused;

  if (--m->users > 0)
    return;
  accscope_cuda_timed_release (d, m->event);
  pthread_mutex_lock (&d->lock);
  unused = accscope_cuda_reference_drop (m->reference);
  pthread_mutex_unlock (&d->lock);
  if (unused != NULL)
    accscope_cuda_timed_release (d, unused);
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

/* CUPTI takes long to begin, and makes each launch longer; it pays where many
   operations are measured.  In nanoseconds, as on an H200: what it saves of a
   transfer's or kernel's events, and what it costs a kernel that takes its own
   times.  */
#define TRANSFER_GAIN 8000
#define KERNEL_GAIN 1000
#define LAUNCH_COST 350
#define FOLDED 100000		/* a queue adds so much at once to the device's */

static void
fold (struct accscope_cuda_queue *q)
{
  struct accscope_cuda_device *d = q->device;
  int64_t before = __atomic_load_n (&d->gain, __ATOMIC_RELAXED), after, break_even;

  do
    after = before + q->gain > 0 ? before + q->gain : 0;
  while (!__atomic_compare_exchange_n (&d->gain, &before, after, 1,
				       __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  q->gain = 0;
  break_even = __atomic_load_n (&d->break_even, __ATOMIC_RELAXED);
  if (break_even > 0 && after >= break_even)
    __atomic_store_n (&d->pays, 1, __ATOMIC_RELEASE);
}

void
accscope_cuda_spared (struct accscope_cuda_queue *q)
{
  if ((q->gain -= LAUNCH_COST) <= -FOLDED)
    fold (q);
}

struct accscope_cuda_operation *
accscope_cuda_measure (struct accscope_cuda_queue *q, uint64_t correlation,
		       int kind, uint64_t bytes)
{
  struct accscope_cuda_device *d = q->device;
  struct accscope_cuda_operation *o;

  if (!__atomic_load_n (&d->observing, __ATOMIC_RELAXED))
    return NULL;
  if (__atomic_load_n (&d->tracing, __ATOMIC_ACQUIRE)
      && (kind != ACCSCOPE_CUDA_KERNEL || accscope_cuda_traces_kernels ()))
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
					      .kind = kind & ~ACCSCOPE_CUDA_PAGEABLE, .bytes = bytes,
					      .pageable = (kind & ACCSCOPE_CUDA_PAGEABLE) != 0 };
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
  q->gain += o->record.kind == ACCSCOPE_CUDA_KERNEL ? KERNEL_GAIN : TRANSFER_GAIN;
  if (q->gain >= FOLDED)
    fold (q);
  __atomic_fetch_add (&d->pending, 1, __ATOMIC_RELAXED);
}

/* What has happened did so by now, however the clocks are related.  */
static int64_t
mark_time (struct accscope_cuda_device *d, struct accscope_cuda_mark *m, int64_t now)
{
  if (!m->known)
    {
      m->time = accscope_cuda_event_time (d, m->reference, m->event);
      if (m->time > now)
	m->time = now;
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

  before = accscope_cuda_enter (d);
  pthread_mutex_lock (&q->lock);
  while (n < room && (o = q->first) != NULL
	 && d->cuda->cuEventQuery (o->end->event) == CUDA_SUCCESS)
    {
      int64_t now = accscope_cuda_now () - d->origin;
      o->record.start = mark_time (d, o->start, now);
      o->record.end = mark_time (d, o->end, now);
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
  pthread_mutex_unlock (&q->lock);
  __atomic_fetch_sub (&d->pending, n, __ATOMIC_RELAXED);
  n += accscope_cuda_read_stamps (q, where + n, room - n);
  accscope_cuda_leave (d, before);
  return n;
}
