/* Work that threads of the host do together.  */
#ifndef ACCSCOPE_SIMT_THREADS_H
#define ACCSCOPE_SIMT_THREADS_H

#include <stdint.h>

struct work
{
  void (*run) (struct work *);	/* on each thread */
  struct work *next;
  uint32_t wanted;		/* so many threads may still take part */
  uint32_t inside;		/* so many do, beside the caller's */
};

/* Runs the work on this thread and on up to so many others, as far as they have time before
   it is done, and returns when all have ended.  */
void accscope_simt_together (struct work *work, uint32_t others);

#endif
