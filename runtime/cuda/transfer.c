/* Transfers, and which way each goes: at once, through pinned memory of the
   queue's (small downloads), or in stages (staging.c).  */
#include "cuda.h"

/* Up to this size the driver copies pageable memory itself before a call
   returns, without waiting for the stream.  */
#define DIRECT ((size_t) 64 << 10)

/* Whether the device can reach host memory as it is.  */
static int
pinned (struct accscope_cuda_device *d, uintptr_t address)
{
  unsigned type = 0;

  return d->cuda->cuPointerGetAttribute (&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
					 address) == CUDA_SUCCESS
	 && type == CU_MEMORYTYPE_HOST;
}

struct accscope_cuda_answer
accscope_cuda_upload (struct accscope_cuda_queue *q, uint64_t correlation,
		      CUdeviceptr to, uintptr_t from, size_t bytes, int now)
{
  struct accscope_cuda_device *d = q->device;
  struct accscope_cuda_answer a = SUCCESS;
  struct accscope_cuda_operation *o;
  CUcontext before;
  int in_order;

  pthread_mutex_lock (&q->lock);
  /* The queue may still have to write what this operation reads.  */
  in_order = q->writes > q->finished;
  if (in_order && now)
    {
      pthread_mutex_unlock (&q->lock);
      a = accscope_cuda_synchronize (q);
      if (FAILED (a))
	return a;
      pthread_mutex_lock (&q->lock);
      in_order = 0;
    }
  before = accscope_cuda_enter (d);
  if (in_order)
    {
      a = accscope_cuda_commit (q);
      if (!FAILED (a))
	a = accscope_cuda_stage_upload (q, correlation, to, (const char *) from,
					bytes, 0, bytes > DIRECT && !pinned (d, from));
    }
  else if (bytes <= DIRECT || pinned (d, from))
    {
      o = accscope_cuda_measure (q, correlation, ACCSCOPE_CUDA_UPLOAD, bytes);
      if (bytes > 0)
	a = CALL (d, cuMemcpyHtoDAsync, to, (const void *) from, bytes, q->stream);
      accscope_cuda_measured (q, o);
    }
  else
    a = accscope_cuda_stage_upload (q, correlation, to, (const char *) from,
				    bytes, now, 1);
  q->submitted++;
  pthread_mutex_unlock (&q->lock);
  accscope_cuda_leave (d, before);
  return a;
}

struct accscope_cuda_answer
accscope_cuda_store (struct accscope_cuda_queue *q, CUdeviceptr to,
		     const void *contents, size_t bytes)
{
  struct accscope_cuda_device *d = q->device;
  struct accscope_cuda_answer a = SUCCESS;
  CUcontext before = accscope_cuda_enter (d);
  size_t done, n;

  pthread_mutex_lock (&q->lock);
  for (done = 0; done < bytes && !FAILED (a); done += n)
    {
      n = bytes - done < DIRECT ? bytes - done : DIRECT;
      a = CALL (d, cuMemcpyHtoDAsync, to + done, (const char *) contents + done, n,
		q->stream);
    }
  q->submitted++;
  pthread_mutex_unlock (&q->lock);
  accscope_cuda_leave (d, before);
  return a;
}

/* Room in the queue's pinned memory, NULL if there is none.  */
static char *
bounce (struct accscope_cuda_queue *q, size_t bytes)
{
  struct accscope_cuda_device *d = q->device;
  char *room;

  if (q->bounce == NULL
      && d->cuda->cuMemHostAlloc ((void **) &q->bounce,
				  ACCSCOPE_CUDA_BOUNCE_BYTES,
				  CU_MEMHOSTALLOC_PORTABLE) != CUDA_SUCCESS)
    {
      q->bounce = NULL;
      return NULL;
    }
  bytes = (bytes + 15) & ~(size_t) 15;
  if (bytes > ACCSCOPE_CUDA_BOUNCE_BYTES - q->bounce_used)
    return NULL;
  room = q->bounce + q->bounce_used;
  q->bounce_used += bytes;
  return room;
}

/* What many parts, or nobody who waits, are left with goes onto the stream.  */
static struct accscope_cuda_answer
download_small (struct accscope_cuda_queue *q, uint64_t correlation,
		const struct accscope_part *part, unsigned parts,
		CUdeviceptr from, size_t bytes, char *room, int now)
{
  struct accscope_cuda_device *d = q->device;
  struct accscope_cuda_operation *o;
  struct accscope_cuda_answer a = SUCCESS;
  int later = !now || parts > ACCSCOPE_CUDA_COPIES;
  unsigned i;

  if (later || q->copies + parts > ACCSCOPE_CUDA_COPIES)
    a = accscope_cuda_commit (q);
  if (FAILED (a))
    return a;
  o = accscope_cuda_measure (q, correlation, ACCSCOPE_CUDA_DOWNLOAD, bytes);
  if (bytes > 0)
    a = CALL (d, cuMemcpyDtoHAsync, room, from, bytes, q->stream);
  accscope_cuda_measured (q, o);
  if (FAILED (a))
    return a;
  if (later)
    {
      q->last_number = UINT64_MAX;	/* something is between two operations */
      return accscope_cuda_bring_later (d, q->stream, part, parts, room, 0, bytes);
    }
  for (i = 0; i < parts; i++)
    q->copy[q->copies++] = accscope_cuda_within (&part[i], room, 0, bytes);
  return a;
}

struct accscope_cuda_answer
accscope_cuda_download (struct accscope_cuda_queue *q, uint64_t correlation,
			const struct accscope_part *part, unsigned parts,
			CUdeviceptr from, size_t bytes, int now)
{
  struct accscope_cuda_device *d = q->device;
  CUcontext before = accscope_cuda_enter (d);
  struct accscope_cuda_answer a;
  struct accscope_cuda_operation *o;
  char *room = NULL;

  pthread_mutex_lock (&q->lock);
  if (bytes <= DIRECT)
    room = bounce (q, bytes);
  if (room != NULL)
    a = download_small (q, correlation, part, parts, from, bytes, room, now);
  else
    {
      a = accscope_cuda_commit (q);
      if (FAILED (a))
	;
      else if (bytes > DIRECT && parts == 1 && pinned (d, part->host))
	{
	  o = accscope_cuda_measure (q, correlation, ACCSCOPE_CUDA_DOWNLOAD, bytes);
	  a = CALL (d, cuMemcpyDtoHAsync, (void *) part->host, from, bytes, q->stream);
	  accscope_cuda_measured (q, o);
	}
      else
	a = accscope_cuda_stage_download (q, correlation, part, parts, from, bytes,
					  now && bytes > DIRECT, bytes > DIRECT);
    }
  q->writes = ++q->submitted;
  pthread_mutex_unlock (&q->lock);
  accscope_cuda_leave (d, before);
  return a;
}

struct accscope_cuda_answer
accscope_cuda_copy (struct accscope_cuda_queue *q, uint64_t correlation,
		    CUdeviceptr to, CUdeviceptr from, size_t bytes)
{
  struct accscope_cuda_device *d = q->device;
  CUcontext before = accscope_cuda_enter (d);
  struct accscope_cuda_answer a = SUCCESS;
  struct accscope_cuda_operation *o;

  pthread_mutex_lock (&q->lock);
  o = accscope_cuda_measure (q, correlation, ACCSCOPE_CUDA_COPY, bytes);
  if (bytes > 0)
    a = CALL (d, cuMemcpyDtoDAsync, to, from, bytes, q->stream);
  accscope_cuda_measured (q, o);
  q->submitted++;
  pthread_mutex_unlock (&q->lock);
  accscope_cuda_leave (d, before);
  return a;
}

struct accscope_cuda_answer
accscope_cuda_fill (struct accscope_cuda_queue *q, uint64_t correlation,
		    CUdeviceptr to, unsigned char value, size_t bytes)
{
  struct accscope_cuda_device *d = q->device;
  CUcontext before = accscope_cuda_enter (d);
  struct accscope_cuda_answer a = SUCCESS;
  struct accscope_cuda_operation *o;

  pthread_mutex_lock (&q->lock);
  o = accscope_cuda_measure (q, correlation, ACCSCOPE_CUDA_FILL, bytes);
  if (bytes > 0)
    a = CALL (d, cuMemsetD8Async, to, value, bytes, q->stream);
  accscope_cuda_measured (q, o);
  q->submitted++;
  pthread_mutex_unlock (&q->lock);
  accscope_cuda_leave (d, before);
  return a;
}
