/* Launches.  A kernel's parameter is the address of its argument block in device
   memory; where it takes its times there is another, the address for these
   (stamps.c).  */
#include "cuda.h"

#include "accscope_events.h"

static int
announce (const struct accscope_cuda_announcement *a)
{
  int (*raise) (void *, void *, void *) = (int (*) (void *, void *, void *)) a->raise;

  return raise ((void *) a->dispatch, (void *) a->thread, (void *) a->batch);
}

struct accscope_cuda_answer
accscope_cuda_launch (struct accscope_cuda_queue *q, uint64_t correlation,
		      CUfunction function, int stamps, unsigned gangs,
		      unsigned workers, unsigned vector, CUdeviceptr block,
		      struct accscope_cuda_announcement *announcement)
{
  struct accscope_cuda_device *d = q->device;
  CUcontext before;
  struct accscope_cuda_answer a;
  struct accscope_cuda_operation *o = NULL;
  CUdeviceptr stamp = 0;
  void *parameters[] = { &block, &stamp };

  if (announcement != NULL && !announce (announcement))
    return (struct accscope_cuda_answer) { .result = ACCSCOPE_CUDA_UNANNOUNCED };
  before = accscope_cuda_enter (d);
  pthread_mutex_lock (&q->lock);
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
  q->submitted++;
  pthread_mutex_unlock (&q->lock);
  accscope_cuda_leave (d, before);
  return a;
}
