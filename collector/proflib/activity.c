/* activity.c - device activity and live mappings, from a runtime that offers
   accscope_activity.h through its look-up function.  */
#define _GNU_SOURCE
#include "proflib.h"
#include <string.h>

const struct accscope_activity *device_activity;

#define COVERS(object, field) \
  ((object)->size >= offsetof (__typeof__ (*(object)), field) \
		     + sizeof (object)->field)

static int
warns (const struct accscope_activity_record *activity)
{
  return activity->kind == accscope_activity_warning
    || activity->kind == accscope_activity_exposed
    || activity->kind == accscope_activity_unused
    || activity->kind == accscope_activity_finding
    || activity->kind == accscope_activity_counts;
}

static int
wanted (const struct accscope_activity_record *activity)
{
  if (warns (activity))
    return 1;
  if (settings.filters & CAPTURE_FILTER_BYTES
      && activity->kind != accscope_activity_kernel
      && activity->kind != accscope_activity_wait
      && activity->bytes < settings.minimum_bytes)
    return 0;
  if (!(settings.filters & CAPTURE_FILTER_QUEUE))
    return 1;
  for (unsigned i = 0; i < settings.queues; i++)
    if (settings.queue[i] == activity->async_queue)
      return 1;
  return 0;
}

/* The flags that say who gave the Nth dimension of a launch; what is not known here is left
   out.  */
static uint32_t
by_flag (uint8_t giver, unsigned n)
{
  return giver >> CAPTURE_ACTIVITY_BY_BITS ? 0
    : (uint32_t) giver << (CAPTURE_ACTIVITY_BY + n * CAPTURE_ACTIVITY_BY_BITS);
}

static int
write_activity (struct ring *ring, const struct accscope_activity_record *activity,
		uint64_t now)
{
  uint32_t name = COVERS (activity, name)
    ? intern_optional (ring, activity->name) : 0;
  uint32_t told = COVERS (activity, flags) ? activity->flags : 0;
  uint32_t flags = told & ACCSCOPE_ACTIVITY_PAGEABLE ? CAPTURE_ACTIVITY_PAGEABLE : 0;
  int peer = told & ACCSCOPE_ACTIVITY_PEER && COVERS (activity, peer);
  uint32_t file = !peer ? 0 : name == NO_SPACE ? NO_SPACE
    : intern_optional (ring, activity->src_file);
  size_t size = peer ? sizeof (struct capture_activity_peer)
    : sizeof (struct capture_activity);
  if (peer)
    flags |= CAPTURE_ACTIVITY_PEER;
  if (activity->kind == accscope_activity_kernel && COVERS (activity, vector_by))
    flags |= by_flag (activity->gangs_by, 0) | by_flag (activity->workers_by, 1)
      | by_flag (activity->vector_by, 2);
  struct capture_activity *record
    = record_begin (ring, CAPTURE_RECORD_ACTIVITY, (uint16_t) flags, size);
  if (name == NO_SPACE || file == NO_SPACE || !record)
    return -1;
  record->ticks = now;
  record->correlation = activity->correlation;
  record->kind = activity->kind;
  record->device_type = activity->device_type;
  record->device_number = activity->device_number;
  record->name = name;
  record->async = activity->async;
  record->async_queue = activity->async_queue;
  record->bytes = activity->bytes;
  record->start = activity->host_start;
  record->end = activity->host_end;
  record->device_start = activity->device_start;
  record->device_end = activity->device_end;
  if (peer)
    {
      struct capture_activity_peer *to = (void *) record;
      to->number = activity->peer;
      to->line = activity->line_no;
      to->source_file = file;
      to->zero = 0;
    }
  return record_end (ring, size);
}

static int
write_dependency (struct ring *ring, const struct accscope_activity_record *wait,
		  uint64_t now)
{
  uint32_t file = intern_optional (ring, wait->src_file);
  struct capture_dependency *record
    = record_begin (ring, CAPTURE_RECORD_DEPENDENCY, 0, sizeof *record);
  if (file == NO_SPACE || !record)
    return -1;
  record->ticks = now;
  record->queue = wait->async_queue;
  record->awaited = wait->awaited_queue;
  record->time = wait->host_start;
  record->device_type = wait->device_type;
  record->device_number = wait->device_number;
  record->source_file = file;
  record->line = wait->line_no;
  return record_end (ring, sizeof *record);
}

static int
write_warning (struct ring *ring, const struct accscope_activity_record *warning,
	       uint64_t now)
{
  uint32_t text = intern_optional (ring, warning->name);
  uint32_t file = text == NO_SPACE ? NO_SPACE
    : intern_optional (ring, warning->src_file);
  struct capture_warning *record
    = record_begin (ring, CAPTURE_RECORD_WARNING,
		    warning->kind == accscope_activity_exposed ? CAPTURE_WARNING_EXPOSED
		    : warning->kind == accscope_activity_unused ? CAPTURE_WARNING_UNUSED
		    : warning->kind == accscope_activity_finding ? CAPTURE_WARNING_FINDING
		    : warning->kind == accscope_activity_counts ? CAPTURE_WARNING_COUNTS
		    : 0, sizeof *record);
  if (file == NO_SPACE || !record)
    return -1;
  record->ticks = now;
  record->text = text;
  record->source_file = file;
  record->line = warning->line_no;
  record->zero = 0;
  return record_end (ring, sizeof *record);
}

void
activity_record (void *context, const struct accscope_activity_record *activity)
{
  (void) context;
  if (!activity || !COVERS (activity, host_end) || !wanted (activity))
    return;
  int (*write) (struct ring *, const struct accscope_activity_record *, uint64_t)
    = write_activity;
  if (activity->kind == accscope_activity_wait || warns (activity))
    {
      if (!COVERS (activity, line_no))
	return;
      write = activity->kind == accscope_activity_wait
	? write_dependency : write_warning;
    }
  uint64_t now = ticks_now ();
  struct ring *ring = ring_begin (now);
  if (!ring)
    return;
  int attempts = 0;
  while (write (ring, activity, now) < 0)
    if (attempts++ > 1 || ring_more (ring, now) < 0)
      {
	ring_drop_operation ();
	break;
      }
  ring_end (ring);
}

static uint64_t subscription;

void
activity_subscribe (acc_prof_lookup_func lookup)
{
  static int subscribed;
  accscope_activity_function function
    = (accscope_activity_function) (void *) lookup (ACCSCOPE_ACTIVITY_NAME);
  const struct accscope_activity *activity = function ? function () : NULL;
  if (!activity || activity->version < 1 || !COVERS (activity, mappings)
      || __atomic_exchange_n (&subscribed, 1, __ATOMIC_ACQ_REL))
    return;
  static const struct accscope_activity_subscriber subscriber = {
    .size = sizeof subscriber, .record = activity_record,
  };
  if (settings.activity != ACTIVITY_OFF
      && activity->subscribe (&subscriber, &subscription) == 0)
    __atomic_store_n (&device_activity, activity, __ATOMIC_RELEASE);
}

/* -- device times at waits */

/* What has finished is known to whoever has waited for it, and may be all that is
   ever told of it: the process can be killed at any time.  So the runtime reports at
   each wait.  A program that waits often would pay for it as much as for its own work:
   it takes at most one part in PUBLISH_SHARE of the time, beside the first
   PUBLISH_FIRST waits and PUBLISH_CREDIT milliseconds of what was saved up; the
   rest is reported by a thread of the runtime's.  Of a report no more counts than can
   be saved up: others may have had the processor meanwhile.  Where another tool's
   function holds the reports up, which may wait for the thread that is here, the
   runtime reports when it does.  */
#define PUBLISH_SHARE 512
#define PUBLISH_CREDIT 2
#define PUBLISH_FIRST 16

void
activity_publish (uint64_t now)
{
  static uint32_t publishing;
  static uint64_t next;		/* atomic: ticks before which no wait has to write here */
  static uint64_t last;		/* ticks up to which time has been credited */
  static int64_t credit;	/* ticks */
  static unsigned waits;	/* all three are PUBLISHING's */
  uint32_t no = 0;
  if (LIKELY (now < __atomic_load_n (&next, __ATOMIC_RELAXED)))
    return;
  if (!device_activity || !COVERS (device_activity, flush_for)
      || local_generation () != 1	/* a child's runtime may not be there */
      || !__atomic_compare_exchange_n (&publishing, &no, 1, 0, __ATOMIC_ACQUIRE,
				       __ATOMIC_RELAXED))
    return;
  int64_t most = (int64_t) (PUBLISH_CREDIT * clock_millisecond);
  if (!last)
    credit = most;
  else if (now > last)
    credit += (int64_t) ((now - last) / PUBLISH_SHARE);
  if (credit > most)
    credit = most;
  if (credit > 0 || waits < PUBLISH_FIRST)
    {
      waits++;
      device_activity->flush_for (subscription);
      int64_t took = (int64_t) (ticks_now () - now);
      credit -= took < most ? took : most;
    }
  last = now;
  if (credit <= 0 && waits >= PUBLISH_FIRST)
    __atomic_store_n (&next, now + (uint64_t) (1 - credit) * PUBLISH_SHARE, __ATOMIC_RELAXED);
  __atomic_store_n (&publishing, 0, __ATOMIC_RELEASE);
}

/* -- what the runtime says of devices */

#define DEVICES 64	/* described at most; bits of ring->described */

static struct device
{
  uint32_t state;	/* 0: unknown, 1: being asked for, 2: known */
  int32_t type;
  int32_t number;
  struct accscope_activity_device facts;
} devices[DEVICES];

/* The device's index, or -1 while the runtime has nothing to say of it.  */
static int
device_index (int type, int number)
{
  for (int i = 0; i < DEVICES; i++)
    {
      struct device *device = &devices[i];
      uint32_t state = __atomic_load_n (&device->state, __ATOMIC_ACQUIRE);
      if (state == 2 && device->type == type && device->number == number)
	return i;
      if (state != 0)
	continue;
      struct accscope_activity_device facts = { .size = sizeof facts };
      if (local_generation () != 1	/* a child's runtime may not be there */
	  || device_activity->device (type, number, &facts) != 0
	  || !__atomic_compare_exchange_n (&device->state, &state, 1, 0,
					   __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
	return -1;	/* the next context asks again */
      device->type = type;
      device->number = number;
      device->facts = facts;
      __atomic_store_n (&device->state, 2, __ATOMIC_RELEASE);
      return i;
    }
  return -1;
}

static int
write_device (struct ring *ring, const struct device *device, uint64_t now)
{
  uint32_t name = intern_optional (ring, device->facts.name);
  uint32_t vendor = name == NO_SPACE ? NO_SPACE
    : intern_optional (ring, device->facts.vendor);
  uint32_t gangs = device->facts.multiprocessors;
  struct capture_device *record
    = record_begin (ring, CAPTURE_RECORD_DEVICE, gangs > 65535 ? 0 : gangs, sizeof *record);
  if (vendor == NO_SPACE || !record)
    return -1;
  record->ticks = now;
  record->memory = device->facts.memory;
  record->device_type = device->type;
  record->device_number = device->number;
  record->name = name;
  record->vendor = vendor;
  return record_end (ring, sizeof *record);
}

/* Called where a context has been defined: once in each chunk, what is known of
   its device.  A signal handler does not enter the runtime.  Facts are no event:
   without space for them they wait for the next context.  */
void
activity_device (struct ring *ring, int type, int number, uint64_t now)
{
  if (!device_activity || !COVERS (device_activity, device) || ring->level)
    return;
  int i = device_index (type, number);
  if (i >= 0 && !(ring->described & (uint64_t) 1 << i) && ring->chunk
      && write_device (ring, &devices[i], now) == 0)
    ring->described |= (uint64_t) 1 << i;
}

/* -- what lived before capture was switched on */

struct snapshot
{
  struct ring *ring;
  uint64_t now;
};

static int
write_mapping (struct ring *ring, const struct accscope_activity_mapping *mapping,
	       uint64_t now)
{
  uint32_t name = COVERS (mapping, name) ? intern_optional (ring, mapping->name) : 0;
  struct capture_mapping *record
    = record_begin (ring, CAPTURE_RECORD_MAPPING, 0, sizeof *record);
  if (name == NO_SPACE || !record)
    return -1;
  record->ticks = now;
  record->host = (uintptr_t) mapping->host_ptr;
  record->device = (uintptr_t) mapping->device_ptr;
  record->bytes = mapping->bytes;
  record->device_type = mapping->device_type;
  record->device_number = mapping->device_number;
  record->name = name;
  record->attached = mapping->attached;
  record->structured = mapping->structured;
  record->dynamic = mapping->dynamic;
  return record_end (ring, sizeof *record);
}

static void
each_mapping (void *context, const struct accscope_activity_mapping *mapping)
{
  const struct snapshot *snapshot = context;
  struct ring *ring = snapshot->ring;
  int attempts = 0;
  if (!mapping || !COVERS (mapping, dynamic))
    return;
  while (write_mapping (ring, mapping, snapshot->now) < 0)
    if (attempts++ > 1 || ring_more (ring, snapshot->now) < 0)
      {
	ring_drop_operation ();
	return;
      }
}

/* The first event after a switch, of whichever thread, is preceded by the live
   mappings of all devices.  A capture that was on from the start has seen them
   come.  */
void
activity_snapshot (struct ring *ring, uint32_t armed, uint64_t now)
{
  static uint32_t taken = 1;
  static const int types[] = {
    acc_device_nvidia, acc_device_radeon, acc_device_sim,
    acc_device_opencl,
  };
  uint32_t before = __atomic_load_n (&taken, __ATOMIC_RELAXED);
  if (!device_activity || before == armed
      || local_generation () != 1	/* a child's runtime may not be there */
      || !__atomic_compare_exchange_n (&taken, &before, armed, 0,
				       __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
    return;
  struct snapshot snapshot = { ring, now };
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    for (int number = 0; number < 64; number++)
      if (device_activity->mappings (types[i], number, each_mapping, &snapshot)
	  != 0)
	break;
}
