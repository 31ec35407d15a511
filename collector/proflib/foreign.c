/* foreign.c - device activity under runtimes that tell none, on NVIDIA GPUs: from
   CUPTI's activity API (runtime/cuda/cupti.c), where it is installed.

   CUPTI is opened when such a runtime has initialised a device, so that other
   programs never load it.  Each enqueue event is a region of an external
   correlation number, which CUPTI repeats for what was enqueued in it; work
   outside of such regions, such as the transfers of GCC's library, is recorded
   without one, on the queue that its stream was last seen with.  */
#define _GNU_SOURCE
#include "proflib.h"
#include "../../runtime/cuda/cupti.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FLUSH_PERIOD 200	/* milliseconds */

static uint32_t state;		/* atomic: 0 not tried, 1 being tried, 2 done */
uint32_t foreign_running;
static uint64_t generation;	/* of the process that CUPTI runs in, not its children */

/* Names of kernels, found by what they are: a record may come after the module
   that the runtime's name was in has been closed.  Where there is no more room,
   CUPTI's names do.  */
#define NAMES 4096
#define NAME_PLACES 8		/* that a name can have */
#define NAME_BYTES ((size_t) 512 << 10)
static const char *names[NAMES];	/* atomic */
static char name_text[NAME_BYTES];
static size_t name_used;	/* atomic */

/* The enqueue event of an external correlation number, in a ring that is large
   enough for all that is enqueued and not recorded yet.  */
#define ENQUEUES 65536
static struct enqueue
{
  uint64_t number;
  int64_t async, async_queue;
  const char *name;
} enqueues[ENQUEUES];
static uint64_t enqueued;	/* atomic */

/* The external correlation number of a CUPTI correlation number.  */
#define NUMBERS 65536
static struct
{
  uint32_t correlation;
  uint64_t number;
} numbers[NUMBERS];

/* The queue that a stream was last seen with.  */
#define STREAMS 256
static struct
{
  uint32_t context, stream;
  int64_t async, async_queue;
} streams[STREAMS];
static unsigned stream_count;

static uint64_t
timestamp (void)
{
  struct timespec now;
  clock_gettime (CLOCK_MONOTONIC, &now);
  return (uint64_t) now.tv_sec * 1000000000 + (uint64_t) now.tv_nsec;
}

/* -- enqueueing */

static const char *
name_copy (const char *name, size_t bytes)
{
  size_t used = __atomic_load_n (&name_used, __ATOMIC_RELAXED);
  do
    if (bytes > NAME_BYTES - used)
      return NULL;
  while (!__atomic_compare_exchange_n (&name_used, &used, used + bytes, 0,
				       __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  return memcpy (name_text + used, name, bytes);
}

/* The copy of a name that stays, null if there is none.  */
static const char *
name_keep (const char *name)
{
  size_t length = name ? strnlen (name, CAPTURE_STRING_LIMIT) : 0;
  const char *copy = NULL;
  uint32_t hash = 2166136261u;
  if (length == 0 || length == CAPTURE_STRING_LIMIT)
    return NULL;
  for (size_t i = 0; i < length; i++)
    hash = (hash ^ (unsigned char) name[i]) * 16777619u;
  for (unsigned i = 0; i < NAME_PLACES; i++)
    {
      const char **place = &names[(hash + i) % NAMES];
      const char *there = __atomic_load_n (place, __ATOMIC_ACQUIRE);
      if (!there)
	{
	  if (!copy && !(copy = name_copy (name, length + 1)))
	    return NULL;
	  if (__atomic_compare_exchange_n (place, &there, copy, 0, __ATOMIC_ACQ_REL,
					   __ATOMIC_ACQUIRE))
	    return copy;
	}
      if (strcmp (there, name) == 0)
	return there;
    }
  return NULL;
}

/* The number of the operation whose start or end event this is; GIVEN is the
   runtime's, 0 if it has none.  */
uint64_t
foreign_enqueue (int start, uint64_t given, const acc_prof_info *profile,
		 const acc_event_info *event)
{
  static __thread uint64_t current __attribute__ ((tls_model ("initial-exec")));
  uint64_t before = current;
  if (local_generation () != generation)
    return given;
  /* Capture may have been switched off between a start and its end.  */
  if (before)
    accscope_cupti_pop ();
  current = 0;
  if (!start)
    return before;
  uint64_t number = given ? given
    : __atomic_add_fetch (&enqueued, 1, __ATOMIC_RELAXED);
  struct enqueue *e = &enqueues[number % ENQUEUES];
  e->async = profile->async;
  e->async_queue = profile->async_queue;
  e->name = profile->event_type == acc_ev_enqueue_launch_start
    ? name_keep (event->launch_event.kernel_name) : NULL;
  __atomic_store_n (&e->number, number, __ATOMIC_RELEASE);
  current = number;
  accscope_cupti_push (number);
  return number;
}

/* -- records */

static uint64_t
number_of (uint32_t correlation)
{
  return numbers[correlation % NUMBERS].correlation == correlation
    ? numbers[correlation % NUMBERS].number : 0;
}

/* The queue of an operation: its enqueue event's, else its stream's.  */
static const struct enqueue *
queue_of (struct accscope_activity_record *record, uint32_t context,
	  uint32_t stream)
{
  const struct enqueue *e = &enqueues[record->correlation % ENQUEUES];
  unsigned i;
  if (!record->correlation
      || __atomic_load_n (&e->number, __ATOMIC_ACQUIRE) != record->correlation)
    e = NULL;
  for (i = 0; i < stream_count; i++)
    if (streams[i].context == context && streams[i].stream == stream)
      break;
  if (i == stream_count && stream_count < STREAMS)
    {
      streams[i].context = context;
      streams[i].stream = stream;
      streams[i].async = streams[i].async_queue = acc_async_sync;
      stream_count++;
    }
  if (e && i < stream_count)
    {
      streams[i].async = e->async;
      streams[i].async_queue = e->async_queue;
    }
  record->async = e ? e->async : i < stream_count ? streams[i].async : acc_async_sync;
  record->async_queue = e ? e->async_queue
    : i < stream_count ? streams[i].async_queue : acc_async_sync;
  return e;
}

static void
number (uint32_t correlation, uint64_t external)
{
  numbers[correlation % NUMBERS].correlation = correlation;
  numbers[correlation % NUMBERS].number = external;
}

static void
take (const struct accscope_cupti_operation *o)
{
  const int64_t offset = accscope_cupti_offset ();
  struct accscope_activity_record record = {
    .size = sizeof record, .kind = o->kind, .device_type = acc_device_nvidia,
    .device_number = (int32_t) o->device, .bytes = o->bytes,
    .correlation = number_of (o->correlation),
    .device_start = (int64_t) o->start, .device_end = (int64_t) o->end,
    .host_start = (int64_t) o->start + offset, .host_end = (int64_t) o->end + offset,
    .flags = o->pageable ? ACCSCOPE_ACTIVITY_PAGEABLE : 0,
  };
  if (o->end == 0 || o->end < o->start)
    return;
  const struct enqueue *e = queue_of (&record, o->context, o->stream);
  record.name = o->kind == accscope_activity_kernel && e && e->name ? e->name : o->name;
  activity_record (NULL, &record);
}

/* -- beginning and end */

static void
ignore (void *context, int domain, uint32_t function, const struct cupti_call *call)
{
  (void) context;
  (void) domain;
  (void) function;
  (void) call;
}

static const int kinds[] = {
  CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION,
  CUPTI_ACTIVITY_KIND_DRIVER,	/* with whose records the numbers come */
  CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
  CUPTI_ACTIVITY_KIND_MEMSET,
};

static const struct accscope_cupti_use use = {
  .kinds = { .records = kinds, .record_count = sizeof kinds / sizeof *kinds },
  .period = FLUSH_PERIOD,
  .called = ignore,
  .clock = timestamp,
  .external = number,
  .operation = take,
};

void
foreign_flush (void)
{
  if (__atomic_load_n (&foreign_running, __ATOMIC_ACQUIRE)
      && local_generation () == generation)
    accscope_cupti_flush (1);
}

/* Called outside of any record, where memory may be allocated.  */
void
foreign_begin (void)
{
  static uint32_t launched;
  uint32_t none = 0;
  /* Handlers that the first launch brought must not run before ours.  */
  if (UNLIKELY (foreign_running)
      && __atomic_fetch_add (&launched, 1, __ATOMIC_RELAXED) < 1)
    atexit (foreign_flush);
  if (settings.activity != ACTIVITY_AUTO || device_activity
      || __atomic_load_n (&state, __ATOMIC_RELAXED) != 0
      || !__atomic_compare_exchange_n (&state, &none, 1, 0, __ATOMIC_ACQ_REL,
				       __ATOMIC_RELAXED))
    return;
  void *driver = dlopen ("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (driver && accscope_cupti_open (settings.cupti) && accscope_cupti_begin (&use))
    {
      /* Its handler was registered after the driver's, and so runs before.  */
      atexit (foreign_flush);
      generation = local_generation ();
      __atomic_store_n (&foreign_running, 1, __ATOMIC_RELEASE);
    }
  __atomic_store_n (&state, 2, __ATOMIC_RELEASE);
}
