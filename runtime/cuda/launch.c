/* Launches.  A kernel's parameter is the address of its argument block in device
   memory; where it takes its times there is another, the address for these (stamps.c).
   Kernels only read their blocks, so each queue keeps the blocks that it has
   uploaded and uses one again for a launch with the same arguments.  */
#include "cuda.h"

#include "accscope_events.h"
#include <stdlib.h>
#include <string.h>

#define BLOCKS_BYTES ((size_t) 64 << 10)

static uint64_t
hash_of (const uintptr_t *slots, size_t count)
{
  uint64_t hash = 0x9e3779b97f4a7c15u ^ count;
  size_t i;

  for (i = 0; i < count; i++)
    {
      hash = (hash ^ slots[i]) * 0xff51afd7ed558ccdu;
      hash ^= hash >> 32;
    }
  return hash;
}

static struct accscope_cuda_answer
make_room (struct accscope_cuda_queue *q, size_t bytes)
{
  struct accscope_cuda_device *d = q->device;
  struct accscope_cuda_blocks *b = &q->blocks;
  struct accscope_cuda_answer a = SUCCESS;
  size_t size = b->size ? b->size : BLOCKS_BYTES;
  char *shadow;

  /* Operations of one stream run one after the other: what is uploaded from now
     on comes after every launch that uses an earlier block.  */
  b->used = 0;
  memset (b->entry, 0, sizeof b->entry);
  if (bytes <= b->size)
    return a;
  while (size < bytes)
    size *= 2;
  if (b->memory != 0)
    {
      a = CALL (d, cuStreamSynchronize, q->stream);
      if (!FAILED (a))
	a = CALL (d, cuMemFree, b->memory);
      if (FAILED (a))
	return a;
      b->memory = 0;
      b->size = 0;
    }
  shadow = realloc (b->shadow, size);
  if (shadow == NULL)
    return ANSWER (realloc, CUDA_ERROR_OUT_OF_MEMORY);
  b->shadow = shadow;
  a = CALL (d, cuMemAlloc, &b->memory, size);
  if (FAILED (a))
    b->memory = 0;
  else
    b->size = size;
  return a;
}

/* Finds or uploads the argument block that holds slots.  */
static struct accscope_cuda_answer
argument_block (struct accscope_cuda_queue *q, const uintptr_t *slots,
		size_t count, CUdeviceptr *block)
{
  struct accscope_cuda_device *d = q->device;
  struct accscope_cuda_blocks *b = &q->blocks;
  size_t bytes = count * sizeof *slots, i;
  uint64_t hash = hash_of (slots, count);
  struct accscope_cuda_answer a = SUCCESS;

  i = hash % ACCSCOPE_CUDA_BLOCKS;
  if (b->entry[i].bytes == bytes && b->entry[i].hash == hash
      && memcmp (b->shadow + b->entry[i].offset, slots, bytes) == 0)
    {
      *block = b->memory + b->entry[i].offset;
      return a;
    }
  if (bytes > b->size - b->used)
    {
      a = make_room (q, bytes);
      if (FAILED (a))
	return a;
    }
  memcpy (b->shadow + b->used, slots, bytes);
  *block = b->memory + b->used;
  q->last_number = UINT64_MAX;	/* something is between two operations */
  a = CALL (d, cuMemcpyHtoDAsync, *block, b->shadow + b->used, bytes, q->stream);
  if (FAILED (a))
    return a;
  b->entry[i].hash = hash;
  b->entry[i].offset = b->used;
  b->entry[i].bytes = bytes;
  b->used += (bytes + 127) & ~(size_t) 127;
  if (b->used > b->size)
    b->used = b->size;
  return a;
}

static int
announce (const struct accscope_cuda_announcement *a)
{
  int (*raise) (void *, void *, void *) = (int (*) (void *, void *, void *)) a->raise;

  return raise ((void *) a->dispatch, (void *) a->thread, (void *) a->batch);
}

struct accscope_cuda_answer
accscope_cuda_launch (struct accscope_cuda_queue *q, uint64_t correlation,
		      CUfunction function, int stamps, unsigned gangs,
		      unsigned workers, unsigned vector,
		      const uintptr_t *slots, size_t count,
		      struct accscope_cuda_announcement *announcement)
{
  struct accscope_cuda_device *d = q->device;
  CUcontext before;
  struct accscope_cuda_answer a = SUCCESS;
  struct accscope_cuda_operation *o = NULL;
  CUdeviceptr block = 0, stamp = 0;
  void *parameters[] = { &block, &stamp };

  if (announcement != NULL && !announce (announcement))
    return (struct accscope_cuda_answer) { .result = ACCSCOPE_CUDA_UNANNOUNCED };
  before = accscope_cuda_enter (d);
  pthread_mutex_lock (&q->lock);
  if (count > 0)
    a = argument_block (q, slots, count, &block);
  if (!FAILED (a))
    {
      if (stamps)
	stamp = accscope_cuda_stamp (q);
      else if (__atomic_load_n (&d->tracing, __ATOMIC_RELAXED))
	accscope_cuda_trace_kernels ();
      if (stamp == 0)
	o = accscope_cuda_measure (q, correlation, ACCSCOPE_CUDA_KERNEL, 0);
      a = CALL (d, cuLaunchKernel, function, gangs, 1, 1, vector, workers, 1, 0,
		q->stream, parameters, NULL);
      if (announcement != NULL)
	announcement->after = accscope_ticks ();
      if (stamp != 0 && !FAILED (a))
	{
	  accscope_cuda_stamped (q, correlation);
	  accscope_cuda_spared (q);
	}
      accscope_cuda_measured (q, o);
    }
  q->submitted++;
  pthread_mutex_unlock (&q->lock);
  accscope_cuda_leave (d, before);
  return a;
}
