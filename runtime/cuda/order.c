/* The order of operations: streams, events, marks, and waiting for a queue.  */
#include "cuda.h"

#include <stdlib.h>
#include <string.h>

struct accscope_cuda_answer
accscope_cuda_stream (struct accscope_cuda_device *d, unsigned flags,
		      CUstream *stream)
{
  struct accscope_cuda_answer a = CALL (d, cuStreamCreate, stream, flags);

  if (FAILED (a))
    *stream = NULL;		/* whatever the driver has left there */
  return a;
}

CUevent
accscope_cuda_event (struct accscope_cuda_device *d, int timed,
		     struct accscope_cuda_answer *answer)
{
  struct accscope_cuda_events *events = timed ? &d->timed : &d->plain;
  CUevent event = NULL;

  pthread_mutex_lock (&d->lock);
  if (events->count > 0)
    event = events->event[--events->count];
  pthread_mutex_unlock (&d->lock);
  if (event == NULL)
    {
      *answer = CALL (d, cuEventCreate, &event,
		      timed ? CU_EVENT_DEFAULT : CU_EVENT_DISABLE_TIMING);
      if (FAILED (*answer))
	return NULL;
    }
  return event;
}

static void
give_back (struct accscope_cuda_device *d, struct accscope_cuda_events *events,
	   CUevent event)
{
  LOCKED (&d->lock);
  if (events->count == events->capacity)
    {
      size_t capacity = events->capacity ? 2 * events->capacity : 64;
      CUevent *grown = realloc (events->event, capacity * sizeof *grown);
      if (grown != NULL)
	{
	  events->event = grown;
	  events->capacity = capacity;
	}
    }
  if (events->count < events->capacity)
    events->event[events->count++] = event;
}

void
accscope_cuda_event_release (struct accscope_cuda_device *d, CUevent event)
{
  give_back (d, &d->plain, event);
}

void
accscope_cuda_timed_release (struct accscope_cuda_device *d, CUevent event)
{
  give_back (d, &d->timed, event);
}

struct accscope_cuda_answer
accscope_cuda_record (struct accscope_cuda_queue *q, CUevent *event,
		      int *writes)
{
  struct accscope_cuda_device *d = q->device;
  struct accscope_cuda_answer a;

  ENTERED (d);
  LOCKED (&q->lock);
  a = accscope_cuda_commit (q);
  if (!FAILED (a) && (*event = accscope_cuda_event (d, 0, &a)) != NULL)
    {
      a = CALL (d, cuEventRecord, *event, q->stream);
      if (FAILED (a))
	accscope_cuda_event_release (d, *event);
    }
  *writes = q->writes > q->finished;
  return a;
}

struct accscope_cuda_answer
accscope_cuda_event_query (struct accscope_cuda_device *d, CUevent event)
{
  ENTERED (d);
  return CALL (d, cuEventQuery, event);
}

struct accscope_cuda_answer
accscope_cuda_wait (struct accscope_cuda_queue *q, CUevent event, int writes)
{
  struct accscope_cuda_device *d = q->device;

  ENTERED (d);
  LOCKED (&q->lock);
  q->submitted++;
  if (writes)
    q->writes = q->submitted;
  return CALL (d, cuStreamWaitEvent, q->stream, event, 0);
}

static void
run_copies (const struct accscope_cuda_copy *copy, unsigned count)
{
  unsigned i;

  for (i = 0; i < count; i++)
    accscope_cuda_parallel_copy (copy[i].to, copy[i].from, copy[i].bytes);
}

struct later
{
  unsigned count;
  struct accscope_cuda_copy copy[];
};

static void
run_later (void *argument)
{
  struct later *all = argument;

  run_copies (all->copy, all->count);
  free (all);
}

static struct later *
new_later (unsigned count)
{
  struct later *all = malloc (sizeof *all + count * sizeof all->copy[0]);

  if (all != NULL)
    all->count = count;
  return all;
}

/* Frees all where that fails.  */
static ACCSCOPE_USED struct accscope_cuda_answer
put_later (struct accscope_cuda_device *d, CUstream stream, struct later *all)
{
  struct accscope_cuda_answer a;

  if (all == NULL)
    return ANSWER (malloc, CUDA_ERROR_OUT_OF_MEMORY);
  a = CALL (d, cuLaunchHostFunc, stream, run_later, all);
  if (FAILED (a))
    free (all);
  return a;
}

struct accscope_cuda_answer
accscope_cuda_bring_later (struct accscope_cuda_device *d, CUstream stream,
			   const struct accscope_part *part, unsigned parts,
			   struct accscope_cuda_piece piece)
{
  struct later *all = new_later (parts);
  unsigned i;

  for (i = 0; all != NULL && i < parts; i++)
    all->copy[i] = accscope_cuda_within (&part[i], piece);
  return put_later (d, stream, all);
}

struct accscope_cuda_answer
accscope_cuda_commit (struct accscope_cuda_queue *q)
{
  struct accscope_cuda_answer a;
  struct later *all;

  if (q->copies == 0)
    return SUCCESS;
  q->last_number = UINT64_MAX;	/* something is between two operations */
  all = new_later (q->copies);
  if (all != NULL)
    memcpy (all->copy, q->copy, q->copies * sizeof q->copy[0]);
  a = put_later (q->device, q->stream, all);
  if (!FAILED (a))
    q->copies = 0;
  return a;
}

/* Ends what was left to whoever waits: everything up to number is done.  The
   copies are those that were taken from the queue before it was waited for.  */
static void
finish (struct accscope_cuda_queue *q, uint64_t number)
{
  LOCKED (&q->lock);
  if (q->finished < number)
    q->finished = number;
  if (q->submitted == number && q->copies == 0)
    q->bounce_used = 0;
}

struct accscope_cuda_answer
accscope_cuda_idle (struct accscope_cuda_queue *q)
{
  struct accscope_cuda_device *d = q->device;
  struct accscope_cuda_answer a = SUCCESS;

  if (__atomic_load_n (&q->staging, __ATOMIC_ACQUIRE))
    return ANSWER (cuStreamQuery, CUDA_ERROR_NOT_READY);
  LOCKED (&q->lock);
  if (q->submitted != q->finished || q->adopted)
    {
      /* Whoever holds completion waits for the queue already.  */
      if (pthread_mutex_trylock (&q->completion) != 0)
	return ANSWER (cuStreamQuery, CUDA_ERROR_NOT_READY);
      ENTERED (d);
      a = CALL (d, cuStreamQuery, q->stream);
      if (!FAILED (a))
	{
	  run_copies (q->copy, q->copies);
	  q->copies = 0;
	  q->bounce_used = 0;
	  q->finished = q->submitted;
	}
      pthread_mutex_unlock (&q->completion);
    }
  return a;
}

struct accscope_cuda_answer
accscope_cuda_synchronize (struct accscope_cuda_queue *q)
{
  struct accscope_cuda_device *d = q->device;
  struct accscope_cuda_answer a = SUCCESS;
  struct accscope_cuda_copy copy[ACCSCOPE_CUDA_COPIES];
  unsigned copies;
  uint64_t number;
  int done;

  LOCKED (&q->completion);
  pthread_mutex_lock (&q->lock);
  number = q->submitted;
  copies = q->copies;
  memcpy (copy, q->copy, copies * sizeof copy[0]);
  q->copies = 0;
  done = number == q->finished && !q->adopted;
  pthread_mutex_unlock (&q->lock);
  if (done)
    return a;
  ENTERED (d);
  a = CALL (d, cuStreamSynchronize, q->stream);
  if (!FAILED (a))
    {
      run_copies (copy, copies);
      finish (q, number);
    }
  return a;
}

static void
run_then (void *handle)
{
  accscope_cuda_run_then ((uintptr_t) handle);
}

struct accscope_cuda_answer
accscope_cuda_then (struct accscope_cuda_queue *q, uintptr_t handle)
{
  struct accscope_cuda_device *d = q->device;
  struct accscope_cuda_answer a;

  ENTERED (d);
  LOCKED (&q->lock);
  q->submitted++;
  a = accscope_cuda_commit (q);
  return FAILED (a) ? a : CALL (d, cuLaunchHostFunc, q->stream, run_then, (void *) handle);
}
