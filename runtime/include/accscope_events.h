/* accscope_events.h - several events in one call: an inquiry function of
   accscope's OpenACC runtime (OpenACC 3.3, 5.3.1).

   Events often follow one another with nothing between them, and say the same
   again each time that the program comes to the same place.  A tool that has one
   callback for all of them can have them at once, where it is the only tool.  It asks
   for that with the look-up function that acc_register_library received, before it
   registers its callback:

	static const struct accscope_taker taker = { one, many };
	accscope_events_function declare
	  = (accscope_events_function) lookup (ACCSCOPE_EVENTS_NAME);
	if (declare)
	  declare (&taker);

   Registration, toggles and their order stay those of OpenACC 3.3, chapter 5:
   a call of the function many stands for a call of the function one for each event,
   and the runtime may call either.  Other runtimes answer the look-up with a null pointer.  */
#ifndef ACCSCOPE_EVENTS_H
#define ACCSCOPE_EVENTS_H 1

#include <stdint.h>
#include "acc_callback.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ACCSCOPE_EVENTS_NAME "accscope_events_v2"

/* One event.  The structs belong to the runtime and are not to be written.  They say
   what a callback's structs say, but event_type, valid_bytes, tool_info, version and
   thread_id are not filled in.  */
struct accscope_event
{
  int32_t event;		/* acc_event_t */
  uint32_t flags;		/* the runtime's own */
  uint64_t correlation;		/* of an enqueue event, accscope_activity.h; or 0 */
  /* Null where the event is neither _start nor _end.  What stands there at a
     _start event, stands there at its _end event.  */
  void **tool_info;
  const acc_callback_info *info;
  const acc_event_info *event_info;
  const acc_api_info *api;
  /* The tool's own.  They are zero at first, and again when anything has changed that
     info, api or the texts and the parent of event_info say.  The memory stays the
     calling thread's.  */
  uint64_t memo[2];
};

/* From within the tool's function many: has its function one called for an event of
   those, with structs that are complete.  0: many is to return, having taken the events
   up to this one.  */
typedef int (*accscope_raise_function) (void *from, struct accscope_event *);

/* The tool's function many.  It takes events in order and returns how many it has taken:
   all, unless RAISE has answered 0 for the last one.  It runs on the thread that raised
   them and must not call the OpenACC API.  */
typedef unsigned (*accscope_events_callback) (struct accscope_event **events,
					      unsigned count,
					      accscope_raise_function raise,
					      void *from);

struct accscope_taker
{
  acc_callback one;			/* an event */
  accscope_events_callback many;	/* several */
};

/* What acc_prof_lookup (ACCSCOPE_EVENTS_NAME) answers, cast to acc_query_fn.  Returns
   0, or EBUSY if another tool has declared its callbacks.  The struct stays.  */
typedef int (*accscope_events_function) (const struct accscope_taker *);

#ifdef __cplusplus
}
#endif

#endif
