/* Launches.  A kernel's parameter is the address of its argument block in device
   memory; where it takes its times there is another, the address for these
   (stamps.c).  */
#include "cuda.h"

struct accscope_cuda_answer
accscope_cuda_launch (const struct accscope_cuda_step *s)
{
  struct accscope_cuda_queue *q = s->queue;
  struct accscope_cuda_device *d = q->device;
  CUcontext before = accscope_cuda_enter (d);
  struct accscope_cuda_answer a;
  struct accscope_cuda_operation *o = NULL;
  CUdeviceptr block = s->device, stamp = 0;
  void *parameters[] = { &block, &stamp };

  pthread_mutex_lock (&q->lock);
  if (s->stamps)
    stamp = accscope_cuda_stamp (q);
  else if (__atomic_load_n (&d->tracing, __ATOMIC_RELAXED))
    accscope_cuda_trace_kernels ();
  if (stamp == 0)
    o = accscope_cuda_measure (q, s->correlation, ACCSCOPE_CUDA_KERNEL, 0);
  a = CALL (d, cuLaunchKernel, s->function, s->gangs, 1, 1, s->vector, s->workers, 1,
	    0, q->stream, parameters, NULL);
  if (stamp != 0 && !FAILED (a))
    {
      accscope_cuda_stamped (q, s->correlation);
      accscope_cuda_spared (q);
    }
  accscope_cuda_measured (q, o);
  q->submitted++;
  pthread_mutex_unlock (&q->lock);
  accscope_cuda_leave (d, before);
  return a;
}
