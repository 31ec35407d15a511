/* The quick path: calls on a device that shares the host's memory, which move
   nothing, are answered without entering Go (OpenACC 3.3, chapter 3: "if the
   data is in shared memory, no action is taken").  Whatever is unusual, null
   pointers, zero and negative lengths and bad async values among it, goes to the Go part,
   which knows the errors.  The Go part keeps shared_memory of a device's record
   at zero while it wants to see every call.  */
#ifndef ACCSCOPE_HOST_H
#define ACCSCOPE_HOST_H

#include "library.h"
#include "map_kinds.h"

static inline bool
is_open (const struct accscope_device *d)
{
  return LIKELY (d != NULL) && __atomic_load_n (&d->open, __ATOMIC_ACQUIRE);
}

/* Whether a device is open and shares the host's memory.  */
static inline bool
is_host (const struct accscope_device *d)
{
  return is_open (d) && __atomic_load_n (&d->shared_memory, __ATOMIC_RELAXED);
}

/* Whether the thread's current device is such a one.  */
static inline bool
on_host (const struct thread *t)
{
  return is_host (t->shared.device);
}

static inline bool
plain (const void *host, size_t bytes, int async)
{
  return host != NULL && bytes - 1 < PTRDIFF_MAX
	 && async >= ACCSCOPE_ASYNC_DEFAULT;
}

/* data constructs that are open on a thread */
enum region_kind
{
  region_engine,		/* entered by the Go part */
  region_data,			/* by us: nothing but events */
  region_host_data
};

/* These return false if the Go part must do it.  */
bool accscope_host_parallel (struct thread *, const struct accscope_construct *);
bool accscope_host_data_start (struct thread *,
			       const struct accscope_construct *);
bool accscope_host_data_end (struct thread *);
/* Runs a compute construct on DEVICE, which the Go part has opened for it: the function
   is called when the Go part has been left, because it may end its thread, or jump or
   throw out of the construct.  */
void accscope_host_run (struct thread *, const struct accscope_construct *,
			const struct accscope_device *device);
/* Notes that the Go part has entered a data construct.  */
void accscope_region_push (struct thread *, enum region_kind);

/* Raises event START and the one after it, both of the construct that the
   program called at AT.  */
void accscope_raise_pair (struct thread *, int start, int parent,
			  const void *at);

/* Whether a callback for event START, or for the _end event after it, is there.
   The events of all entry points have bits next to each other.  */
static inline bool
pair_wanted (int start)
{
  return __atomic_load_n (&accscope_dispatch->wanted, __ATOMIC_ACQUIRE)
	 & UINT32_C (3) << start;
}

/* Whether an enter data, exit data or update directive is nothing but its events, and
   nobody wants these.  */
static inline bool
accscope_host_does_nothing (const struct thread *t, int flags, int async, int waits,
			    int start)
{
  return on_host (t) && flags == 0 && waits <= 0 && async == ACCSCOPE_ASYNC_SYNC
	 && !pair_wanted (start);
}

/* The data construct that GCC's code begins with these entries.  */
static inline enum region_kind
region_of (size_t entries, const unsigned short *kinds)
{
  enum region_kind kind = region_data;
  size_t i;

  for (i = 0; i < entries; i++)
    if (goacc_kind (kinds[i]) == goacc_use_device
	|| goacc_kind (kinds[i]) == goacc_use_device_if_present)
      kind = region_host_data;
  return kind;
}

/* The beginning and the end of a data construct, where nobody wants their events: done,
   or false.  AT: where the program called.  */
static inline bool
accscope_host_data_starts (struct thread *t, int flags, size_t entries,
			   const unsigned short *kinds, const void *at)
{
  if (!on_host (t) || flags != 0 || pair_wanted (acc_ev_enter_data_start)
      || t->regions == t->region_capacity)
    return false;
  t->region[t->regions++] = (struct region) { at, region_of (entries, kinds) };
  return true;
}

static inline bool
accscope_host_data_ends (struct thread *t)
{
  if (t->regions == 0 || t->region[t->regions - 1].kind == region_engine
      || pair_wanted (acc_ev_exit_data_start))
    return false;
  t->regions--;
  return true;
}

/* enter data, exit data and update directives; false as above */
static inline bool
accscope_host_standalone (struct thread *t, int flags, int async, int waits,
			  int start, int parent)
{
  if (!on_host (t) || flags != 0 || waits > 0 || async != ACCSCOPE_ASYNC_SYNC)
    return false;
  if (UNLIKELY (pair_wanted (start)))
    accscope_raise_pair (t, start, parent, t->shared.place.return_address);
  return true;
}

#endif
