/* Device times by CUPTI's activity records: what the driver's own hooks measure,
   at a fraction of what events around each operation cost.  There is one CUPTI in
   a process; the devices share it.

   A callback on the driver's calls that enqueue operations notes which of ours
   each call is for, by the number that CUPTI gives the call and its record.  What
   has no note is not ours: the program's own CUDA calls, and the upload of
   argument blocks.  */
#include "cuda.h"
#include "cupti.h"
#include "notes.h"

#include <stdlib.h>
#include <string.h>

#define FLUSH_PERIOD 100	/* milliseconds */
#define MOST_DEVICES 64

/* The records of transfers, and the calls that enqueue them; then those of kernels.  */
static const int transfer_records[] = { CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET };
static const uint32_t transfer_calls[] = {
  CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync, CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoHAsync,
  CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoDAsync, CUPTI_DRIVER_TRACE_CBID_cuMemsetD8Async
};
static const int kernel_records[] = { CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL };
static const uint32_t kernel_calls[] = { CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel };
#define ALL(list) list, sizeof list / sizeof *list

static struct
{
  pthread_mutex_t lock;		/* guards what follows */
  int begun;			/* CUPTI's client has */
  unsigned users;		/* devices that are traced */
  unsigned kernels;		/* atomic: those of kernels come, too */
  int asked;			/* atomic: for these */

  struct accscope_cuda_note *notes;
  /* By the driver's number; changed with the lock while no records come.  */
  struct accscope_cuda_device *device[MOST_DEVICES];
} tracer = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* The operation that this thread is enqueueing, 0 for none.  */
static __thread uint64_t enqueueing;

/* Numbers of copies whose records relate CUPTI's clock to the GPU's (clocks.c).  */
#define RELATES ((uint64_t) 1 << 63)
#define PATIENCE 100		/* milliseconds, for the first of them */

static void
called (void *context, int domain, uint32_t function, const struct cupti_call *call)
{
  (void) context;
  (void) domain;
  (void) function;
  if (enqueueing != 0 && call->site == CUPTI_API_ENTER)
    accscope_cuda_note (tracer.notes, call->correlation, enqueueing);
}

/* d->trace_lock is held.  */
static void
append (struct accscope_cuda_device *d, const struct accscope_cuda_record *record)
{
  if (d->records == d->record_room)
    {
      size_t room = d->record_room ? 2 * d->record_room : 1024;
      struct accscope_cuda_record *grown = realloc (d->record, room * sizeof *grown);
      if (grown == NULL)
	return;
      d->record = grown;
      d->record_room = room;
    }
  d->record[d->records++] = *record;
}

/* Adds a piece to its transfer; d->trace_lock is held.  Returns whether it was
   the piece of one.  */
static int
piece (struct accscope_cuda_device *d, const struct accscope_cuda_record *r)
{
  struct accscope_cuda_pieces **link, *p;

  for (link = &d->pieces; (p = *link) != NULL; link = &p->next)
    if (p->record.correlation == r->correlation)
      {
	if (p->missing == p->record.bytes || r->start < p->record.start)
	  p->record.start = r->start;
	if (p->missing == p->record.bytes || r->end > p->record.end)
	  p->record.end = r->end;
	p->missing = r->bytes < p->missing ? p->missing - r->bytes : 0;
	if (p->missing == 0)
	  {
	    *link = p->next;
	    append (d, &p->record);
	    free (p);
	  }
	return 1;
      }
  return 0;
}

static void
take (const struct accscope_cupti_operation *o)
{
  struct accscope_cuda_device *d = o->device < MOST_DEVICES ? tracer.device[o->device] : NULL;
  struct accscope_cuda_record r = {
    accscope_cuda_noted (tracer.notes, o->correlation), (uint64_t) o->kind, o->bytes, 0, 0, 0
  };
  struct accscope_cuda_relation relation;
  int64_t now;

  if (d == NULL || r.correlation == 0 || o->end == 0)
    return;
  if (r.correlation & RELATES)
    {
      accscope_cuda_clocks_copied (d, r.correlation & ~RELATES, o->start, o->end);
      return;
    }
  relation = accscope_cuda_relation (d);
  now = accscope_cuda_now () - d->origin;
  r.start = accscope_cuda_gpu_time (&relation, d->origin, o->start + relation.cupti);
  r.end = accscope_cuda_gpu_time (&relation, d->origin, o->end + relation.cupti);
  /* What has ended has done so by now, however the clocks are related.  */
  if (r.end > now)
    r.end = now;
  if (r.start > r.end)
    r.start = r.end;
  pthread_mutex_lock (&d->trace_lock);
  if (o->kind == ACCSCOPE_KERNEL || !piece (d, &r))
    append (d, &r);
  pthread_mutex_unlock (&d->trace_lock);
}

static const struct accscope_cupti_use use = {
  .kinds = { ALL (transfer_records), ALL (transfer_calls) },
  .period = FLUSH_PERIOD,
  .called = called,
  .operation = take,
};

/* tracer.lock is held.  */
static int
prepare (const char *path)
{
  if (tracer.notes == NULL)
    tracer.notes = accscope_cuda_notes ();
  return tracer.notes != NULL && accscope_cupti_open (path);
}

/* tracer.lock is held.  */
static void
disable (void)
{
  __atomic_store_n (&tracer.kernels, 0, __ATOMIC_RELEASE);
  __atomic_store_n (&tracer.asked, 0, __ATOMIC_RELEASE);
  accscope_cupti_end ();
  tracer.begun = 0;
}

/* tracer.lock is held.  */
static int
enable_kernels (void)
{
  const struct accscope_cupti_kinds kinds = { ALL (kernel_records), ALL (kernel_calls) };

  if (!accscope_cupti_add (&kinds))
    return 0;
  __atomic_store_n (&tracer.kernels, 1, __ATOMIC_RELEASE);
  return 1;
}

int
accscope_cuda_traces_kernels (void)
{
  return __atomic_load_n (&tracer.kernels, __ATOMIC_ACQUIRE) != 0;
}

void
accscope_cuda_trace_kernels (void)
{
  if (__atomic_load_n (&tracer.asked, __ATOMIC_ACQUIRE))
    return;
  pthread_mutex_lock (&tracer.lock);
  if (!tracer.asked && !tracer.kernels && tracer.begun)
    enable_kernels ();
  __atomic_store_n (&tracer.asked, 1, __ATOMIC_RELEASE);
  pthread_mutex_unlock (&tracer.lock);
}

/* Fails where another tool uses CUPTI.  tracer.lock is held.  */
static int
enable (bool kernels)
{
  tracer.begun = accscope_cupti_begin (&use);
  if (!tracer.begun)
    return 0;
  if (!kernels || enable_kernels ())
    return 1;
  disable ();
  return 0;
}

int
accscope_cuda_has_cupti (const char *path)
{
  return accscope_cupti_open (path);
}

static void
relating (uint64_t number)
{
  enqueueing = RELATES | number;
}

void
accscope_cuda_trace_relate (struct accscope_cuda_device *d)
{
  accscope_cuda_clocks_copy (d, relating, accscope_cuda_trace_end);
}

/* Returns whether a record of CUPTI's came whose time the GPU's is known of.  */
static int
related (struct accscope_cuda_device *d)
{
  const struct timespec moment = { 0, 1000000 };
  int64_t start = accscope_cuda_now ();

  do
    {
      accscope_cuda_trace_relate (d);
      accscope_cupti_flush (0);
      if (__atomic_load_n (&d->clocks.cupti_known, __ATOMIC_ACQUIRE))
	return 1;
      nanosleep (&moment, NULL);
    }
  while (accscope_cuda_now () - start < PATIENCE * 1000000ll);
  return __atomic_load_n (&d->clocks.cupti_known, __ATOMIC_ACQUIRE);
}

static void
set_device (struct accscope_cuda_device *d, struct accscope_cuda_device *to)
{
  accscope_cupti_pause ();
  tracer.device[d->device] = to;
  accscope_cupti_resume ();
}

/* tracer.lock is held.  */
static void
drop_user (void)
{
  if (--tracer.users == 0)
    disable ();
}

int
accscope_cuda_trace (struct accscope_cuda_device *d, int on, bool kernels,
		     const char *path)
{
  int was = __atomic_load_n (&d->tracing, __ATOMIC_ACQUIRE), can = was;

  pthread_mutex_lock (&tracer.lock);
  if (on && !was && d->device < MOST_DEVICES && prepare (path)
      && accscope_cuda_clocks_read_gpu (d)
      && (tracer.begun || enable (kernels))
      && (!kernels || tracer.kernels || enable_kernels ()))
    {
      set_device (d, d);
      tracer.users++;
      __atomic_store_n (&d->clocks.cupti_known, 0, __ATOMIC_RELEASE);
      can = related (d);
      if (can)
	__atomic_store_n (&d->tracing, 1, __ATOMIC_RELEASE);
      else
	{
	  set_device (d, NULL);
	  drop_user ();
	}
    }
  else if (!on && was)
    {
      __atomic_store_n (&d->tracing, 0, __ATOMIC_RELEASE);
      drop_user ();
      can = 0;
    }
  pthread_mutex_unlock (&tracer.lock);
  return can;
}

void
accscope_cuda_trace_close (struct accscope_cuda_device *d)
{
  struct accscope_cuda_pieces *p;

  /* CUPTI itself stays as it is: the process may be ending, and CUPTI with it.  */
  pthread_mutex_lock (&tracer.lock);
  if (__atomic_exchange_n (&d->tracing, 0, __ATOMIC_ACQ_REL))
    tracer.users--;
  pthread_mutex_unlock (&tracer.lock);
  accscope_cupti_pause ();
  if (d->device < MOST_DEVICES && tracer.device[d->device] == d)
    tracer.device[d->device] = NULL;
  accscope_cupti_resume ();
  while ((p = d->pieces) != NULL)
    {
      d->pieces = p->next;
      free (p);
    }
  free (d->record);
}

void
accscope_cuda_trace_begin (struct accscope_cuda_device *d, uint64_t correlation,
			   int kind, uint64_t bytes)
{
  const int pageable = (kind & ACCSCOPE_CUDA_PAGEABLE) != 0;

  kind &= ~ACCSCOPE_CUDA_PAGEABLE;
  enqueueing = correlation;
  if (kind == ACCSCOPE_KERNEL)
    return;
  if (bytes == 0)		/* the driver is not called */
    {
      int64_t now = accscope_cuda_now () - d->origin;
      struct accscope_cuda_record r = { correlation, kind, 0, now, now, 0 };
      pthread_mutex_lock (&d->trace_lock);
      append (d, &r);
      pthread_mutex_unlock (&d->trace_lock);
    }
  else if ((bytes >= ACCSCOPE_CUDA_STAGE_BYTES || pageable)
	   && (kind == ACCSCOPE_UPLOAD || kind == ACCSCOPE_DOWNLOAD))
    {
      struct accscope_cuda_pieces *p = calloc (1, sizeof *p);
      if (p == NULL)
	return;
      p->record = (struct accscope_cuda_record) { correlation, kind, bytes, 0, 0, pageable };
      p->missing = bytes;
      pthread_mutex_lock (&d->trace_lock);
      p->next = d->pieces;
      d->pieces = p;
      pthread_mutex_unlock (&d->trace_lock);
    }
}

void
accscope_cuda_trace_end (void)
{
  enqueueing = 0;
}

void
accscope_cuda_trace_flush (struct accscope_cuda_device *d)
{
  (void) d;
  accscope_cupti_flush (0);
}

size_t
accscope_cuda_traced (struct accscope_cuda_device *d, struct accscope_cuda_record *where,
		      size_t room)
{
  size_t n;

  pthread_mutex_lock (&d->trace_lock);
  n = d->records < room ? d->records : room;
  if (n > 0)
    {
      memcpy (where, d->record, n * sizeof *where);
      d->records -= n;
      memmove (d->record, d->record + n, d->records * sizeof *where);
    }
  pthread_mutex_unlock (&d->trace_lock);
  return n;
}
