/* Transfers of pageable memory, through pieces of pinned memory, so that copies
   by the host and by the device overlap.

   A transfer that is waited for is driven by the calling thread.  Any other is
   put whole onto the queue's stream and a lane's stream of host functions, which
   wait for one another by events: the caller does not block, the host's bytes
   are read and written in queue order, and whatever waits was submitted after
   what it waits for.  */
#include "cuda.h"

#include <stdlib.h>
#include <string.h>

static ACCSCOPE_USED struct accscope_cuda_answer
lane_open (struct accscope_cuda_device *d, struct accscope_cuda_lane *lane)
{
  struct accscope_cuda_answer a = SUCCESS;
  unsigned i;

  for (i = 0; i < ACCSCOPE_CUDA_STAGES; i++)
    {
      struct accscope_cuda_stage *s = &lane->stage[i];
      if (s->memory == NULL)
	{
	  a = CALL (d, cuMemHostAlloc, (void **) &s->memory,
		    ACCSCOPE_CUDA_STAGE_BYTES, CU_MEMHOSTALLOC_PORTABLE);
	  if (FAILED (a))
	    {
	      s->memory = NULL;
	      return a;
	    }
	}
      if (s->filled == NULL && (s->filled = accscope_cuda_event (d, 0, &a)) == NULL)
	return a;
      if (s->emptied == NULL && (s->emptied = accscope_cuda_event (d, 0, &a)) == NULL)
	return a;
    }
  if (lane->stream == NULL)
    a = accscope_cuda_stream (d, CU_STREAM_NON_BLOCKING, &lane->stream);
  return a;
}

void
accscope_cuda_lane_close (struct accscope_cuda_device *d,
			  struct accscope_cuda_lane *lane)
{
  unsigned i;

  if (lane->stream != NULL)
    GIVE_BACK (d, cuStreamDestroy, lane->stream);
  for (i = 0; i < ACCSCOPE_CUDA_STAGES; i++)
    {
      struct accscope_cuda_stage *s = &lane->stage[i];
      if (s->memory != NULL)
	GIVE_BACK (d, cuMemFreeHost, s->memory);
      if (s->filled != NULL)
	GIVE_BACK (d, cuEventDestroy, s->filled);
      if (s->emptied != NULL)
	GIVE_BACK (d, cuEventDestroy, s->emptied);
    }
}

static struct accscope_cuda_stage *
next_stage (struct accscope_cuda_lane *lane)
{
  return &lane->stage[lane->next++ % ACCSCOPE_CUDA_STAGES];
}

/* Makes stream wait for what is on another one now.  */
static ACCSCOPE_USED struct accscope_cuda_answer
follow (struct accscope_cuda_device *d, CUstream stream, CUevent event,
	CUstream other)
{
  struct accscope_cuda_answer a = CALL (d, cuEventRecord, event, other);

  return FAILED (a) ? a : CALL (d, cuStreamWaitEvent, stream, event, 0);
}

#define TRY(call)	\
  do			\
    {			\
      a = (call);	\
      if (FAILED (a))	\
	goto end;	\
    }			\
  while (0)

/* Copies a piece of a transfer between memory and the places of its parts.  */
static void
bring (const struct accscope_part *part, unsigned parts, struct accscope_cuda_piece piece)
{
  unsigned i;

  for (i = 0; i < parts; i++)
    {
      struct accscope_cuda_copy copy = accscope_cuda_within (&part[i], piece);
      accscope_cuda_parallel_copy (copy.to, copy.from, copy.bytes);
    }
}

/* Without pinned memory the driver copies, as well as it can, while the caller
   waits.  */
static ACCSCOPE_USED struct accscope_cuda_answer
upload_plainly (struct accscope_cuda_queue *q, CUdeviceptr to,
		const struct accscope_part *part, unsigned parts, size_t bytes)
{
  struct accscope_cuda_device *d = q->device;
  char *own = parts > 1 ? malloc (bytes) : NULL;
  const char *from = parts > 1 ? own : (const char *) part->host;
  struct accscope_cuda_answer a;

  if (parts > 1 && own == NULL)
    return ANSWER (malloc, CUDA_ERROR_OUT_OF_MEMORY);
  a = CALL (d, cuStreamSynchronize, q->stream);
  if (!FAILED (a) && own != NULL)
    bring (part, parts, (struct accscope_cuda_piece) { own, 0, bytes, true });
  if (!FAILED (a))
    a = CALL (d, cuMemcpyHtoDAsync, to, from, bytes, q->stream);
  if (!FAILED (a))
    a = CALL (d, cuStreamSynchronize, q->stream);
  free (own);
  return a;
}

static ACCSCOPE_USED struct accscope_cuda_answer
download_plainly (struct accscope_cuda_queue *q, const struct accscope_part *part,
		  unsigned parts, CUdeviceptr from, size_t bytes)
{
  struct accscope_cuda_device *d = q->device;
  char *own = parts > 1 ? malloc (bytes) : NULL;
  char *to = parts > 1 ? own : (char *) part->host;
  struct accscope_cuda_answer a;

  if (to == NULL)
    return ANSWER (malloc, CUDA_ERROR_OUT_OF_MEMORY);
  a = CALL (d, cuMemcpyDtoHAsync, to, from, bytes, q->stream);
  if (!FAILED (a))
    a = CALL (d, cuStreamSynchronize, q->stream);
  if (!FAILED (a) && own != NULL)
    bring (part, parts, (struct accscope_cuda_piece) { own, 0, bytes, false });
  free (own);
  return a;
}

/* A transfer in stages: what it needs while it is put onto the queue.  */
struct staging
{
  struct accscope_cuda_lane *lane;	/* locked */
  struct accscope_cuda_operation *operation;
  CUevent event;		/* of its own, NULL: none */
};

/* Fails where there is no pinned memory; end_staging is due in any case.  */
static ACCSCOPE_USED struct accscope_cuda_answer
begin_staging (struct accscope_cuda_queue *q, uint64_t correlation, int kind,
	       size_t bytes, int now, int pageable, struct staging *t)
{
  t->lane = now ? &q->device->lane[ACCSCOPE_CUDA_LANES] : q->lane;
  t->operation = accscope_cuda_measure (q, correlation, kind | (pageable ? ACCSCOPE_CUDA_PAGEABLE : 0),
					bytes);
  t->event = NULL;
  __atomic_store_n (&q->staging, 1, __ATOMIC_RELEASE);
  pthread_mutex_lock (&t->lane->lock);
  return lane_open (q->device, t->lane);
}

/* The transfer's last piece is on the queue; what may follow there waits for the
   host.  */
static void
staged (struct accscope_cuda_queue *q, struct staging *t)
{
  accscope_cuda_measured (q, t->operation);
  t->operation = NULL;
  q->last_number = UINT64_MAX;	/* something is between two operations */
}

static void
end_staging (struct accscope_cuda_queue *q, struct staging *t)
{
  pthread_mutex_unlock (&t->lane->lock);
  if (t->event != NULL)
    accscope_cuda_event_release (q->device, t->event);
  accscope_cuda_measured (q, t->operation);
  __atomic_store_n (&q->staging, 0, __ATOMIC_RELEASE);
}

/* How many of so many bytes go in the next piece.  */
static size_t
piece_of (size_t bytes)
{
  return bytes < ACCSCOPE_CUDA_STAGE_BYTES ? bytes : ACCSCOPE_CUDA_STAGE_BYTES;
}

struct accscope_cuda_answer
accscope_cuda_stage_upload (struct accscope_cuda_queue *q,
			    uint64_t correlation, CUdeviceptr to,
			    const struct accscope_part *part, unsigned parts,
			    size_t bytes, int now, int pageable)
{
  struct accscope_cuda_device *d = q->device;
  struct staging t;
  struct accscope_cuda_answer a
    = begin_staging (q, correlation, ACCSCOPE_UPLOAD, bytes, now, pageable, &t);
  struct accscope_cuda_lane *lane = t.lane;
  size_t done, n;

  if (FAILED (a))
    {
      a = upload_plainly (q, to, part, parts, bytes);
      goto end;
    }
  if (!now)
    {
      if ((t.event = accscope_cuda_event (d, 0, &a)) == NULL)
	goto end;
      TRY (follow (d, lane->stream, t.event, q->stream));
    }
  for (done = 0; done < bytes; done += n)
    {
      struct accscope_cuda_stage *s = next_stage (lane);
      struct accscope_cuda_piece piece
	= { s->memory, done, piece_of (bytes - done), true };
      n = piece.bytes;
      if (now)
	{
	  if (s->used)
	    TRY (CALL (d, cuEventSynchronize, s->emptied));
	  bring (part, parts, piece);
	}
      else
	{
	  if (s->used)
	    TRY (CALL (d, cuStreamWaitEvent, lane->stream, s->emptied, 0));
	  TRY (accscope_cuda_bring_later (d, lane->stream, part, parts, piece));
	  TRY (follow (d, q->stream, s->filled, lane->stream));
	}
      if (done == 0)
	accscope_cuda_measure_start (q, t.operation);
      TRY (CALL (d, cuMemcpyHtoDAsync, to + done, s->memory, n, q->stream));
      TRY (CALL (d, cuEventRecord, s->emptied, q->stream));
      s->used = 1;
    }
end:
  end_staging (q, &t);
  return a;
}

/* Downloads piece by piece and copies each while the next ones are under way.  */
static ACCSCOPE_USED struct accscope_cuda_answer
download_now (struct accscope_cuda_queue *q, struct staging *t,
	      const struct accscope_part *part, unsigned parts,
	      CUdeviceptr from, size_t bytes)
{
  struct accscope_cuda_device *d = q->device;
  struct accscope_cuda_lane *lane = t->lane;
  struct accscope_cuda_answer a = SUCCESS;
  size_t asked = 0, done = 0;
  unsigned first = lane->next;

  while (done < bytes)
    {
      struct accscope_cuda_stage *s;
      size_t n;

      while (asked < bytes && lane->next - first < ACCSCOPE_CUDA_STAGES)
	{
	  s = next_stage (lane);
	  n = piece_of (bytes - asked);
	  if (s->used)
	    TRY (CALL (d, cuEventSynchronize, s->emptied));
	  s->used = 0;
	  TRY (CALL (d, cuMemcpyDtoHAsync, s->memory, from + asked, n, q->stream));
	  TRY (CALL (d, cuEventRecord, s->filled, q->stream));
	  asked += n;
	  if (asked == bytes)
	    staged (q, t);
	}
      s = &lane->stage[first % ACCSCOPE_CUDA_STAGES];
      n = piece_of (bytes - done);
      TRY (CALL (d, cuEventSynchronize, s->filled));
      bring (part, parts, (struct accscope_cuda_piece) { s->memory, done, n, false });
      done += n;
      first++;
    }
end:
  return a;
}

struct accscope_cuda_answer
accscope_cuda_stage_download (struct accscope_cuda_queue *q,
			      uint64_t correlation, const struct accscope_part *part,
			      unsigned parts, CUdeviceptr from, size_t bytes, int now,
			      int pageable)
{
  struct accscope_cuda_device *d = q->device;
  struct staging t;
  struct accscope_cuda_answer a
    = begin_staging (q, correlation, ACCSCOPE_DOWNLOAD, bytes, now, pageable, &t);
  struct accscope_cuda_lane *lane = t.lane;
  size_t done, n;

  if (FAILED (a))
    {
      a = download_plainly (q, part, parts, from, bytes);
      goto end;
    }
  if (now)
    {
      a = download_now (q, &t, part, parts, from, bytes);
      goto end;
    }
  for (done = 0; done < bytes; done += n)
    {
      struct accscope_cuda_stage *s = next_stage (lane);
      n = piece_of (bytes - done);
      if (s->used)
	{
	  TRY (CALL (d, cuStreamWaitEvent, q->stream, s->emptied, 0));
	  if (done == 0)
	    accscope_cuda_measure_start (q, t.operation);
	}
      TRY (CALL (d, cuMemcpyDtoHAsync, s->memory, from + done, n, q->stream));
      TRY (follow (d, lane->stream, s->filled, q->stream));
      TRY (accscope_cuda_bring_later (d, lane->stream, part, parts,
				      (struct accscope_cuda_piece) { s->memory, done, n, false }));
      TRY (CALL (d, cuEventRecord, s->emptied, lane->stream));
      s->used = 1;
    }
  staged (q, &t);
  if ((t.event = accscope_cuda_event (d, 0, &a)) == NULL)
    goto end;
  TRY (follow (d, q->stream, t.event, lane->stream));
end:
  end_staging (q, &t);
  return a;
}
