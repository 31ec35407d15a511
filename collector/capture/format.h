/* format.h - the capture format, version CAPTURE_VERSION.  docs/capture-format.md
   explains it; the Go side, layout.go, is generated from this file.

   Numbers are in the byte order of the host that recorded; the magic numbers show
   which that is.  Records start at multiples of 8, short events at multiples of 4.  */
#ifndef ACCSCOPE_FORMAT_H
#define ACCSCOPE_FORMAT_H

#include <stdint.h>

#define CAPTURE_VERSION 3
#define CAPTURE_PROCESS_MAGIC 0x3143525043434341ull	/* "ACCCPRC1" */
#define CAPTURE_CHUNK_MAGIC 0x314b484343434341ull	/* "ACCCCHK1" */

/* Files of a process's capture folder; a ring's file is ring-NNNNN.  */
#define CAPTURE_PROCESS_FILE "process"
#define CAPTURE_INFO_FILE "info"
#define CAPTURE_MODULES_FILE "modules"
#define CAPTURE_SITES_FILE "sites"

/* A ring file is a row of chunks whose sizes follow from their index, so that
   a chunk that was given back (a hole in the file) does not hide the next.  */
#define CAPTURE_CHUNK_SMALL 65536u	/* the first CAPTURE_CHUNKS_SMALL chunks */
#define CAPTURE_CHUNK_LARGE 1048576u	/* all others */
#define CAPTURE_CHUNKS_SMALL 4u

#define CAPTURE_STRING_LIMIT 16383u	/* longer strings are cut */
#define CAPTURE_STACK_LIMIT 64u		/* return addresses of one event */
#define CAPTURE_DIMENSION_LIMIT 8u	/* of num_gangs_per_dim */

/* struct capture_process.clock: what a tick is */
#define CAPTURE_CLOCK_MONOTONIC 1u	/* a nanosecond of CLOCK_MONOTONIC */
#define CAPTURE_CLOCK_COUNTER 2u	/* of the invariant time-stamp counter */

/* struct capture_process.armed at the start; every switch adds 1 */
#define CAPTURE_ARMED 1u
#define CAPTURE_DISARMED 2u
#define CAPTURE_SWITCHES 64u	/* whose times are kept */

/* Kinds of events beyond acc_event_t: the program's own (accscope_annotation.h).  A
   start's end is the next number.  Their three words are bytes, number, communicator.  */
#define CAPTURE_KIND_RANGE_START 40u
#define CAPTURE_KIND_FRAME_START 42u	/* number: the frame's */
#define CAPTURE_KIND_MARK 44u
#define CAPTURE_KIND_MPI_START 46u	/* number: the peer's rank */
/* A range that may end on another thread.  Its third word is the number, unique in the
   process, by which its end finds it: neither is part of a pair.  */
#define CAPTURE_KIND_PROCESS_RANGE_START 48u

/* struct capture_process.ended */
#define CAPTURE_END_EXIT 1u		/* the library's destructor ran */
#define CAPTURE_END_QUICK_EXIT 2u	/* its handler of quick_exit ran */

/* struct capture_process.filters */
#define CAPTURE_FILTER_EVENTS 1u
#define CAPTURE_FILTER_BYTES 2u
#define CAPTURE_FILTER_QUEUE 4u
#define CAPTURE_FLIGHT_BYTES 8u		/* last_bytes holds */
#define CAPTURE_FLIGHT_TIME 16u		/* last_nanoseconds holds */

/* One reading of the three clocks.  */
struct capture_clock
{
  uint64_t number;		/* 1 + readings before; 0: empty; written last */
  uint64_t ticks;
  int64_t monotonic;		/* nanoseconds */
  int64_t realtime;		/* nanoseconds */
  uint64_t uncertainty;		/* ticks between the counter's two readings */
};

/* The first CAPTURE_CLOCK_FIRST readings stay; later ones take turns.  */
#define CAPTURE_CLOCK_FIRST 64u
#define CAPTURE_CLOCK_LATER 1024u
#define CAPTURE_CLOCK_OFFSET 4096u
#define CAPTURE_PROCESS_SIZE 49152u

/* The file "process": this page, then the clock readings.  */
struct capture_process
{
  uint64_t magic;		/* written last */
  uint32_t version;
  uint32_t header_bytes;	/* sizeof (struct capture_process) */
  uint32_t armed;		/* odd: capture is on; every switch adds 1 */
  uint32_t filters;
  int32_t pid;
  int32_t parent_pid;
  uint64_t start_ticks;		/* process start, field 22 of /proc/PID/stat */
  uint32_t clock;
  uint32_t ended;
  uint64_t end_ticks;
  uint64_t limit_bytes;		/* the ceiling */
  uint64_t allocated_bytes;	/* of all chunks ever, by the library */
  uint64_t recycled_bytes;	/* given back by the flight recorder */
  uint64_t released_bytes;	/* given back by the collector */
  uint64_t dropped_space;	/* events: no space */
  uint64_t dropped_nested;	/* events: too deep in signal handlers */
  uint64_t dropped_threads;	/* events: too many threads */
  uint64_t waits;		/* times that a full ring waited */
  uint64_t wait_nanoseconds;
  uint64_t threads;		/* ever started */
  uint64_t rings;		/* ring files */
  uint64_t clock_readings;
  uint64_t last_bytes;
  uint64_t last_nanoseconds;
  uint64_t minimum_bytes;
  uint64_t event_mask;		/* bit k: event kind k; bit 63: acc_ev_error */
  uint64_t exit_status;		/* what exit was given, and 256; 0: not known */
  uint64_t dropped_operations;	/* of what devices did: no space */
  uint64_t tells_toggles;	/* 1: the runtime tells when callbacks are switched */
  /* When armed became n, in nanoseconds of CLOCK_MONOTONIC, is in place n modulo
     CAPTURE_SWITCHES, 0 for never: whoever switches writes it before armed.  */
  int64_t switched[CAPTURE_SWITCHES];
};

struct capture_chunk
{
  uint64_t magic;		/* written last */
  uint32_t version;
  uint32_t header_bytes;	/* sizeof (struct capture_chunk) */
  uint64_t index;
  uint64_t bytes;		/* of the chunk, header included */
  uint64_t committed;		/* what is before this offset in the chunk holds */
  uint64_t thread;		/* number of the thread that goes on here */
  uint32_t tid;
  uint32_t level;		/* 0, or 1 in a handler that interrupted a record */
  uint64_t sequence;		/* of the thread's next event */
  uint64_t dropped;		/* events that the ring had dropped before */
  struct capture_clock clock;
  uint64_t reserved[2];
};

/* Records.  An unknown type is skipped by its size.  Types are even: an odd first
   byte is a short event's.  */
#define CAPTURE_RECORD_NONE 0u		/* four bytes to skip */
#define CAPTURE_RECORD_EVENT 2u
#define CAPTURE_RECORD_STRING 4u
#define CAPTURE_RECORD_CONTEXT 6u
#define CAPTURE_RECORD_THREAD 8u
#define CAPTURE_RECORD_DROPPED 10u
#define CAPTURE_RECORD_SWITCH 12u
#define CAPTURE_RECORD_ACTIVITY 14u
#define CAPTURE_RECORD_MAPPING 16u
#define CAPTURE_RECORD_THREAD_END 18u
#define CAPTURE_RECORD_SITE 20u
#define CAPTURE_RECORD_DEPENDENCY 22u
#define CAPTURE_RECORD_DEVICE 24u
#define CAPTURE_RECORD_WARNING 26u
#define CAPTURE_RECORD_CONTENT 28u
#define CAPTURE_RECORD_TOGGLE 30u

/* What all records but events begin with.  */
struct capture_record
{
  uint8_t type;
  uint8_t zero;
  uint16_t flags;
  uint32_t bytes;		/* of the record, a multiple of 8 */
};

/* An event: what differs from the last event of its site, and from the event
   before it.  The words that its flags name follow, in the order of the flags;
   their number is the event's size.  */
#define CAPTURE_EVENT_TICKS 1u		/* the time whole, .ticks is 0 */
#define CAPTURE_EVENT_PAIR 2u		/* else: by the site's flags */
#define CAPTURE_EVENT_FIRST 4u		/* bytes; gangs; error code */
#define CAPTURE_EVENT_SECOND 8u		/* host address; workers; runtime_info */
#define CAPTURE_EVENT_THIRD 16u		/* device address; vector length */
#define CAPTURE_EVENT_CORRELATION 32u	/* number of its device activity */
#define CAPTURE_EVENT_DIMENSIONS 64u	/* count, then gangs per dimension */
#define CAPTURE_EVENT_STACK 128u	/* count, then return addresses */

struct capture_event
{
  uint8_t type;
  uint8_t flags;
  uint16_t site;		/* a site of this chunk */
  uint32_t ticks;		/* since the chunk's event before, at first since 0 */
  uint64_t words[];
};

/* An event of the site that came next after the last event's site the last time
   in this chunk, without anything to say but the ticks since the event before.  */
typedef uint32_t capture_short_event;
#define CAPTURE_SHORT_EVENT(ticks) ((capture_short_event) (ticks) << 1 | 1)

/* What the events of one kind, place, queue, variable and caller share.  Sites,
   contexts and strings are numbered from 1 in each chunk, in the order of their
   records.  The words of a site's first event are set against zeros and empty
   lists.  A correlation that is not said is as far from the last one as that was
   from the one before.  */
#define CAPTURE_SITE_DATA 1u		/* the words are bytes, host, device */
#define CAPTURE_SITE_LAUNCH 2u		/* gangs, workers, vector */
#define CAPTURE_SITE_ERROR 4u		/* code, runtime_info, 0 */
#define CAPTURE_SITE_START 8u		/* an event's pair is the next one */
#define CAPTURE_SITE_END 16u		/* it is the last one that is open */
#define CAPTURE_MISSING_PROFILE 256u
#define CAPTURE_MISSING_EVENT 512u
#define CAPTURE_MISSING_API 1024u
#define CAPTURE_SITE_LIMIT 65535u	/* sites of a chunk */
#define CAPTURE_OPEN_LIMIT 16u		/* pairs that are remembered as open */

struct capture_site
{
  struct capture_record record;
  uint32_t number;
  uint32_t context;		/* a context of this chunk */
  int32_t kind;
  int32_t parent;
  int32_t implicit;
  int32_t event_bytes;
  uint32_t name;		/* a string of this chunk; 0: null pointer */
  uint32_t zero;
};

/* What many sites share: acc_prof_info and acc_api_info.  */
struct capture_context
{
  struct capture_record record;
  uint32_t number;
  int32_t version;
  int32_t device_type;
  int32_t device_number;
  int32_t thread_id;
  int32_t line;
  int32_t end_line;
  int32_t function_line;
  int32_t function_end;
  int32_t profile_bytes;
  int64_t async;
  int64_t async_queue;
  uint32_t source_file;
  uint32_t function;
  int32_t api;
  int32_t api_bytes;
  int32_t api_device_type;
  int32_t vendor;
  uint64_t device_handle;
  uint64_t context_handle;
  uint64_t async_handle;
};

#define CAPTURE_STRING_CUT 1u	/* flags: the string was longer */
struct capture_string
{
  struct capture_record record;
  uint32_t number;
  uint32_t length;
  char text[];			/* length bytes, a 0, zeros up to the record's end */
};

/* The records after this one are of another thread.  */
struct capture_thread
{
  struct capture_record record;
  uint64_t thread;
  uint32_t tid;
  uint32_t level;
  uint64_t sequence;		/* of its next event */
  uint64_t ticks;
  char name[16];
};

struct capture_thread_end
{
  struct capture_record record;
  uint64_t ticks;
};

struct capture_dropped
{
  struct capture_record record;
  uint64_t count;
  uint64_t first_ticks;
  uint64_t last_ticks;
};

struct capture_switch
{
  struct capture_record record;
  uint64_t ticks;
  uint64_t armed;		/* the new value of the control word */
};

/* Callbacks were switched by the program (OpenACC 3.3 5.4.2), for the thread or for all.  */
#define CAPTURE_TOGGLE_THREAD 1u	/* flags: for this thread */
struct capture_toggle
{
  struct capture_record record;
  uint64_t ticks;
  uint64_t off;			/* events that are off from now on; bits as in event_mask */
};

#define CAPTURE_ACTIVITY_PAGEABLE 1u	/* flags: of a transfer's memory of the host */
#define CAPTURE_ACTIVITY_PEER 2u	/* it is a struct capture_activity_peer */
/* Of a kernel: from this bit on of the flags who gave its gangs, workers and vector, so
   many bits each (enum accscope_activity_giver).  */
#define CAPTURE_ACTIVITY_BY 4u
#define CAPTURE_ACTIVITY_BY_BITS 3u
struct capture_activity
{
  struct capture_record record;
  uint64_t ticks;
  uint64_t correlation;
  int32_t kind;
  int32_t device_type;
  int32_t device_number;
  uint32_t name;
  int64_t async;
  int64_t async_queue;
  uint64_t bytes;
  int64_t start;		/* CLOCK_MONOTONIC, nanoseconds */
  int64_t end;
  int64_t device_start;
  int64_t device_end;
};

/* A copy to another device of the same type.  */
struct capture_activity_peer
{
  struct capture_activity activity;
  int32_t number;		/* of the device */
  int32_t line;
  uint32_t source_file;
  uint32_t zero;
};

/* A queue was made to wait for what another one held.  */
struct capture_dependency
{
  struct capture_record record;
  uint64_t ticks;
  int64_t queue;		/* async_queue */
  int64_t awaited;
  int64_t time;			/* of its enqueueing, CLOCK_MONOTONIC, nanoseconds */
  int32_t device_type;
  int32_t device_number;
  uint32_t source_file;
  int32_t line;
};

/* What the runtime says of a device; once in each chunk that speaks of it.  The
   record's flags are the number of its multiprocessors, 0: not known.  */
struct capture_device
{
  struct capture_record record;
  uint64_t ticks;
  uint64_t memory;		/* bytes; 0: not known */
  int32_t device_type;
  int32_t device_number;
  uint32_t name;
  uint32_t vendor;
};

/* What the runtime warns of, once.  */
#define CAPTURE_WARNING_EXPOSED 1u	/* flags: .text is the host address and bytes of data
					   whose device address acc_deviceptr has given */
#define CAPTURE_WARNING_UNUSED 2u	/* the same of data that no kernel could use */
#define CAPTURE_WARNING_FINDING 4u	/* .text is what accscope_activity_finding's name is */
#define CAPTURE_WARNING_COUNTS 8u	/* .text is what accscope_activity_counts's name is */
struct capture_warning
{
  struct capture_record record;
  uint64_t ticks;
  uint32_t text;		/* strings of this chunk, as the file is */
  uint32_t source_file;
  int32_t line;
  uint32_t zero;
};

/* Hashes of what a transfer moved, by the thread and the sequence of its start event:
   XXH64 of up to 240 bytes, XXH3 with 64 bits of more.  */
#define CAPTURE_CONTENT_OVERWRITTEN 1u	/* flags: .overwritten holds */
struct capture_content
{
  struct capture_record record;
  uint64_t ticks;
  uint64_t thread;
  uint64_t sequence;
  uint64_t hash;
  uint64_t overwritten;		/* of what was there before a download */
};

/* A record of the file "sites": a place that calls the runtime, with a snapshot of a
   call there (runtime/source/snapshot) as far as bytes says.  */
struct capture_site_call
{
  uint32_t bytes;		/* of the record, a multiple of 8 */
  uint32_t number;		/* of the site, as references say it */
  uint32_t first;		/* the entry that the snapshot's first one is */
  uint32_t reserved;
  uint64_t return_address;
  uint64_t function;		/* outlined function of a compute construct, or 0 */
};

/* A mapping that existed before capture was switched on.  */
struct capture_mapping
{
  struct capture_record record;
  uint64_t ticks;
  uint64_t host;
  uint64_t device;
  uint64_t bytes;
  int32_t device_type;
  int32_t device_number;
  uint32_t name;
  uint32_t attached;		/* sum of the attachment counters */
  uint64_t structured;		/* reference counters */
  uint64_t dynamic;
};

#endif
