/* The stack of each thread on the device.  */
#include "cuda.h"

/* Gives each thread so many bytes, 0: leaves them what they have, and tells how many they
   have. That the driver does not say how many keeps no kernel from running: they are those
   that were wanted.  */
struct accscope_cuda_answer
accscope_cuda_stack (struct accscope_cuda_device *d, size_t wanted, size_t *bytes)
{
  struct accscope_cuda_answer a = SUCCESS;
  size_t has;

  ENTERED (d);
  *bytes = 0;
  if (wanted > 0)
    a = ANSWER (cuCtxSetLimit, d->cuda->cuCtxSetLimit (CU_LIMIT_STACK_SIZE, wanted));
  if (!FAILED (a))
    *bytes = d->cuda->cuCtxGetLimit (&has, CU_LIMIT_STACK_SIZE) == CUDA_SUCCESS ? has : wanted;
  return a;
}
