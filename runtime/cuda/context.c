#include "cuda.h"

#include <stdlib.h>
#include <string.h>

struct accscope_cuda_answer
accscope_cuda_open (const struct accscope_cuda_driver *cuda, int number,
		    struct accscope_cuda_device **opened)
{
  struct accscope_cuda_device *d = calloc (1, sizeof *d);
  struct accscope_cuda_answer a;
  unsigned i;

  if (d == NULL)
    return ANSWER (calloc, CUDA_ERROR_OUT_OF_MEMORY);
  d->cuda = cuda;
  a = CALL (d, cuDeviceGet, &d->device, number);
  if (!FAILED (a))
    a = CALL (d, cuDevicePrimaryCtxRetain, &d->context, d->device);
  if (FAILED (a))
    {
      free (d);
      return a;
    }
  pthread_mutex_init (&d->lock, NULL);
  pthread_mutex_init (&d->clock_lock, NULL);
  pthread_mutex_init (&d->trace_lock, NULL);
  for (i = 0; i <= ACCSCOPE_CUDA_LANES; i++)
    pthread_mutex_init (&d->lane[i].lock, NULL);
  a = accscope_cuda_clocks_open (d);
  if (FAILED (a))
    {
      accscope_cuda_given_back (d, a); /* the first failure, before those of closing */
      return accscope_cuda_close (d);
    }
  *opened = d;
  return a;
}

static void
destroy (struct accscope_cuda_device *d, struct accscope_cuda_events *events)
{
  size_t i;

  for (i = 0; i < events->count; i++)
    GIVE_BACK (d, cuEventDestroy, events->event[i]);
  free (events->event);
  memset (events, 0, sizeof *events);
}

struct accscope_cuda_answer
accscope_cuda_close (struct accscope_cuda_device *d)
{
  struct accscope_cuda_entered entered = accscope_cuda_enter (d);
  struct accscope_cuda_answer first;
  unsigned i;

  accscope_cuda_trace_close (d);
  accscope_cuda_stamps_close (d);
  for (i = 0; i <= ACCSCOPE_CUDA_LANES; i++)
    accscope_cuda_lane_close (d, &d->lane[i]);
  accscope_cuda_clocks_close (d);
  destroy (d, &d->plain);
  destroy (d, &d->timed);
  if (entered.before == d->context)
    GIVE_BACK (d, cuCtxSetCurrent, NULL);
  else
    accscope_cuda_leave (&entered);
  GIVE_BACK (d, cuDevicePrimaryCtxRelease, d->device);
  for (i = 0; i <= ACCSCOPE_CUDA_LANES; i++)
    pthread_mutex_destroy (&d->lane[i].lock);
  pthread_mutex_destroy (&d->trace_lock);
  pthread_mutex_destroy (&d->clock_lock);
  pthread_mutex_destroy (&d->lock);
  first = d->given_back;
  free (d);
  return first;
}

struct accscope_cuda_answer
accscope_cuda_queue_open (struct accscope_cuda_device *d, CUstream adopted,
			  struct accscope_cuda_queue **opened)
{
  struct accscope_cuda_queue *q = calloc (1, sizeof *q);
  struct accscope_cuda_answer a = SUCCESS;

  if (q == NULL)
    return ANSWER (calloc, CUDA_ERROR_OUT_OF_MEMORY);
  q->device = d;
  q->stream = adopted;
  q->adopted = adopted != NULL;
  if (!q->adopted)
    {
      ENTERED (d);
      /* A default stream waits for CUDA's null stream and has it wait, as the
	 queues of GCC's own library do: programs that mix both rely on it.  */
      a = accscope_cuda_stream (d, CU_STREAM_DEFAULT, &q->stream);
    }
  if (FAILED (a))
    {
      free (q);
      return a;
    }
  q->lane = &d->lane[__atomic_fetch_add (&d->next_lane, 1, __ATOMIC_RELAXED)
		     % ACCSCOPE_CUDA_LANES];
  pthread_mutex_init (&q->completion, NULL);
  pthread_mutex_init (&q->lock, NULL);
  q->last = &q->first;
  q->last_turned = &q->turned;
  *opened = q;
  return a;
}

static void
drop (struct accscope_cuda_operation *list)
{
  while (list != NULL)
    {
      struct accscope_cuda_operation *o = list;
      list = o->next;
      free (o);
    }
}

/* The queue was waited for.  */
struct accscope_cuda_answer
accscope_cuda_queue_close (struct accscope_cuda_queue *q)
{
  struct accscope_cuda_device *d = q->device;
  struct accscope_cuda_answer a = SUCCESS;

  ENTERED (d);
  drop (q->first);		/* the device failed: their times are unknown */
  if (q->last_end != NULL)
    accscope_cuda_mark_release (d, q->last_end);
  accscope_cuda_drop_pages (q);
  drop (q->spare);
  if (q->bounce != NULL && !FAILED (a))
    a = CALL (d, cuMemFreeHost, q->bounce);
  if (!q->adopted && !FAILED (a))
    a = CALL (d, cuStreamDestroy, q->stream);
  pthread_mutex_destroy (&q->completion);
  pthread_mutex_destroy (&q->lock);
  free (q);
  return a;
}

struct accscope_cuda_answer
accscope_cuda_memory_info (struct accscope_cuda_device *d, size_t *free,
			   size_t *total)
{
  ENTERED (d);
  return CALL (d, cuMemGetInfo, free, total);
}

struct accscope_cuda_answer
accscope_cuda_alloc (struct accscope_cuda_device *d, size_t bytes,
		     CUdeviceptr *address)
{
  ENTERED (d);
  return CALL (d, cuMemAlloc, address, bytes);
}

struct accscope_cuda_answer
accscope_cuda_free (struct accscope_cuda_device *d, CUdeviceptr address)
{
  ENTERED (d);
  return CALL (d, cuMemFree, address);
}

struct accscope_cuda_answer
accscope_cuda_reach (struct accscope_cuda_device *d, struct accscope_cuda_device *other)
{
  int can = 0;
  struct accscope_cuda_answer a = CALL (d, cuDeviceCanAccessPeer, &can, d->device, other->device);

  if (FAILED (a) || !can)
    return a;
  ENTERED (d);
  a = CALL (d, cuCtxEnablePeerAccess, other->context, 0);
  switch (a.result)
    {
    case CUDA_ERROR_PEER_ACCESS_UNSUPPORTED:
    case CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED:	/* by the program itself */
    case CUDA_ERROR_TOO_MANY_PEERS:
      return SUCCESS;
    default:
      return a;
    }
}
