/* Dispatch of OpenACC events to registered callbacks (OpenACC 3.3, 5.4, 5.5).

   The registry itself is Go (registry.go): order, reference counts and toggles
   are decided there, and what dispatch needs is published to a struct
   acc_dispatch in C memory.  The functions here walk it on the thread that
   raises the event, without a lock, without writing to shared memory and
   without entering Go.  The file is compiled twice: into libopenacc.so, and
   into the Go package callbacks; both may work on one struct acc_dispatch.

   Raising a pair of events:

	struct acc_dispatch_pair pair;
	acc_dispatch_pair_init (&pair);
	if (acc_dispatch_wanted (d, acc_ev_update_start))
	  acc_dispatch_event (d, acc_ev_update_start, thread, &pair, &info,
			      &event, &api);
	...
	if (acc_dispatch_wanted (d, acc_ev_update_end))
	  acc_dispatch_event (d, acc_ev_update_end, thread, &pair, &info,
			      &event, &api);
	acc_dispatch_pair_release (&pair);

   What a call of the program has the runtime do, events and operations of devices
   in their order, is a plan (acc_dispatch_carry_out).  */
#ifndef ACC_DISPATCH_H
#define ACC_DISPATCH_H

#include <stdint.h>
#include "acc_callback.h"
#include "accscope_events.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(hidden)

/* acc_callback_info.version: _OPENACC of OpenACC 3.3 */
#define ACC_DISPATCH_VERSION 202211

/* acc_api_info.vendor of accscope's runtime */
#define ACC_DISPATCH_VENDOR 0xacc5

/* Lists are kept for events 1 to 25 and, as number 26, for acc_ev_error.  */
#define ACC_DISPATCH_EVENTS 27

/* One enabled callback.  */
struct acc_dispatch_entry
{
  uint64_t sequence;		/* order of registration, from 1 */
  uintptr_t callback;		/* an acc_callback */
  uintptr_t tool;		/* callbacks of one tool share tool_info */
};

struct acc_dispatch;
struct acc_dispatch_thread;
struct acc_dispatch_pair;
struct acc_dispatch_plan;

typedef void (*acc_dispatch_function) (struct acc_dispatch *, int event,
				       struct acc_dispatch_thread *,
				       struct acc_dispatch_pair *,
				       const acc_callback_info *,
				       const acc_event_info *,
				       const acc_api_info *);
typedef int (*acc_dispatch_carry_out_function) (struct acc_dispatch *,
						struct acc_dispatch_thread *,
						struct acc_dispatch_plan *);

struct acc_dispatch_table;

/* The enabled callbacks of one event, in order of registration.  The tables
   are written alternately: table[version % 2] is valid, which current tells
   without arithmetic, and a reader that finds version unchanged after reading
   has read what version stood for, or what comes next.  */
struct acc_dispatch_list
{
  uint64_t version;
  struct acc_dispatch_table *current;
  struct acc_dispatch_table *table[2];
  uint64_t last;		/* highest sequence ever published */
  int32_t event;		/* acc_event_t, or 0 */
} __attribute__ ((aligned (64)));

/* A process's published registry.  The function pointers are those of the copy of
   dispatch.c whose acc_dispatch_new made the struct: thread-local state exists
   once.  */
struct acc_dispatch
{
  uint32_t wanted;		/* a bit for each list that is not empty */
  acc_dispatch_function event;		/* acc_dispatch_event */
  acc_dispatch_carry_out_function carry_out;	/* acc_dispatch_carry_out */
  uint64_t (*correlation) (void);	/* acc_dispatch_correlation */
  uint32_t others;		/* lists with callbacks of other tools than the one that
				   has names later (accscope_names.h) */
  uint32_t taker_alone;		/* lists whose one callback is the taker's */
  const struct accscope_taker *taker;	/* acc_dispatch_declare; or null */
  uintptr_t tool;		/* it, as entries call it */
  struct acc_dispatch_list list[ACC_DISPATCH_EVENTS];
};

/* One host thread; zero it, then set thread_id.  Touched only by that thread. */
struct acc_dispatch_thread
{
  int32_t before[3];		/* 0: from here to thread_id it is as acc_callback_info is
				   from version */
  int32_t thread_id;		/* acc_callback_info.thread_id, from 0 */
  uint32_t disabled;		/* acc_toggle_per_thread switched callbacks off */
  uint32_t changes;		/* registrations made by this thread */
  uint32_t depth;		/* events of plans whose callbacks are running */
  uint32_t calls;		/* of the runtime from inside one of those */
  uint32_t inside;		/* the runtime's own code runs, not a callback: kept by
				   libopenacc.so */
  uint64_t correlation;		/* set before enqueue_* events: their operation's
				   number (accscope_activity.h); 0 otherwise */
};

/* Carries each tool's tool_info from a _start event to its _end event.  */
#define ACC_DISPATCH_PAIR_INLINE 2

struct acc_dispatch_slot
{
  uintptr_t tool;
  void *tool_info;
};

struct acc_dispatch_pair
{
  uint32_t used;
  uint32_t capacity;		/* of overflow */
  struct acc_dispatch_slot *overflow;	/* tools beyond the inline ones */
  struct acc_dispatch_slot slot[ACC_DISPATCH_PAIR_INLINE];
};

/* Makes a pair ready for a _start event.  An all-zero pair is ready too.  */
static inline void
acc_dispatch_pair_init (struct acc_dispatch_pair *pair)
{
  pair->used = 0;
  pair->capacity = 0;
  pair->overflow = 0;
}

void acc_dispatch_pair_free_overflow (struct acc_dispatch_pair *);

/* Ends a pair, whether its _end event was dispatched or not; harmless twice. */
static inline void
acc_dispatch_pair_release (struct acc_dispatch_pair *pair)
{
  if (__builtin_expect (pair->overflow != 0, 0))
    acc_dispatch_pair_free_overflow (pair);
  pair->used = 0;
}

/* The number of an event's list; 0, a list that is always empty, for anything
   that is no event.  */
static inline int
acc_dispatch_index (int event)
{
  if (__builtin_expect (event > 0 && event <= acc_ev_wait_end, 1))
    return event;
  return event == acc_ev_error ? ACC_DISPATCH_EVENTS - 1 : 0;
}

/* Whether any callback for event is registered and enabled: one atomic load.
   (The calling thread may have switched callbacks off for itself.)  */
static inline int
acc_dispatch_wanted (const struct acc_dispatch *d, int event)
{
  return (__atomic_load_n (&d->wanted, __ATOMIC_ACQUIRE)
	  >> acc_dispatch_index (event)) & 1;
}

/* Invokes the callbacks of event on the calling thread.

   The caller fills what it knows of the three structs; event_info is the whole
   union.  Every callback gets its own copy of all three, in which event_type,
   valid_bytes, version, thread_id and tool_info are set here; what it writes
   there reaches neither other callbacks nor the caller.  Copying is cheap for
   structs that were not written just before: their bytes are then loaded many
   at a time, which waits for narrower stores still under way.  So whoever raises
   many events keeps their structs.

   pair may be null for an event that is neither _start nor _end; a null pair for
   others loses tool_info.  Changes to the registry made by a callback take
   effect at once (5.5.1); those of other threads may or may not (5.5.3).
   Callbacks may raise further events on the same thread (5.5.2).  */
void acc_dispatch_event (struct acc_dispatch *, int event,
			 struct acc_dispatch_thread *,
			 struct acc_dispatch_pair *, const acc_callback_info *,
			 const acc_event_info *, const acc_api_info *);

/* The same by the list of a _start or an _end event of which event_info is an
   acc_other_event_info.  */
void acc_dispatch_start (struct acc_dispatch_list *, struct acc_dispatch_thread *,
			 struct acc_dispatch_pair *, const acc_callback_info *,
			 const acc_event_info *, const acc_api_info *);
void acc_dispatch_end (struct acc_dispatch_list *, struct acc_dispatch_thread *,
		       struct acc_dispatch_pair *, const acc_callback_info *,
		       const acc_event_info *, const acc_api_info *);

/* An operation of a device's queue; its operands follow.  */
struct acc_dispatch_operation
{
  int (*run) (struct acc_dispatch_operation *);	/* 0, or it has failed */
};

/* A step of a plan: an event, with what acc_dispatch_event takes and what
   thread->correlation is for it; or an operation, whose event.event is 0.  */
struct acc_dispatch_step
{
  struct accscope_event event;	/* tool_info is set here */
  union
  {
    struct acc_dispatch_pair *pair;
    struct acc_dispatch_operation *operation;
  };
  /* Atomic.  An operation is counted behind it.  One that waits for all of them is not:
     FINISHED, else null, then is at least what there were before.  */
  uint64_t *submitted, *finished;
};

/* A bit of event.flags: it is the same event each time that the step is in a plan, and
   memo is set to zero when what it says changes (accscope_events.h).  */
#define ACC_DISPATCH_LASTING 1

/* What one call of the program has the runtime do, as far as it is decided: events
   are raised when their turn comes, before and behind the operations that they tell
   of.  */
#define ACC_DISPATCH_STEPS 24

struct acc_dispatch_plan
{
  uint32_t done;		/* the first step to be carried out */
  uint32_t count;		/* one more than the last one */
  struct acc_dispatch_step *step[ACC_DISPATCH_STEPS];
};

/* Carries out steps done to count - 1, and counts done up: each event as
   acc_dispatch_event raises it, if it is wanted when its turn comes; lasting events of
   which the taker has the only callback are handed to it together.  It ends the pairs
   of _end events.  An operation that fails stops it, behind the operation;
   then the answer is not 0.  So does a callback that called the runtime, as who
   counts those calls in thread->calls tells: it has perhaps changed what the steps
   behind it should be.  Then the answer is 0, and done less than count if there are
   any.  */
int acc_dispatch_carry_out (struct acc_dispatch *, struct acc_dispatch_thread *,
			    struct acc_dispatch_plan *);

/* Inside a callback of an enqueue_* event, the thread's correlation for that
   event; 0 elsewhere.  */
uint64_t acc_dispatch_correlation (void);

/* A registry with nothing in it; null when there is no memory.  Never freed. */
struct acc_dispatch *acc_dispatch_new (void);

/* Makes room for count entries in the list with number index
   (acc_dispatch_index).  Returns 0, or ENOMEM with the list as it was.  Only one
   thread at a time may change a registry; any may be dispatching meanwhile.  */
int acc_dispatch_reserve (struct acc_dispatch *, int index, uint32_t count);

/* Replaces the list with number index by count entries in ascending order of
   sequence; no more than acc_dispatch_reserve made room for.  */
void acc_dispatch_publish (struct acc_dispatch *, int index,
			   const struct acc_dispatch_entry *, uint32_t count);

/* Has a tool take events together where it is the only one (accscope_events.h); to be
   called before its callbacks are published.  */
void acc_dispatch_declare (struct acc_dispatch *, const struct accscope_taker *);

/* Identifies the object (program or shared library) that holds a callback; the
   callback's own address if none does.  */
uintptr_t acc_dispatch_object (const void *callback);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
