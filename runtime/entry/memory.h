/* Data routines, for the C and the Fortran names: answered here where the
   device shares the host's memory (host.h), look-ups from its published present
   table where it does not; else by the Go part.  */
#ifndef ACCSCOPE_MEMORY_H
#define ACCSCOPE_MEMORY_H

#include "host.h"
#include "openacc.h"
#include "present.h"

_Static_assert (ACCSCOPE_ASYNC_NOVAL == acc_async_noval
		&& ACCSCOPE_ASYNC_SYNC == acc_async_sync
		&& ACCSCOPE_ASYNC_DEFAULT == acc_async_default,
		"engine.h and openacc.h have one numbering");

/* Outside kernels the answer is always the host's (3.2.15), and that for
   acc_device_none too, as GCC's built-in function has it.  Which threads are a
   device's own, only the Go part knows.  */
static inline int
accscope_on_device (struct thread *t, int type)
{
  if (t->kernels == 0 && t->shared.engine == 0 && phase () != phase_ready)
    return type == acc_device_host || type == acc_device_none;
  return engine ()->on_device (T, type);
}

/* On the host data has no lifetimes of its own.  */
#define BEGINS_LIFETIME(name)						\
static inline void *							\
accscope_##name (struct thread *t, void *host, size_t bytes, int async)	\
{									\
  return on_host (t) && plain (host, bytes, async)			\
	 ? host : engine ()->name (T, host, bytes, async);		\
}
#define ENDS_LIFETIME(name)						\
static inline void							\
accscope_##name (struct thread *t, void *host, size_t bytes, int async,	\
		 bool finalize)						\
{									\
  if (!on_host (t) || !plain (host, bytes, async))			\
    engine ()->name (T, host, bytes, async, finalize);			\
}
#define UPDATES(name)							\
static inline void							\
accscope_##name (struct thread *t, void *host, size_t bytes, int async)	\
{									\
  if (!on_host (t) || !plain (host, bytes, async))			\
    engine ()->name (T, host, bytes, async);				\
}
BEGINS_LIFETIME (copyin)
BEGINS_LIFETIME (create)
ENDS_LIFETIME (copyout)
ENDS_LIFETIME (delete)
UPDATES (update_device)
UPDATES (update_self)

/* The present table of the thread's current device, or null: not open, or none
   to be looked up in.  */
static inline const struct accscope_present *
present_table (const struct thread *t)
{
  const struct accscope_device *d = t->shared.device;

  if (d == NULL || !__atomic_load_n (&d->open, __ATOMIC_ACQUIRE))
    return NULL;
  return __atomic_load_n (&d->present, __ATOMIC_RELAXED);
}

/* Look-ups that raise no event and begin no device, so that where the program
   called does not matter: false if the Go part must be asked.  */
static inline bool
quick_is_present (const struct thread *t, void *host, size_t bytes, int *answer)
{
  const struct accscope_present *table = present_table (t);
  uintptr_t device;

  if (table == NULL || host == NULL)
    return false;
  *answer = accscope_present_find (table, (uintptr_t) host,
				   bytes == 0 ? 1 : bytes, &device);
  return *answer >= 0;
}

/* Whether somebody has subscribed to activity, and is to be told which data the program
   asked for the device address of (activity.c); atomic.  */
extern int accscope_subscribed;

/* quick_deviceptr while somebody has.  */
static __attribute__ ((noinline, unused)) bool
exposed_deviceptr (const struct accscope_present *table, void *host, void **answer)
{
  uintptr_t device = 0;
  int exposed;
  int found = accscope_present_find_exposed (table, (uintptr_t) host, &device, &exposed);

  *answer = (void *) device;
  return found == 0 || (found > 0 && exposed);
}

static inline bool
quick_deviceptr (const struct thread *t, void *host, void **answer)
{
  const struct accscope_present *table = present_table (t);
  uintptr_t device = 0;

  if (table == NULL || host == NULL)
    return false;
  if (UNLIKELY (__atomic_load_n (&accscope_subscribed, __ATOMIC_RELAXED)))
    {
      void *found = host;	/* so that *answer can stay in a register */
      bool known = exposed_deviceptr (table, host, &found);

      *answer = found;
      return known;
    }
  if (accscope_present_find (table, (uintptr_t) host, 0, &device) < 0)
    return false;
  *answer = (void *) device;
  return true;
}

static inline bool
quick_hostptr (const struct thread *t, void *device, void **answer)
{
  const struct accscope_present *table = present_table (t);
  uintptr_t host = 0;

  if (table == NULL || device == NULL
      || accscope_present_find_host (table, (uintptr_t) device, &host) < 0)
    return false;
  *answer = (void *) host;
  return true;
}

static inline int
accscope_is_present (struct thread *t, void *host, size_t bytes)
{
  int answer;

  if (on_host (t) && host != NULL && bytes != 0)
    return 1;
  if (quick_is_present (t, host, bytes, &answer))
    return answer;
  return engine ()->is_present (T, host, bytes);
}

static inline void
accscope_attach (struct thread *t, void **pointer, int async)
{
  if (!on_host (t) || pointer == NULL || async < ACCSCOPE_ASYNC_DEFAULT)
    engine ()->attach (T, pointer, async);
}

static inline void
accscope_detach (struct thread *t, void **pointer, int async, bool finalize)
{
  if (!on_host (t) || pointer == NULL || async < ACCSCOPE_ASYNC_DEFAULT)
    engine ()->detach (T, pointer, async, finalize);
}

#endif
