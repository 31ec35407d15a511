/* Times of kernels that they take themselves: an image that is loaded while
   somebody observes has its kernels write the GPU's clock at their beginning and
   at their end (stamp.go), into slots that are read back a page at a time.  That
   costs the host some tens of nanoseconds a launch, where events or CUPTI's records
   cost one to two microseconds.  */
#include "cuda.h"
#include "stamps.h"

#include <stdlib.h>
#include <string.h>

/* What kernels write, which the text in stamp.go knows.  */
struct stamps
{
  uint64_t start[ACCSCOPE_CUDA_STAMPS];		/* of the first gang */
  /* Of gangs, 0 until one has ended.  */
  uint64_t end[ACCSCOPE_CUDA_STAMP_ENDS][ACCSCOPE_CUDA_STAMPS];
};

#define CHUNK 16		/* pages are made so many at a time */
#define MOST_CHUNKS 16
#define FEW 8			/* pages that are to be left for the next while */
#define BUSY 20			/* times that a queue in use is left alone */

struct accscope_cuda_page
{
  struct accscope_cuda_page *next;
  CUdeviceptr memory;
  struct stamps *copy;		/* pinned */
  CUevent ended;		/* behind its kernels, while they may run */
  CUevent copied;		/* behind the reading back */
  unsigned used, read;
  uint64_t before;		/* kernels of its queue before its first */
  uint64_t correlation[ACCSCOPE_CUDA_STAMPS];
};

struct accscope_cuda_chunk
{
  struct accscope_cuda_chunk *next;
  CUdeviceptr memory;
  struct stamps *copy;
  struct accscope_cuda_page page[CHUNK];
};

/* Not while an operation is enqueued: the driver may wait for the device.
   d->clock_lock is held.  Returns whether there are pages.  */
static int
make_pages (struct accscope_cuda_device *d)
{
  struct accscope_cuda_stamps *s = &d->stamps;
  struct accscope_cuda_chunk *c;
  size_t bytes = sizeof (struct stamps);
  void *copy = NULL;
  unsigned i;

  if (s->chunks == MOST_CHUNKS || (c = calloc (1, sizeof *c)) == NULL)
    return s->chunks > 0;
  if (d->cuda->cuMemAlloc (&c->memory, CHUNK * bytes) != CUDA_SUCCESS)
    {
      free (c);
      return s->chunks > 0;
    }
  if (d->cuda->cuMemHostAlloc (&copy, CHUNK * bytes, 0) != CUDA_SUCCESS
      || d->cuda->cuMemsetD8Async (c->memory, 0, CHUNK * bytes, d->clock) != CUDA_SUCCESS
      || d->cuda->cuStreamSynchronize (d->clock) != CUDA_SUCCESS)
    {
      if (copy != NULL)
	GIVE_BACK (d, cuMemFreeHost, copy);
      GIVE_BACK (d, cuMemFree, c->memory);
      free (c);
      return s->chunks > 0;
    }
  pthread_mutex_lock (&d->lock);
  c->copy = copy;
  c->next = s->chunk;
  s->chunk = c;
  s->chunks++;
  for (i = 0; i < CHUNK; i++)
    {
      c->page[i].memory = c->memory + i * bytes;
      c->page[i].copy = &c->copy[i];
      c->page[i].next = s->spare;
      s->spare = &c->page[i];
      s->spares++;
    }
  pthread_mutex_unlock (&d->lock);
  return 1;
}

static struct accscope_cuda_page *
take_page (struct accscope_cuda_queue *q)
{
  struct accscope_cuda_device *d = q->device;
  struct accscope_cuda_page *p;

  LOCKED (&d->lock);
  p = d->stamps.spare;
  if (p != NULL)
    {
      d->stamps.spare = p->next;
      d->stamps.spares--;
    }
  return p;
}

static void
release (struct accscope_cuda_device *d, CUevent *event)
{
  if (*event != NULL)
    accscope_cuda_event_release (d, *event);
  *event = NULL;
}

/* A page whose memory may not be clear is not used again.  */
static void
lose_page (struct accscope_cuda_device *d, struct accscope_cuda_page *p)
{
  release (d, &p->ended);
  release (d, &p->copied);
}

/* So that nothing waits for the times of its kernels; q->lock is held.  */
static void
lose_times (struct accscope_cuda_queue *q, struct accscope_cuda_page *p)
{
  accscope_cuda_ended (q, p->before + p->used, ACCSCOPE_CUDA_UNKNOWN);
  lose_page (q->device, p);
}

static void
give_page (struct accscope_cuda_device *d, struct accscope_cuda_page *p)
{
  lose_page (d, p);
  p->used = p->read = 0;
  LOCKED (&d->lock);
  p->next = d->stamps.spare;
  d->stamps.spare = p;
  d->stamps.spares++;
}

CUdeviceptr
accscope_cuda_stamp (struct accscope_cuda_queue *q)
{
  struct accscope_cuda_device *d = q->device;
  struct accscope_cuda_page *p = q->page;

  /* The program may do with its own stream what it likes.  */
  if (q->adopted || !__atomic_load_n (&d->observing, __ATOMIC_RELAXED)
      || !__atomic_load_n (&d->stamps.ready, __ATOMIC_ACQUIRE))
    return 0;
  if (p == NULL && (p = q->page = take_page (q)) == NULL)
    return 0;
  return p->memory + p->used * sizeof p->copy->start[0];
}

static int
open_reader (struct accscope_cuda_queue *q)
{
  return q->reader != NULL
	 || !FAILED (accscope_cuda_stream (q->device, CU_STREAM_NON_BLOCKING, &q->reader));
}

/* Has a page read back and cleared, on a stream of its own: its kernels have ended.
   What fails here and below fails because the device did, which the program's own
   operations tell.  */
static int
fetch (struct accscope_cuda_queue *q, struct accscope_cuda_page *p)
{
  struct accscope_cuda_device *d = q->device;
  size_t bytes = sizeof *p->copy;
  struct accscope_cuda_answer a;

  release (d, &p->ended);
  p->copied = accscope_cuda_event (d, 0, &a);
  return p->copied != NULL && open_reader (q)
	 && d->cuda->cuMemcpyDtoHAsync (p->copy, p->memory, bytes, q->reader) == CUDA_SUCCESS
	 && d->cuda->cuMemsetD8Async (p->memory, 0, bytes, q->reader) == CUDA_SUCCESS
	 && d->cuda->cuEventRecord (p->copied, q->reader) == CUDA_SUCCESS;
}

/* Puts the page behind those that are to be read.  Where its kernels may still run,
   only an event goes onto the queue's stream: another stream that waited for it could
   keep a third one waiting.  */
static void
turn (struct accscope_cuda_queue *q, int idle)
{
  struct accscope_cuda_device *d = q->device;
  struct accscope_cuda_page *p = q->page;
  struct accscope_cuda_answer a;
  int turned;

  q->page = NULL;
  q->skipped = 0;
  if (idle)
    turned = fetch (q, p);
  else
    {
      q->last_number = UINT64_MAX;	/* something is between two operations */
      p->ended = accscope_cuda_event (d, 0, &a);
      turned = p->ended != NULL && d->cuda->cuEventRecord (p->ended, q->stream) == CUDA_SUCCESS;
    }
  if (!turned)
    {
      lose_times (q, p);
      return;
    }
  p->next = NULL;
  *q->last_turned = p;
  q->last_turned = &p->next;
}

/* Fetches the pages whose kernels have ended; q->lock is held.  */
static void
fetch_ended (struct accscope_cuda_queue *q)
{
  struct accscope_cuda_device *d = q->device;
  struct accscope_cuda_page **link = &q->turned, *p;

  while ((p = *link) != NULL)
    {
      if (p->ended != NULL && d->cuda->cuEventQuery (p->ended) != CUDA_SUCCESS)
	return;
      if (p->ended != NULL && !fetch (q, p))
	{
	  if ((*link = p->next) == NULL)
	    q->last_turned = link;
	  lose_times (q, p);
	  continue;
	}
      link = &p->next;
    }
}

void
accscope_cuda_stamped (struct accscope_cuda_queue *q, uint64_t correlation)
{
  struct accscope_cuda_page *p = q->page;

  if (p->used == 0)
    p->before = q->stamped;
  q->stamped++;
  p->correlation[p->used++] = correlation;
  if (p->used == ACCSCOPE_CUDA_STAMPS)
    turn (q, 0);
}

/* A queue that launches again and again is left alone until its page is full or has
   waited for long: reading a page back and clearing it keep the GPU's copy engine and
   the driver's locks from the program's own operations.  */
void
accscope_cuda_turn (struct accscope_cuda_queue *q, enum accscope_cuda_turning when)
{
  struct accscope_cuda_device *d = q->device;
  int idle, due;

  LOCKED (&q->lock);
  if ((q->page == NULL || q->page->used == 0) && q->turned == NULL)
    return;
  ENTERED (d);
  idle = d->cuda->cuStreamQuery (q->stream) == CUDA_SUCCESS;
  due = when == ACCSCOPE_CUDA_NOW || (idle && (when == ACCSCOPE_CUDA_IF_IDLE || q->stamped == q->looked_at));
  if (when == ACCSCOPE_CUDA_IF_UNUSED)
    q->looked_at = q->stamped;
  if (q->page != NULL && q->page->used > 0 && (due || ++q->skipped > BUSY))
    turn (q, idle);
  fetch_ended (q);
  if (when == ACCSCOPE_CUDA_NOW && idle && q->reader != NULL)
    GIVE_BACK (d, cuStreamSynchronize, q->reader);
}

/* The next page of the queue that has come back, NULL if there is none.  */
static struct accscope_cuda_page *
next_page (struct accscope_cuda_queue *q)
{
  struct accscope_cuda_page *p;

  LOCKED (&q->lock);
  p = q->turned;
  if (p != NULL
      && (p->ended != NULL || q->device->cuda->cuEventQuery (p->copied) != CUDA_SUCCESS))
    p = NULL;
  if (p != NULL && (q->turned = p->next) == NULL)
    q->last_turned = &q->turned;
  return p;
}

/* Of the kernel that is to be read next.  */
static uint64_t
last_end (const struct accscope_cuda_page *p)
{
  uint64_t last = 0;
  unsigned i;

  for (i = 0; i < ACCSCOPE_CUDA_STAMP_ENDS; i++)
    if (p->copy->end[i][p->read] > last)
      last = p->copy->end[i][p->read];
  return last;
}

/* What begins behind the kernel that was read learns of its end.  It was there before
   the page was turned, by a thread with the same lock.  */
static void
tell_end (struct accscope_cuda_queue *q, uint64_t kernel, struct accscope_cuda_moment moment)
{
  uint64_t awaited = __atomic_load_n (&q->behind_number, __ATOMIC_RELAXED);

  if (awaited == 0 || awaited > kernel)
    return;
  LOCKED (&q->lock);
  accscope_cuda_ended (q, kernel, moment);
}

size_t
accscope_cuda_read_stamps (struct accscope_cuda_queue *q, struct accscope_cuda_record *where,
			   size_t room)
{
  struct accscope_cuda_device *d = q->device;
  struct accscope_cuda_relation relation = accscope_cuda_relation (d);
  struct accscope_cuda_page *p;
  int64_t now = accscope_cuda_now () - d->origin;
  size_t n = 0;

  while (n < room && ((p = q->reading) != NULL || (p = next_page (q)) != NULL))
    {
      q->reading = p;
      for (; n < room && p->read < p->used; p->read++)
	{
	  uint64_t start = p->copy->start[p->read], end = last_end (p);
	  struct accscope_cuda_record *r = &where[n];

	  if (start == 0 || end == 0)	/* it ended the program, or failed */
	    {
	      tell_end (q, p->before + p->read + 1, ACCSCOPE_CUDA_UNKNOWN);
	      continue;
	    }
	  *r = (struct accscope_cuda_record) {
	    p->correlation[p->read], ACCSCOPE_KERNEL, 0,
	    accscope_cuda_gpu_time (&relation, d->origin, start),
	    accscope_cuda_gpu_time (&relation, d->origin, end), 0
	  };
	  /* However the clocks are related: kernels of a queue do not overlap, and what
	     has ended has done so by now.  */
	  if (r->start > now)
	    r->start = now;
	  if (r->end > now)
	    r->end = now;
	  if (r->start < q->last_stamp)
	    r->start = q->last_stamp;
	  if (r->end <= r->start)	/* the GPU's clock has steps of up to 256 ns */
	    r->end = r->start + 1;
	  q->last_stamp = r->end;
	  tell_end (q, p->before + p->read + 1, (struct accscope_cuda_moment) { r->end, end });
	  n++;
	}
      if (p->read < p->used)
	break;
      q->reading = NULL;
      give_page (d, p);
    }
  return n;
}

/* The queue was waited for, and its records were read: what is left is there because
   the device failed, or nobody observes any more.  */
void
accscope_cuda_drop_pages (struct accscope_cuda_queue *q)
{
  struct accscope_cuda_device *d = q->device;
  struct accscope_cuda_page *p;

  int clear = q->reader != NULL && d->cuda->cuStreamSynchronize (q->reader) == CUDA_SUCCESS;

  if (q->reader != NULL)
    GIVE_BACK (d, cuStreamDestroy, q->reader);
  while ((p = q->turned) != NULL)
    {
      q->turned = p->next;
      if (clear && p->ended == NULL)
	give_page (d, p);
      else
	lose_page (d, p);
    }
  if (q->reading != NULL)
    give_page (d, q->reading);
  if (q->page != NULL && q->page->used == 0)
    give_page (d, q->page);
  else if (q->page != NULL)
    lose_page (d, q->page);
}

int
accscope_cuda_stamps_open (struct accscope_cuda_device *d)
{
  if (!accscope_cuda_clocks_read_gpu (d))
    return 0;
  ENTERED (d);
  LOCKED (&d->clock_lock);
  if (!d->stamps.ready && make_pages (d))
    __atomic_store_n (&d->stamps.ready, 1, __ATOMIC_RELEASE);
  return d->stamps.ready;
}

void
accscope_cuda_stamps_keep (struct accscope_cuda_device *d)
{
  int few;

  pthread_mutex_lock (&d->lock);
  few = d->stamps.spares < FEW;
  pthread_mutex_unlock (&d->lock);
  if (!few)
    return;
  ENTERED (d);
  LOCKED (&d->clock_lock);
  make_pages (d);
}

/* The device is being closed, and nothing runs on it.  */
void
accscope_cuda_stamps_close (struct accscope_cuda_device *d)
{
  struct accscope_cuda_chunk *c;

  while ((c = d->stamps.chunk) != NULL)
    {
      d->stamps.chunk = c->next;
      GIVE_BACK (d, cuMemFree, c->memory);
      GIVE_BACK (d, cuMemFreeHost, c->copy);
      free (c);
    }
}
