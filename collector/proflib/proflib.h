/* proflib.h - what the parts of libaccprof.so share.

   register.c  entry points, constructor, end of the process and of threads
   record.c    the callback: one event into its thread's ring
   intern.c    strings of a chunk, interned by content
   ring.c      rings and their chunks: taking, filling, giving back
   activity.c  device activity and live mappings, where a runtime tells them
   cupti.c     device activity of NVIDIA GPUs, where it does not
   flight.c    the flight recorder: giving the oldest chunks back
   process.c   the capture folder and the control page, again after a fork
   facts.c     what "info" and "modules" say of the process
   clock.c     ticks, and their relation to the system's clocks
   settings.c  the environment

   All that a callback can reach is async-signal-safe: no lock, no allocation,
   no libc state; raw system calls only, and only where a chunk is used up.  */
#ifndef ACCSCOPE_PROFLIB_H
#define ACCSCOPE_PROFLIB_H

#include <stddef.h>
#include <stdint.h>
#include "acc_callback.h"
#include "accscope_activity.h"
#include "format.h"

#define LIKELY(x) __builtin_expect (!!(x), 1)
#define UNLIKELY(x) __builtin_expect (!!(x), 0)
#define PAGE 4096
#define PATH_LIMIT 4096
#define RING_LIMIT 16384	/* ring files of a process */
#define NO_SPACE UINT32_MAX

/* -- settings.c: written once, when the library is loaded */

enum call_stack { STACK_OFF, STACK_CALLER, STACK_FULL };
enum activity { ACTIVITY_AUTO, ACTIVITY_OFF };
#define QUEUE_FILTER_LIMIT 64

struct settings
{
  int armed;
  int filtering;		/* minimum_bytes or queues are set */
  enum call_stack stack;
  enum activity activity;	/* what devices did and when */
  uint32_t filters;		/* CAPTURE_FILTER_*, CAPTURE_FLIGHT_* */
  uint64_t limit_bytes;
  uint64_t last_bytes;
  uint64_t last_nanoseconds;
  uint64_t minimum_bytes;
  uint64_t event_mask;
  unsigned queues;
  int64_t queue[QUEUE_FILTER_LIMIT];
  char session[PATH_LIMIT];	/* ACCSCOPE_SESSION, absolute, or empty */
  char cupti[PATH_LIMIT];	/* ACCSCOPE_CUPTI, or empty */
  char directory[PATH_LIMIT];	/* the current folder at load */
  char facts[8192];		/* "key=value\0"... for the file "info" */
  size_t facts_length;
};
extern struct settings settings;
void settings_read (void);

static inline uint64_t
event_bit (int kind)
{
  if (kind >= 0 && kind < 63)
    return (uint64_t) 1 << kind;
  return (uint64_t) 1 << 63;
}

/* -- process.c */

/* The control page and the clock readings: private memory until the first
   event, then the file "process" mapped in its place, so that the test of the
   switch is one load.  */
union control
{
  struct capture_process process;
  char bytes[CAPTURE_PROCESS_SIZE];
};
extern union control control;

/* A page that the kernel clears in a child after any kind of fork.  */
union local
{
  struct
  {
    uint64_t generation;	/* 0: nothing is set up in this process */
    uint32_t state;
    uint32_t initialiser;	/* tid */
  };
  char bytes[PAGE];
};
extern union local local;
extern char folder[PATH_LIMIT];

static inline uint64_t
local_generation (void)
{
  return __atomic_load_n (&local.generation, __ATOMIC_ACQUIRE);
}

void process_prepare (void);	/* at load */
int process_begin (void);	/* at the first event; 0, or -1: no capture */
void process_end (void);
void process_forked (void);
size_t path_append (char *path, size_t length, const char *text);
size_t number_append (char *path, size_t length, uint64_t number, unsigned width);

/* -- facts.c */

uint64_t facts_start_ticks (char *buffer, size_t size);
int facts_write (const char *path, char *buffer, size_t size);
int modules_write (const char *path);
int modules_know (uintptr_t address);

/* -- clock.c */

extern uint32_t clock_kind;	/* CAPTURE_CLOCK_* */
extern uint64_t clock_next;	/* ticks of the next reading */
extern uint64_t clock_millisecond;	/* ticks, roughly */
void clock_prepare (void);
void clock_restart (void);
void clock_read (struct capture_clock *reading);
void clock_record (void);
uint64_t clock_monotonic (void);

static inline uint64_t
ticks_now (void)
{
#if defined __x86_64__
  if (LIKELY (clock_kind == CAPTURE_CLOCK_COUNTER))
    return __builtin_ia32_rdtsc ();
#elif defined __aarch64__
  if (LIKELY (clock_kind == CAPTURE_CLOCK_COUNTER))
    {
      uint64_t value;
      __asm__ volatile ("mrs %0, cntvct_el0" : "=r" (value));
      return value;
    }
#endif
  return clock_monotonic ();
}

/* -- ring.c */

#define CONTEXT_ENTRIES 128
#define NAME_ENTRIES 64
#define CONTENT_ENTRIES 128
#define CONTEXT_WORDS 14	/* acc_prof_info without its first int; acc_api_info */

struct context_entry
{
  uint64_t key[CONTEXT_WORDS];
  const char *source_file;	/* copies in the chunk */
  const char *function;
  uint32_t number;		/* 0: empty */
};

struct name_entry
{
  const char *pointer;
  const char *copy;
  uint32_t number;
};

struct content_entry
{
  const char *copy;
  uint32_t length;
  uint32_t number;
  uint64_t hash;
};

struct ring
{
  uint64_t generation;		/* local.generation of its process */
  uint32_t busy;		/* a record is being written */
  uint32_t armed;		/* control word that the ring has acted on */
  char *position;		/* in chunk */
  char *end;
  struct capture_chunk *chunk;	/* null: none yet */
  uint64_t pair;		/* of the next start event */
  uint64_t sequence;		/* of the next event */
  uint32_t contexts;		/* defined in this chunk */
  uint32_t context_new;		/* the last event's context has been defined by it */
  uint64_t described;		/* bit i: the i-th device, in this chunk */
  uint32_t strings;
  struct context_entry context[CONTEXT_ENTRIES];
  struct name_entry name[NAME_ENTRIES];
  struct content_entry content[CONTENT_ENTRIES];

  uint32_t slot;
  uint32_t tid;
  uint32_t level;
  uint32_t announce;		/* the thread's record is still to be written */
  uint64_t thread;
  uint64_t chunks;		/* taken so far; the current one's index + 1 */
  uint64_t dropped;
  uint64_t pending;		/* dropped, not yet said in the stream */
  uint64_t pending_first;
  uint64_t pending_last;
  uint64_t blocked_until;	/* ticks; 0: not blocked */
  uint64_t blocked_released;	/* control.released_bytes then */
  struct ring *nested;		/* for events in a handler */
};

extern __thread struct ring *ring_self __attribute__ ((tls_model ("initial-exec")));
extern struct ring *rings[RING_LIMIT];
extern uint32_t ring_count;

void ring_prepare (void);
struct ring *ring_enter (uint32_t armed, uint64_t now);
int ring_more (struct ring *ring, uint64_t now);
void ring_drop (struct ring *ring, uint64_t now);
void ring_leave (void);		/* the calling thread ends */
void ring_forget (void);	/* in a child after fork */
size_t ring_path (char *path, uint32_t slot);
uint64_t chunk_bytes (uint64_t index);
uint64_t chunk_offset (uint64_t index);

static inline void
ring_commit (struct ring *ring)
{
  __atomic_store_n (&ring->chunk->committed,
		    (uint64_t) (ring->position - (char *) ring->chunk),
		    __ATOMIC_RELEASE);
}

/* Room for RECORD bytes at the ring's position; null: the chunk is used up.  */
static inline void *
ring_room (struct ring *ring, size_t bytes)
{
  if (UNLIKELY ((size_t) (ring->end - ring->position) < bytes))
    return NULL;
  return ring->position;
}

/* -- flight.c */

void flight_add (uint32_t slot, uint64_t index, uint64_t now);
void flight_forget (void);

/* -- intern.c */

uint32_t intern (struct ring *ring, const char *text, const char **copy);

/* Number of TEXT, 0 for a null pointer; NO_SPACE.  */
static inline uint32_t
intern_optional (struct ring *ring, const char *text)
{
  const char *copy;
  return text ? intern (ring, text, &copy) : 0;
}

/* -- activity.c */

extern const struct accscope_activity *device_activity;	/* null: not offered */
void activity_record (void *context, const struct accscope_activity_record *);
void activity_subscribe (acc_prof_lookup_func lookup);
void activity_device (struct ring *ring, int type, int number, uint64_t now);
void activity_snapshot (struct ring *ring, uint32_t armed, uint64_t now);

/* -- cupti.c */

extern uint32_t cupti_running;	/* atomic: enqueue events are to be told */
void cupti_begin (void);
uint64_t cupti_enqueue (int start, uint64_t given, const acc_prof_info *,
			const acc_event_info *);
void cupti_flush (void);

/* -- record.c */

void record_callback (acc_prof_info *, acc_event_info *, acc_api_info *);

#endif
