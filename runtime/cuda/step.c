/* Operations that Go has prepared.  */
#include "cuda.h"

static ACCSCOPE_USED struct accscope_cuda_answer
transfer (struct accscope_cuda_queue *q, const struct accscope_operation *o)
{
  const int up = o->kind == ACCSCOPE_UPLOAD;
  const uintptr_t host = up ? o->source : o->destination;
  struct accscope_part whole = { host, 0, o->bytes };
  const struct accscope_part *part
    = o->parts > 0 ? (const struct accscope_part *) host : &whole;
  unsigned parts = o->parts > 0 ? o->parts : 1;

  return up ? accscope_cuda_upload (q, o->correlation, o->destination, part, parts,
				    o->bytes, o->now)
	 : accscope_cuda_download (q, o->correlation, part, parts, o->source,
				   o->bytes, o->now);
}

static ACCSCOPE_USED struct accscope_cuda_answer
put (const struct accscope_cuda_step *s)
{
  const struct accscope_operation *o = &s->o;

  switch (o->kind)
    {
    case ACCSCOPE_UPLOAD:
    case ACCSCOPE_DOWNLOAD:
      return transfer (s->queue, o);
    case ACCSCOPE_COPY:
      return accscope_cuda_copy (s->queue, o->correlation, o->destination, s->peer,
				 o->source, o->bytes);
    case ACCSCOPE_FILL:
      return accscope_cuda_fill (s->queue, o->correlation, o->destination,
				 (unsigned char) o->source, o->bytes);
    case ACCSCOPE_AWAIT:
      return accscope_cuda_synchronize (s->queue);
    case ACCSCOPE_STORE:
      return accscope_cuda_store (s->queue, o->destination, (const void *) o->source,
				  o->bytes);
    default:
      return accscope_cuda_launch (s);
    }
}

int
accscope_cuda_run (void *operands)
{
  struct accscope_cuda_step *s = operands;

  if (!accscope_gate_enter (s->gate))
    {
      s->answer.result = s->o.kind == ACCSCOPE_AWAIT ? CUDA_SUCCESS : ACCSCOPE_CUDA_CLOSED;
      return FAILED (s->answer);
    }
  s->answer = put (s);
  accscope_gate_leave (s->gate);
  return FAILED (s->answer);
}
