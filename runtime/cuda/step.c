/* Operations that Go has prepared.  */
#include "cuda.h"

static ACCSCOPE_USED struct accscope_cuda_answer
transfer (const struct accscope_cuda_step *s)
{
  struct accscope_part whole = { s->other, 0, s->bytes };
  const struct accscope_part *part
    = s->parts > 0 ? (const struct accscope_part *) s->other : &whole;
  unsigned parts = s->parts > 0 ? s->parts : 1;

  return s->kind == ACCSCOPE_CUDA_UPLOAD
	 ? accscope_cuda_upload (s->queue, s->correlation, s->device, part, parts,
				 s->bytes, s->now)
	 : accscope_cuda_download (s->queue, s->correlation, part, parts, s->device,
				   s->bytes, s->now);
}

static ACCSCOPE_USED struct accscope_cuda_answer
put (const struct accscope_cuda_step *s)
{
  switch (s->kind)
    {
    case ACCSCOPE_CUDA_UPLOAD:
    case ACCSCOPE_CUDA_DOWNLOAD:
      return transfer (s);
    case ACCSCOPE_CUDA_COPY:
      return accscope_cuda_copy (s->queue, s->correlation, s->device, s->peer, s->other,
				 s->bytes);
    case ACCSCOPE_CUDA_FILL:
      return accscope_cuda_fill (s->queue, s->correlation, s->device,
				 (unsigned char) s->other, s->bytes);
    case ACCSCOPE_CUDA_AWAIT:
      return accscope_cuda_synchronize (s->queue);
    case ACCSCOPE_CUDA_STORE:
      return accscope_cuda_store (s->queue, s->device, (const void *) s->other,
				  s->bytes);
    default:
      return accscope_cuda_launch (s);
    }
}

int
accscope_cuda_run (struct accscope_cuda_step *s)
{
  if (!accscope_gate_enter (s->gate))
    {
      s->answer.result = s->kind == ACCSCOPE_CUDA_AWAIT ? CUDA_SUCCESS : ACCSCOPE_CUDA_CLOSED;
      return FAILED (s->answer);
    }
  s->answer = put (s);
  accscope_gate_leave (s->gate);
  return FAILED (s->answer);
}
