/* Data routines, for the C and the Fortran names: answered here where the
   device shares the host's memory (host.h), else by the Go part.  */
#ifndef ACCSCOPE_MEMORY_H
#define ACCSCOPE_MEMORY_H

#include <limits.h>
#include "host.h"
#include "openacc.h"

/* A device number as the program gave it, for a contract in which -1 means the
   current device: every negative one is as invalid as any other.  */
static inline int
accscope_number (int number)
{
  return number < 0 ? INT_MIN : number;
}

/* Outside kernels the answer is always the host's (3.2.15), and that for
   acc_device_none too, as GCC's built-in function has it.  */
static inline int
accscope_on_device (struct thread *t, int type)
{
  if (t->kernels == 0 && t->shared.engine == 0)
    return type == acc_device_host || type == acc_device_none;
  return engine ()->on_device (T, type);
}

static inline void *
accscope_copyin (struct thread *t, void *host, size_t bytes, int async)
{
  if (on_host (t) && plain (host, bytes, async))
    return host;
  return engine ()->copyin (T, host, bytes, async);
}

static inline void *
accscope_create (struct thread *t, void *host, size_t bytes, int async)
{
  if (on_host (t) && plain (host, bytes, async))
    return host;
  return engine ()->create (T, host, bytes, async);
}

static inline void
accscope_copyout (struct thread *t, void *host, size_t bytes, int async,
		  int finalize)
{
  if (!on_host (t) || !plain (host, bytes, async))
    engine ()->copyout (T, host, bytes, async, finalize);
}

static inline void
accscope_delete (struct thread *t, void *host, size_t bytes, int async,
		 int finalize)
{
  if (!on_host (t) || !plain (host, bytes, async))
    engine ()->delete (T, host, bytes, async, finalize);
}

static inline void
accscope_update_device (struct thread *t, void *host, size_t bytes, int async)
{
  if (!on_host (t) || !plain (host, bytes, async))
    engine ()->update_device (T, host, bytes, async);
}

static inline void
accscope_update_self (struct thread *t, void *host, size_t bytes, int async)
{
  if (!on_host (t) || !plain (host, bytes, async))
    engine ()->update_self (T, host, bytes, async);
}

static inline int
accscope_is_present (struct thread *t, void *host, size_t bytes)
{
  if (on_host (t) && host != NULL && bytes != 0)
    return 1;
  return engine ()->is_present (T, host, bytes);
}

static inline void
accscope_attach (struct thread *t, void **pointer, int async)
{
  if (!on_host (t) || pointer == NULL || async < ACCSCOPE_ASYNC_DEFAULT)
    engine ()->attach (T, pointer, async);
}

static inline void
accscope_detach (struct thread *t, void **pointer, int async, int finalize)
{
  if (!on_host (t) || pointer == NULL || async < ACCSCOPE_ASYNC_DEFAULT)
    engine ()->detach (T, pointer, async, finalize);
}

#endif
