/* Launches.  A kernel's parameter is the address of its argument block in device
   memory; where it takes its times there are two more, the address for these and
   which of its threads tell when they end (stamps.c).  */
#include "cuda.h"

/* The first thread of every warp.  Where a kernel has more than MANY threads, only the
   first of every gang: to write so many words would take the GPU longer than a short
   kernel does.  */
#define MANY 131072

static uint32_t
tellers (const struct accscope_cuda_step *s)
{
  return (uint64_t) s->o.gangs * s->o.vector * s->o.workers > MANY ? UINT32_MAX : 31;
}

struct accscope_cuda_answer
accscope_cuda_launch (const struct accscope_cuda_step *s)
{
  struct accscope_cuda_queue *q = s->queue;
  struct accscope_cuda_device *d = q->device;
  struct accscope_cuda_answer a;
  struct accscope_cuda_operation *o = NULL;
  CUdeviceptr block = s->o.destination, stamp = 0;
  uint32_t telling = tellers (s);
  void *parameters[] = { &block, &stamp, &telling };

  ENTERED (d);
  LOCKED (&q->lock);
  if (s->stamps)
    stamp = accscope_cuda_stamp (q);
  else if (__atomic_load_n (&d->tracing, __ATOMIC_RELAXED))
    accscope_cuda_trace_kernels ();
  if (stamp == 0)
    o = accscope_cuda_measure (q, s->o.correlation, ACCSCOPE_KERNEL, 0);
  a = CALL (d, cuLaunchKernel, (CUfunction) s->o.source, s->o.gangs, 1, 1, s->o.vector,
	    s->o.workers, 1, 0, q->stream, parameters, NULL);
  if (stamp != 0 && !FAILED (a))
    {
      q->stamped_at = q->submitted + 1;
      accscope_cuda_stamped (q, s->o.correlation);
      accscope_cuda_spared (q);
    }
  accscope_cuda_measured (q, o);
  q->submitted++;
  return a;
}
