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
#define BEHIND_GAIN 4000	/* of one that needs no event before it */
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
      && !(kind & ACCSCOPE_CUDA_PEER)
      && (kind != ACCSCOPE_KERNEL || accscope_cuda_traces_kernels ()))
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
					      .kind = kind & ~(ACCSCOPE_CUDA_PAGEABLE | ACCSCOPE_CUDA_PEER), .bytes = bytes,
					      .pageable = (kind & ACCSCOPE_CUDA_PAGEABLE) != 0 };
  o->next = NULL;
  o->start = NULL;
  o->behind = 0;
  /* The device goes straight from an operation that it has not finished to this
     one, if nothing is between them.  */
  if (q->last_end != NULL && q->last_number == q->submitted
      && q->finished != q->submitted && d->cuda->cuEventQuery (q->last_end->event) == CUDA_ERROR_NOT_READY)
    {
      o->start = q->last_end;
      o->start->users++;
    }
  else if (q->stamped_at == q->submitted && q->finished != q->submitted
	   && d->cuda->cuStreamQuery (q->stream) == CUDA_ERROR_NOT_READY)
    o->behind = q->stamped;
  else
    o->start = mark (q);
  if (o->start == NULL && o->behind == 0)
    {
      free (o);
      return NULL;
    }
  return o;
}

static void
release_start (struct accscope_cuda_device *d, struct accscope_cuda_operation *o)
{
  if (o->start != NULL)
    accscope_cuda_mark_release (d, o->start);
}

void
accscope_cuda_measure_start (struct accscope_cuda_queue *q,
			     struct accscope_cuda_operation *o)
{
  struct accscope_cuda_mark *later;

  if (o == NULL || o == &q->device->traced || (later = mark (q)) == NULL)
    return;
  release_start (q->device, o);
  o->start = later;
  o->behind = 0;
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
      release_start (d, o);
      free (o);
      return;
    }
  if (o->behind != 0 && q->behind == NULL)
    {
      q->behind = o;
      __atomic_store_n (&q->behind_number, o->behind, __ATOMIC_RELAXED);
    }
  if (q->last_end != NULL)
    accscope_cuda_mark_release (d, q->last_end);
  q->last_end = o->end;
  o->end->users++;
  q->last_number = q->submitted + 1;	/* the caller counts this one */
  *q->last = o;
  q->last = &o->next;
  q->gain += o->record.kind == ACCSCOPE_KERNEL ? KERNEL_GAIN
	     : o->behind != 0 ? BEHIND_GAIN : TRANSFER_GAIN;
  if (q->gain >= FOLDED)
    fold (q);
  __atomic_fetch_add (&d->pending, 1, __ATOMIC_RELAXED);
}

/* What has happened did so by now, however the clocks are related.  */
static struct accscope_cuda_moment
mark_moment (struct accscope_cuda_device *d, struct accscope_cuda_mark *m, int64_t now)
{
  if (!m->known)
    {
      m->moment = accscope_cuda_event_moment (d, m->reference, m->event);
      if (m->moment.time > now)
	m->moment.time = now;
      m->known = 1;
    }
  return m->moment;
}

void
accscope_cuda_ended (struct accscope_cuda_queue *q, uint64_t kernel,
		     struct accscope_cuda_moment moment)
{
  struct accscope_cuda_operation *o;

  for (o = q->behind; o != NULL && o->behind <= kernel; o = o->next)
    if (o->behind != 0)
      {
	o->kernel_end = o->behind == kernel ? moment : ACCSCOPE_CUDA_UNKNOWN;
	o->behind = 0;
      }
  q->behind = o;
  __atomic_store_n (&q->behind_number, o != NULL ? o->behind : 0, __ATOMIC_RELAXED);
}

/* Takes the operations that have ended off the queue's list, so many at most, up to one
   whose beginning is not known yet.  */
static struct accscope_cuda_operation *
take_ended (struct accscope_cuda_queue *q, size_t most)
{
  struct accscope_cuda_operation *taken, **link = &taken, *o;

  pthread_mutex_lock (&q->lock);
  while (most-- > 0 && (o = q->first) != NULL && o->behind == 0
	 && q->device->cuda->cuEventQuery (o->end->event) == CUDA_SUCCESS)
    {
      *link = o;
      link = &o->next;
      if ((q->first = o->next) == NULL)
	q->last = &q->first;
    }
  *link = NULL;
  pthread_mutex_unlock (&q->lock);
  return taken;
}

/* From one moment to a later one, which is not before it.  */
static int64_t
duration (struct accscope_cuda_device *d, struct accscope_cuda_moment from,
	  struct accscope_cuda_moment to)
{
  struct accscope_cuda_relation relation = accscope_cuda_relation (d);
  int64_t took = to.time - from.time;

  if (from.gpu != 0 && to.gpu != 0)
    took = accscope_cuda_gpu_time (&relation, 0, to.gpu)
	   - accscope_cuda_gpu_time (&relation, 0, from.gpu);
  return took > 0 ? took : 0;
}

static void
set_times (struct accscope_cuda_device *d, struct accscope_cuda_operation *o)
{
  int64_t now = accscope_cuda_now () - d->origin;
  struct accscope_cuda_moment end = mark_moment (d, o->end, now);
  struct accscope_cuda_moment start
    = o->start != NULL ? mark_moment (d, o->start, now) : o->kernel_end;

  if (o->start == NULL && start.gpu == 0)
    start = end;	/* nobody knows */
  end.time = start.time + duration (d, start, end);
  if (end.time > now && now >= start.time)
    end.time = now;
  o->end->moment = end;	/* the next may begin then */
  o->record.start = start.time;
  o->record.end = end.time;
}

/* The driver is asked for times while others may use the queue: that takes it long.  */
size_t
accscope_cuda_drain (struct accscope_cuda_queue *q,
		     struct accscope_cuda_record *where, size_t room)
{
  struct accscope_cuda_device *d = q->device;
  ENTERED (d);
  size_t n = accscope_cuda_read_stamps (q, where, room), stamps = n;
  struct accscope_cuda_operation *taken = take_ended (q, room - n), *o;

  for (o = taken; o != NULL; o = o->next)
    {
      set_times (d, o);
      where[n++] = o->record;
    }
  if (taken != NULL)
    {
      pthread_mutex_lock (&q->lock);
      while ((o = taken) != NULL)
	{
	  taken = o->next;
	  release_start (d, o);
	  accscope_cuda_mark_release (d, o->end);
	  o->next = q->spare;
	  q->spare = o;
	}
      pthread_mutex_unlock (&q->lock);
    }
  __atomic_fetch_sub (&d->pending, n - stamps, __ATOMIC_RELAXED);
  return n;
}
