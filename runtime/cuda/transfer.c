/* Transfers, and which way each goes: at once, through pinned memory of the
   queue's (small downloads), or in stages (staging.c).  */
#include "cuda.h"

#include <stdlib.h>

/* Up to this size the driver copies pageable memory itself before a call
   returns, without waiting for the stream.  */
#define DIRECT ((size_t) 64 << 10)

/* Sets a to what an operation of the queue answers that is measured.  The driver is not
   asked to move nothing.  */
#define MEASURED(kind, call)						\
  do									\
    {									\
      struct accscope_cuda_operation *o					\
	= accscope_cuda_measure (q, correlation, kind, bytes);		\
									\
      a = bytes > 0 ? (call) : SUCCESS;					\
      accscope_cuda_measured (q, o);					\
    }									\
  while (0)

/* Whether the device can reach host memory as it is.  Of memory that the driver does not
   know this call tells no type; that for one attribute fails, which tools report.  */
static int
pinned (struct accscope_cuda_device *d, uintptr_t address)
{
  unsigned type = 0;
  int attribute = CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
  void *value = &type;

  return d->cuda->cuPointerGetAttributes (1, &attribute, &value, address) == CUDA_SUCCESS
	 && type == CU_MEMORYTYPE_HOST;
}

/* At most DIRECT bytes, of which nothing is to be read later.  */
static ACCSCOPE_USED struct accscope_cuda_answer
upload_small (struct accscope_cuda_queue *q, uint64_t correlation, CUdeviceptr to,
	      const struct accscope_part *part, unsigned parts, size_t bytes)
{
  struct accscope_cuda_device *d = q->device;
  char *own = parts > 1 ? malloc (DIRECT) : NULL;
  const void *from = parts > 1 ? own : (const void *) part->host;
  struct accscope_cuda_answer a;

  if (parts > 1 && own == NULL)
    return ANSWER (malloc, CUDA_ERROR_OUT_OF_MEMORY);
  if (own != NULL)
    accscope_gather (part, parts, own);
  MEASURED (ACCSCOPE_UPLOAD, CALL (d, cuMemcpyHtoDAsync, to, from, bytes, q->stream));
  free (own);
  return a;
}

struct accscope_cuda_answer
accscope_cuda_upload (struct accscope_cuda_queue *q, uint64_t correlation,
		      CUdeviceptr to, const struct accscope_part *part,
		      unsigned parts, size_t bytes, int now)
{
  struct accscope_cuda_device *d = q->device;
  struct accscope_cuda_answer a = SUCCESS;
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
  ENTERED (d);
  if (in_order)
    {
      a = accscope_cuda_commit (q);
      if (!FAILED (a))
	a = accscope_cuda_stage_upload (q, correlation, to, part, parts, bytes, 0,
					bytes > DIRECT && !pinned (d, part->host));
    }
  else if (bytes <= DIRECT)
    a = upload_small (q, correlation, to, part, parts, bytes);
  else if (parts == 1 && pinned (d, part->host))
    MEASURED (ACCSCOPE_UPLOAD,
	      CALL (d, cuMemcpyHtoDAsync, to, (const void *) part->host, bytes, q->stream));
  else
    a = accscope_cuda_stage_upload (q, correlation, to, part, parts, bytes, now, 1);
  q->submitted++;
  pthread_mutex_unlock (&q->lock);
  return a;
}

struct accscope_cuda_answer
accscope_cuda_store (struct accscope_cuda_queue *q, CUdeviceptr to,
		     const void *contents, size_t bytes)
{
  struct accscope_cuda_device *d = q->device;
  struct accscope_cuda_answer a = SUCCESS;
  size_t done, n;

  ENTERED (d);
  LOCKED (&q->lock);
  for (done = 0; done < bytes && !FAILED (a); done += n)
    {
      n = bytes - done < DIRECT ? bytes - done : DIRECT;
      a = CALL (d, cuMemcpyHtoDAsync, to + done, (const char *) contents + done, n,
		q->stream);
    }
  q->submitted++;
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
static ACCSCOPE_USED struct accscope_cuda_answer
download_small (struct accscope_cuda_queue *q, uint64_t correlation,
		const struct accscope_part *part, unsigned parts,
		CUdeviceptr from, size_t bytes, char *room, int now)
{
  struct accscope_cuda_device *d = q->device;
  struct accscope_cuda_answer a = SUCCESS;
  struct accscope_cuda_piece piece = { room, 0, bytes, false };
  int later = !now || parts > ACCSCOPE_CUDA_COPIES;
  unsigned i;

  if (later || q->copies + parts > ACCSCOPE_CUDA_COPIES)
    a = accscope_cuda_commit (q);
  if (FAILED (a))
    return a;
  MEASURED (ACCSCOPE_DOWNLOAD,
	    CALL (d, cuMemcpyDtoHAsync, room, from, bytes, q->stream));
  if (FAILED (a))
    return a;
  if (later)
    {
      q->last_number = UINT64_MAX;	/* something is between two operations */
      return accscope_cuda_bring_later (d, q->stream, part, parts, piece);
    }
  for (i = 0; i < parts; i++)
    q->copy[q->copies++] = accscope_cuda_within (&part[i], piece);
  return a;
}

struct accscope_cuda_answer
accscope_cuda_download (struct accscope_cuda_queue *q, uint64_t correlation,
			const struct accscope_part *part, unsigned parts,
			CUdeviceptr from, size_t bytes, int now)
{
  struct accscope_cuda_device *d = q->device;
  struct accscope_cuda_answer a;
  char *room = NULL;

  ENTERED (d);
  LOCKED (&q->lock);
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
	MEASURED (ACCSCOPE_DOWNLOAD,
		  CALL (d, cuMemcpyDtoHAsync, (void *) part->host, from, bytes, q->stream));
      else
	a = accscope_cuda_stage_download (q, correlation, part, parts, from, bytes,
					  now && bytes > DIRECT, bytes > DIRECT);
    }
  q->writes = ++q->submitted;
  return a;
}

struct accscope_cuda_answer
accscope_cuda_copy (struct accscope_cuda_queue *q, uint64_t correlation,
		    CUdeviceptr to, CUcontext peer, CUdeviceptr from, size_t bytes)
{
  struct accscope_cuda_device *d = q->device;
  struct accscope_cuda_answer a = SUCCESS;

  ENTERED (d);
  LOCKED (&q->lock);
  if (peer != NULL)
    MEASURED (ACCSCOPE_COPY | ACCSCOPE_CUDA_PEER,
	      CALL (d, cuMemcpyPeerAsync, to, peer, from, d->context, bytes, q->stream));
  else
    MEASURED (ACCSCOPE_COPY, CALL (d, cuMemcpyDtoDAsync, to, from, bytes, q->stream));
  q->submitted++;
  return a;
}

struct accscope_cuda_answer
accscope_cuda_fill (struct accscope_cuda_queue *q, uint64_t correlation,
		    CUdeviceptr to, unsigned char value, size_t bytes)
{
  struct accscope_cuda_device *d = q->device;
  struct accscope_cuda_answer a = SUCCESS;

  ENTERED (d);
  LOCKED (&q->lock);
  MEASURED (ACCSCOPE_FILL, CALL (d, cuMemsetD8Async, to, value, bytes, q->stream));
  q->submitted++;
  return a;
}
