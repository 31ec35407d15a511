/* What the files of libopenacc.so share: the calling thread's state, the way
   into the Go part, and the little that is kept of the process.  */
#ifndef ACCSCOPE_LIBRARY_H
#define ACCSCOPE_LIBRARY_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "engine.h"

/* What implements the routine of that name; entry.c leads there.  */
#define ENTRY(name) accscope_body_##name

#define LIKELY(condition) __builtin_expect (!!(condition), 1)
#define UNLIKELY(condition) __builtin_expect (!!(condition), 0)

/* An open data region.  */
struct region
{
  const void *begin;		/* return address of the call that entered it */
  uint8_t kind;			/* enum region_kind */
};

/* One host thread: what the Go part sees, and what only C uses.  */
struct thread
{
  struct accscope_thread shared;
  uint32_t known;		/* numbered, and registered for thread exit; until then
				   place.return_address is ACCSCOPE_NO_THREAD */
  uint32_t kernels;		/* kernels of the Go side on this very thread */
  uint32_t passages;		/* calls of the Go part in progress */
  uint32_t regions;		/* open data regions */
  uint32_t region_capacity;
  uintptr_t stack_low, stack_bytes;	/* of the thread's own stack */
  void *signal_stack;		/* null if we have made none */
  struct region *region;	/* region_inline until it is full */
  struct region region_inline[8];
};

extern __thread struct thread accscope_self
  __attribute__ ((tls_model ("initial-exec")));

/* Not null: BEGIN has one test for a thread that is new and for a call within a call.  */
#define ACCSCOPE_NO_THREAD ((const void *) 1)

/* The caller's registers in a call from within another one (entry.c).  */
extern __thread struct accscope_registers accscope_registers
  __attribute__ ((tls_model ("initial-exec")));

void accscope_thread_begin (struct thread *);

static inline struct thread *
self (void)
{
  struct thread *t = &accscope_self;
  if (UNLIKELY (!t->known))
    accscope_thread_begin (t);
  return t;
}

/* The Go part's functions.  */
struct engine
{
#define ENGINE_MEMBER(result, name, parameters, arguments) result (*name) parameters;
  ACCSCOPE_ENGINE_FUNCTIONS (ENGINE_MEMBER, struct accscope_thread *)
#undef ENGINE_MEMBER
};

enum phase
{
  phase_none,			/* nothing has needed the Go part yet */
  phase_loading,		/* one thread is opening it */
  phase_ready,
  phase_ended,			/* the program is ending; a new use starts anew */
  phase_abandoned,		/* it is ending from inside a kernel */
  phase_forked			/* child of a process that had it: never enter */
};

extern int accscope_phase;	/* atomic; enum phase */
extern struct engine accscope_engine;	/* filled in before phase_ready */
extern struct acc_dispatch *accscope_dispatch;	/* not null where the Go part is open */

static inline enum phase
phase (void)
{
  return __atomic_load_n (&accscope_phase, __ATOMIC_ACQUIRE);
}

/* passage.c: the Go part's functions, as they are to be called.  The first call
   opens it.  */
extern const struct engine accscope_passages;

static inline const struct engine *
engine (void)
{
  return &accscope_passages;
}

/* The same without opening it: null if nothing has needed it yet.  */
const struct engine *accscope_loaded (void);

/* Opens the Go part if it was not opened, or does without where there is no room;
   does not return if that cannot be done.  Recursion is fine: a tool that is being loaded may call us.  */
void accscope_load (void);

/* A call of the Go part in progress.  */
struct passage
{
  struct thread *thread;	/* null: refused */
  int cancel;			/* the thread's cancellation state before */
  bool masked;			/* all signals are blocked meanwhile */
  sigset_t mask;		/* and were so before */
  uint32_t entered;		/* place.entered before */
};

/* In place of the functions: they do nothing and answer 0.  */
extern const struct engine accscope_nothing;

/* Around a call of accscope_engine.  False if the thread must not enter the Go part,
   as in a signal handler that interrupted it there; the first time, that is said of the
   call, if it has a name.  */
bool accscope_enter (struct thread *, struct passage *, const char *call);
void accscope_leave (const struct passage *);
/* Whether the thread has left the Go part by longjmp; and what happens then.  */
bool accscope_has_left (const struct thread *);
void accscope_abandoned (void) __attribute__ ((noreturn));
/* A call begins while another one of the thread is in progress, whose place goes to
   OUTER; or it is the thread's first.  */
void accscope_call_inside (struct thread *, const void *stack_pointer,
			   struct accscope_place *outer);

/* Whether the program has ended, or its devices are being shut down for that.  */
static inline bool
ending (void)
{
  enum phase now = phase ();

  return UNLIKELY (now == phase_ended || now == phase_abandoned);
}

/* After the end of the program, what only takes things down has nothing to do:
   its devices are shut down.  (Destructors may still call it, and threads that
   the program did not wait for.)  */
bool accscope_ended (void);	/* only if ending () */

static inline bool
ended (void)
{
  return ending () && accscope_ended ();
}

/* Says so where a copy to the host was to be such a thing, and the data was on the
   device until the end: what names the routine or construct, host lies in the
   data; null means what the thread's open regions copy back.  Once.  */
void accscope_uncopied (const char *what, const void *host);

/* Every entry point begins with BEGIN and ends with END: they note where the
   program called, and restore it for the caller of a callback.  Most calls come
   from no callback: then there is nothing to restore, and the registers are in
   place.  */
#define BEGIN								\
  struct thread *const t = &accscope_self;				\
  struct accscope_place outer_place;					\
  const bool inside_call = t->shared.place.return_address != NULL;	\
  if (UNLIKELY (inside_call))						\
    accscope_call_inside (t, CALLERS_STACK_POINTER, &outer_place);	\
  t->shared.place.return_address = __builtin_return_address (0);	\
  t->shared.place.stack_pointer = CALLERS_STACK_POINTER;		\
  NOTE_KEPT (&t->shared.place);						\
  t->shared.place.frame_pointer = *(void **) __builtin_frame_address (0)
/* Where the frame record lies in a frame is the processor's convention: on x86-64 at
   its end, with the return address as its last word.  */
#if defined __x86_64__
#define CALLERS_STACK_POINTER						\
  ((const char *) __builtin_frame_address (0) + 2 * sizeof (void *))
#define NOTE_KEPT(place) ((void) 0)
#else
#define CALLERS_STACK_POINTER ((const char *) __builtin_dwarf_cfa ())
#define NOTE_KEPT(place)						\
  ((place)->kept = (const void *const *) __builtin_frame_address (0) + 1)
#endif
#define END								\
  do									\
    if (UNLIKELY (inside_call))						\
      t->shared.place = outer_place;					\
    else								\
      t->shared.place.return_address = NULL;				\
  while (0)
#define T (&t->shared)

/* One line on standard error, beginning "libopenacc: ".  */
void accscope_complain (const char *format, ...)
  __attribute__ ((format (printf, 1, 2)));

/* Ends the program because of an error in a call that only C can see.  */
void accscope_error (struct thread *, int code, const char *routine,
		     const char *format, ...)
  __attribute__ ((format (printf, 4, 5)));

/* objects.c: what is loaded.  */
struct object
{
  uintptr_t low, high;		/* addresses it occupies */
  char *name;			/* as the dynamic linker has it; "" the program */
};

struct objects
{
  size_t count;
  size_t initial;		/* so many were loaded before our constructor */
  struct object *object;
};

bool accscope_objects (struct objects *);	/* false: no memory */
void accscope_objects_free (struct objects *);
void *accscope_object_symbol (const struct object *, const char *name);
bool accscope_is_libgomp (const struct object *);
bool accscope_is_self (const struct object *);
void accscope_objects_begin (void);	/* from the constructor */

/* early.c: registrations made before the Go part is there.  */
bool accscope_early_register (int event, void *callback, int mode,
			      bool unregister, const void *caller);
void accscope_early_replay (void);
bool accscope_early_tool (uintptr_t low, uintptr_t high, bool program,
			  uintptr_t function, size_t function_size);
void accscope_early_caller (const void *caller);
bool accscope_early_image (bool add, unsigned version, const void *host_table,
			   int type, const void *data);
void accscope_early_replay_images (void);

/* activity.c: accscope_activity.h before the Go part is there.  */
void *accscope_early_lookup (const char *name);
void accscope_activity_replay (void);	/* with the Go part opened */

/* registration.c: publishes the registry, with what a tool has declared
   (accscope_events.h).  */
void accscope_events_replay (struct acc_dispatch *);

/* Registers or unregisters a callback, or toggles: the Go part does it, and who asked for
   it is told of toggles (accscope_toggles.h).  */
void accscope_register (struct thread *, int event, void *callback, int mode,
			bool unregister);
/* With the Go part opened.  */
void accscope_names_replay (void);

/* profilers.c: the tools that a process brings.  */
void accscope_profilers_begin (void);	/* from the constructor */
void accscope_profilers_load (void);

/* fork.c */
void accscope_fork_begin (void);	/* from the constructor */
void accscope_fork_engine (const void *address);	/* address: in the Go part */
void accscope_forked_call (void) __attribute__ ((noreturn));

/* entry.c: from inside the Go part, calls function (A, B, C) as if the program did at
   PLACE.  Who walks the stack from there, for a call stack or an exception, finds the
   program's frames below, not the Go part's, which no unwinder of C code passes.  */
int accscope_outward (const struct accscope_place *place, uintptr_t function,
		      void *a, void *b, void *c);
/* passage.c: acc_dispatch_carry_out for the Go part, outward.  */
int accscope_carry_out (struct acc_dispatch *, struct acc_dispatch_thread *,
			struct acc_dispatch_plan *);

/* Runs a kernel on the calling thread: function (block).  */
void accscope_call (void (*function) (void *), void *block);

/* resources.c: whether there is room for the Go part; says what lacks.  */
bool accscope_resources_suffice (void);
/* Around opening it.  */
void accscope_limits_widen (void);
void accscope_limits_restore (void);

/* alone.c: functions in place of the Go part's, where there is no room for it.  */
void accscope_alone (struct engine *);

/* faults.c */
void accscope_faults_begin (void);

/* thread.c */
/* Bytes of stack that a call of the Go part may take, with a profiler.  */
#define ACCSCOPE_LEAST_STACK ((uintptr_t) 8 << 10)
void accscope_stack_too_small (size_t left) __attribute__ ((noreturn));
void accscope_threads_begin (void);	/* from the constructor */

/* signals.c: where signal handlers run */
void accscope_signals_thread_begin (struct thread *);
void accscope_signals_thread_end (struct thread *);

/* In a child forked before the first use: locks that another thread of the
   parent may have held.  */
void accscope_load_in_child (void);
void accscope_early_in_child (void);
void accscope_activity_in_child (void);

#endif
