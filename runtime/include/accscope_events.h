/* accscope_events.h - several events in one call: an inquiry function of
   accscope's OpenACC runtime (OpenACC 3.3, 5.3.1).

   Events often follow one another with nothing between them, and say the same
   again each time that the program comes to the same place.  A tool whose callback
   is registered for all of them, and which is the only one, can have them at once.
   It asks for that with the look-up function that acc_register_library received,
   before it registers its callback:

	accscope_events_function declare
	  = (accscope_events_function) lookup (ACCSCOPE_EVENTS_NAME);
	if (declare)
	  declare (one, many);

   Registration, toggles and their order stay those of OpenACC 3.3, chapter 5:
   many only stands for calling one for each of the events, and the runtime may call
   either.  Other runtimes answer the look-up with a null pointer.  */
#ifndef ACCSCOPE_EVENTS_H
#define ACCSCOPE_EVENTS_H 1

#include <stdint.h>
#include "acc_callback.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ACCSCOPE_EVENTS_NAME "accscope_events_v1"

/* One event.  The structs belong to the runtime and are not to be written.  They say
   what a callback's structs say, but event_type, valid_bytes, tool_info, version and
   thread_id are not filled in.  */
struct accscope_event
{
  int32_t event;		/* acc_event_t */
  uint32_t reserved;
  /* When it happened, as accscope_ticks () counts.  0 means now.  A time before that
     of the preceding event means the time of that one.  */
  uint64_t ticks;
  uint64_t correlation;		/* of an enqueue event, accscope_activity.h; or 0 */
  /* Null where the event is neither _start nor _end.  What stands there at a
     _start event, stands there at its _end event.  */
  void **tool_info;
  const acc_callback_info *info;
  const acc_event_info *event_info;
  const acc_api_info *api;
  void *pair;			/* the runtime's own */
  /* The tool's own.  They are zero at first, and again when anything has changed that
     the structs say or point to.  The memory stays the calling thread's.  */
  uint64_t memo[2];
};

/* many.  It takes events in order, beginning with the first, and returns how many it
   has taken.  It runs on the thread that raised them and must not call the OpenACC
   API.

   If it takes fewer than count, the runtime calls one for the next event, and then
   many again with the events after that, even if there are none.  In that call the
   tool may write events[-1].memo, which belongs to the event that one got.  The call
   may be missing if one has called the OpenACC API, or if callbacks have been
   registered or toggled meanwhile.  */
typedef unsigned (*accscope_events_callback) (struct accscope_event *events,
					      unsigned count);

/* What acc_prof_lookup (ACCSCOPE_EVENTS_NAME) answers, cast to acc_query_fn.  Returns
   0, or EBUSY if another tool has declared its callbacks.  */
typedef int (*accscope_events_function) (acc_callback one,
					 accscope_events_callback many);

/* The processor's own clock.  */
static inline uint64_t
accscope_ticks (void)
{
#if defined __x86_64__
  return __builtin_ia32_rdtsc ();
#elif defined __aarch64__
  uint64_t value;
  __asm__ volatile ("mrs %0, cntvct_el0" : "=r" (value));
  return value;
#else
  return 0;
#endif
}

#ifdef __cplusplus
}
#endif

#endif
