/* proflib.h - what the parts of libaccprof.so share.

   register.c  entry points, constructor, end of the process and of threads
   record.c    the callback: one event into its thread's ring
   annotate.c  events of the program's own
   nvtx.c      the same by NVTX, where the program calls that
   site.c      what events of one place share
   complete.c  structs that are too short
   intern.c    strings of a chunk, interned by content
   ring.c      rings and their chunks: taking, filling, giving back
   activity.c  device activity and live mappings, where a runtime tells them
   content.c   hashes of what transfers move, by xxh.c
   foreign.c   device activity of NVIDIA GPUs, where it does not
   flight.c    the flight recorder: giving the oldest chunks back
   process.c   the capture folder and the control page, again after a fork
   facts.c     what "info" says of the process
   modules.c   the files that addresses lie in
   names.c     places and names that are found later
   toggles.c   when the program has callbacks switched off
   clock.c     ticks, and their relation to the system's clocks
   settings.c  the environment

   All that a callback can reach is async-signal-safe: no lock, no allocation,
   no libc state; raw system calls only, and only where a chunk is used up.  */
#ifndef ACCSCOPE_PROFLIB_H
#define ACCSCOPE_PROFLIB_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "acc_callback.h"
#include "accscope_activity.h"
#include "accscope_events.h"
#include "format.h"
#include "unwind.h"

#define LIKELY(x) __builtin_expect (!!(x), 1)
#define UNLIKELY(x) __builtin_expect (!!(x), 0)
#define ALWAYS_INLINE inline __attribute__ ((always_inline))
#define PAGE 4096		/* the least that a machine has */
/* The most: what is mapped in place of variables takes whole ones.  */
#if defined __aarch64__
#define LARGEST_PAGE 65536
#else
#define LARGEST_PAGE PAGE
#endif
#define PATH_LIMIT 4096
#define RING_LIMIT 16384	/* ring files of a process */
#define NO_SPACE UINT32_MAX

/* -- settings.c: written once, when the library is loaded */

enum call_stack { STACK_OFF, STACK_CALLER, STACK_FULL };
enum activity { ACTIVITY_AUTO, ACTIVITY_RUNTIME, ACTIVITY_OFF };
#define QUEUE_FILTER_LIMIT 64

struct settings
{
  int armed;
  int filtering;		/* minimum_bytes or queues are set */
  int hash;			/* of what transfers move */
  int hasty;			/* ACCSCOPE_CAPTURE_WAIT=off: a full ring drops at once */
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
  char bytes[(CAPTURE_PROCESS_SIZE + LARGEST_PAGE - 1) / LARGEST_PAGE * LARGEST_PAGE];
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
  char bytes[LARGEST_PAGE];
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
void process_end (uint32_t end);
void process_exits (int status, void *unused);
void process_forked (void);
/* The texts behind what the path has; its length then.  */
#define path_append(path, length, ...) \
  path_append_all (path, length, (const char *const []) { __VA_ARGS__, NULL })
size_t path_append_all (char *path, size_t length, const char *const *text);
size_t number_append (char *path, size_t length, uint64_t number, unsigned width);

/* -- facts.c */

uint64_t facts_start_ticks (char *buffer, size_t size);
int facts_write (const char *path, char *buffer, size_t size);

/* -- modules.c */

int modules_write (const char *path);
void modules_note (const uint64_t *address, unsigned count);

/* -- names.c */

void names_declare (acc_prof_lookup_func lookup);
void names_forked (void);

/* -- toggles.c */
extern int toggles_told;	/* the runtime tells of them */
void toggles_declare (acc_prof_lookup_func lookup);
void toggles_forked (void);

/* -- clock.c */

extern uint32_t clock_kind;	/* CAPTURE_CLOCK_* */
extern uint64_t clock_next;	/* ticks of the next reading */
extern uint64_t clock_millisecond;	/* ticks, roughly */
void clock_prepare (void);
void clock_restart (void);
void clock_read (struct capture_clock *reading);
void clock_record (void);
uint64_t clock_monotonic (void);

/* The processor's own clock.  */
static inline uint64_t
ticks_counter (void)
{
#if defined __x86_64__
  return __builtin_ia32_rdtsc ();
#elif defined __aarch64__
  uint64_t value;
  /* Without the barrier it may be read before what comes earlier has been done.  */
  __asm__ volatile ("isb\n\tmrs %0, cntvct_el0" : "=r" (value) : : "memory");
  return value;
#else
  return 0;
#endif
}

static inline uint64_t
ticks_now (void)
{
  if (LIKELY (clock_kind == CAPTURE_CLOCK_COUNTER))
    return ticks_counter ();
  return clock_monotonic ();
}

/* -- ring.c */

#define SITE_ENTRIES 2048	/* a hundred kernels, each with its events and names */
#define SITE_WAYS 8		/* entries that a site may be in */
#define CONTEXT_ENTRIES 256
#define CONTENT_ENTRIES 512
#define CONTEXT_WORDS 14	/* acc_prof_info without its first int; acc_api_info */
#define TEXT_BLOCK 16
#define TEXT_BLOCKS 4		/* two of the source file, function, name */

/* In the other tables an entry holds for the chunk that it names: the ring's, or
   it is free.  */

struct site_text
{
  const char *given;		/* the runtime's */
  const char *copy;		/* in the chunk */
  uint32_t length;		/* of the copy */
};

/* What the events of a struct capture_site share, as the runtime gives it, and
   the last one's words.  */
struct site
{
  /* What every event of the site touches, in one line of the cache: between two of
     them the program's own work goes through it.  */
  struct site *next;		/* of the event that came after the last one */
  uint32_t told;		/* its number, for a reader; 0: none */
  uint32_t flags;		/* of struct capture_site */
  uint16_t number;
  uint16_t special;		/* SITE_* */
  uint64_t word[3];
  uint64_t correlation, step;	/* of the last event; from that before it */

  const uint64_t *dimensions;	/* the last told, in the chunk; null: none */
  acc_prof_info profile;
  acc_api_info api;
  int event_bytes, parent, implicit;
  uint8_t head[TEXT_BLOCKS][TEXT_BLOCK];
  uint8_t behind[TEXT_BLOCKS][TEXT_BLOCK];	/* 255 for what is behind the end */
  const char *text[TEXT_BLOCKS];	/* what is compared with head */
  struct site_text name, file, function;
  uint64_t caller;		/* innermost return address, 0 without one */
  const uint64_t *stack;	/* in the chunk */
  unsigned depth;
  struct walk walk;		/* to caller */
} __attribute__ ((aligned (64)));

/* What the quick way of record_callback has to look at.  */
#define SITE_OTHER 1u		/* its events don't go that way */
#define SITE_UNWIND 2u		/* caller is to be found and compared */
#define SITE_LONG_TEXT 4u	/* head is not all of the texts */
#define SITE_ENQUEUE 8u		/* events may have a correlation */
#define SITE_DEVICE 16u		/* the device begins or ends with its events */
#define SITE_DIMENSIONS 32u	/* launches with gangs along each dimension */
#define SITE_WAIT 64u		/* with its events a wait for a device ends */

struct context_entry
{
  uint64_t key[CONTEXT_WORDS];
  uint64_t chunk;
  uint32_t number;
};

struct content_entry
{
  const char *copy;
  uint64_t chunk;
  uint64_t hash;
  uint32_t length;
  uint32_t number;
};

struct ring
{
  /* The first three lines of the cache are what every event touches.  */
  uint64_t generation;		/* local.generation of its process */
  uint32_t busy;		/* a record is being written */
  uint32_t armed;		/* control word that the ring has acted on */
  char *position;		/* in chunk */
  char *limit;			/* from there on the chunk is used up for events */
  struct site *last;		/* of the last event */
  uint64_t ticks;		/* of the chunk's last event */
  uint64_t pair;		/* of the next start event */
  uint64_t told;		/* the pair that a reader takes for the next */

  struct capture_chunk *chunk;	/* null: none yet */
  uint64_t sequence;		/* of the next event */
  uint64_t epoch;		/* of the chunk: no other one's, also after a fork */
  char *end;
  unsigned opened;
  uint32_t context_new;		/* the last event's context has been defined by it */

  uint64_t open[CAPTURE_OPEN_LIMIT];	/* pairs that a reader takes for open */
  uint64_t chunks;		/* taken so far; the current one's index + 1 */
  struct site none;		/* matches nothing */
  uint32_t sites;		/* defined in this chunk */
  uint32_t contexts;
  uint64_t described;		/* bit i: the i-th device, in this chunk */
  uint32_t strings;
  uint32_t site_tag[SITE_ENTRIES];	/* of their hashes; 0: free */
  struct context_entry context[CONTEXT_ENTRIES];
  struct content_entry content[CONTENT_ENTRIES];

  uint32_t slot;
  uint32_t tid;
  uint32_t level;
  uint32_t announce;		/* the thread's record is still to be written */
  uint64_t thread;
  uint64_t dropped;
  uint64_t pending;		/* dropped, not yet said in the stream */
  uint64_t pending_first;
  uint64_t pending_last;
  uint64_t blocked_until;	/* ticks; 0: not blocked */
  uint64_t blocked_released;	/* control.released_bytes then */
  struct ring *nested;		/* for events in a handler */

  struct site site[SITE_ENTRIES];	/* last: most of it is never touched */
};

extern __thread struct ring *ring_self __attribute__ ((tls_model ("initial-exec")));
extern struct ring *rings[RING_LIMIT];
extern uint32_t ring_count;

void ring_prepare (void);
struct ring *ring_enter (uint32_t armed, uint64_t now);

/* Begins a record outside a callback of events; null: capture is off.  */
static inline struct ring *
ring_begin (uint64_t now)
{
  uint32_t armed = __atomic_load_n (&control.process.armed, __ATOMIC_RELAXED);
  return armed & 1 ? ring_enter (armed, now) : NULL;
}

/* Ends what ring_enter or ring_begin began.  */
static inline void
ring_end (struct ring *ring)
{
  __atomic_signal_fence (__ATOMIC_SEQ_CST);
  ring->busy = 0;
}

int ring_more (struct ring *ring, uint64_t now);
void ring_drop (struct ring *ring, uint64_t now);
void ring_drop_operation (void);
void ring_leave (void);		/* the calling thread ends */
void ring_forget (void);	/* in a child after fork */
size_t ring_path (char *path, uint32_t slot);
uint64_t ring_bytes (void);
uint64_t chunk_bytes (uint64_t index);
uint64_t chunk_offset (uint64_t index);

static inline void
ring_commit (struct ring *ring)
{
  __atomic_store_n (&ring->chunk->committed,
		    (uint64_t) (ring->position - (char *) ring->chunk),
		    __ATOMIC_RELEASE);
}

/* To where a record may begin, behind a short event.  */
static inline void
ring_align (struct ring *ring)
{
  if (ring->position && (uintptr_t) ring->position & 4)
    {
      memset (ring->position, CAPTURE_RECORD_NONE, 4);
      ring->position += 4;
    }
}

/* Room for a record of so many bytes at the ring's position; null: the chunk is
   used up.  */
static inline void *
ring_room (struct ring *ring, size_t bytes)
{
  ring_align (ring);
  if (UNLIKELY ((size_t) (ring->end - ring->position) < bytes))
    return NULL;
  return ring->position;
}

static inline void
record_head (struct capture_record *record, unsigned type, unsigned flags,
	     size_t bytes)
{
  record->type = (uint8_t) type;
  record->zero = 0;
  record->flags = (uint16_t) flags;
  record->bytes = (uint32_t) bytes;
}

/* Room for a record, with its head; null: the chunk is used up.  */
static inline void *
record_begin (struct ring *ring, unsigned type, unsigned flags, size_t bytes)
{
  struct capture_record *record = ring_room (ring, bytes);
  if (record)
    record_head (record, type, flags, bytes);
  return record;
}

/* The record at the ring's position is whole; 0.  */
static inline int
record_end (struct ring *ring, size_t bytes)
{
  ring->position += bytes;
  ring_commit (ring);
  return 0;
}

/* The largest event: its words, gang dimensions and call stack.  */
#define EVENT_ROOM \
  (sizeof (struct capture_event) + 6 * 8 + (1 + CAPTURE_DIMENSION_LIMIT) * 8 \
   + (1 + CAPTURE_STACK_LIMIT) * 8)
/* That is kept at a chunk's end: an event, and its site's records.  */
#define RECORD_ROOM \
  (EVENT_ROOM + sizeof (struct capture_site) + sizeof (struct capture_context))

/* -- flight.c */

void flight_add (uint32_t slot, uint64_t index, uint64_t now);
void flight_forget (void);

/* -- intern.c */

uint32_t intern (struct ring *ring, const char *text, const char **copy,
		 uint32_t *length);

/* Number of TEXT, 0 for a null pointer; NO_SPACE.  */
static inline uint32_t
intern_optional (struct ring *ring, const char *text)
{
  const char *copy;
  uint32_t length;
  return text ? intern (ring, text, &copy, &length) : 0;
}

/* -- activity.c */

extern const struct accscope_activity *device_activity;	/* null: not offered */
void activity_record (void *context, const struct accscope_activity_record *);
void activity_subscribe (acc_prof_lookup_func lookup);
void activity_device (struct ring *ring, int type, int number, uint64_t now);
void activity_snapshot (struct ring *ring, uint32_t armed, uint64_t now);
void activity_publish (uint64_t now);

/* -- content.c */

/* The callback for an event of a kind where hashes are taken, else null.  */
acc_callback content_callback (int kind);
void content_prepare (void);

/* -- foreign.c */

extern uint32_t foreign_running;	/* atomic: enqueue events are to be told */
void foreign_begin (void);
uint64_t foreign_enqueue (int start, uint64_t given, const acc_prof_info *,
			  const acc_event_info *);
void foreign_flush (void);

/* -- record.c */

/* Return address of the event that the thread is about to record; 0: to be found.  */
extern __thread uint64_t record_caller __attribute__ ((tls_model ("initial-exec")));
void record_callback (acc_prof_info *, acc_event_info *, acc_api_info *);
unsigned record_events (struct accscope_event **, unsigned count,
			accscope_raise_function, void *from);
void record_filtered (acc_prof_info *, acc_event_info *, acc_api_info *);

#endif
