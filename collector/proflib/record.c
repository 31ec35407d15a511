/* record.c - the callback: one event into its thread's ring (OpenACC 3.3 §5.2).

   An event is a short record of its own and a context: what acc_prof_info and
   acc_api_info say, which repeats.  Contexts are kept in a small table of the
   ring, compared whole, their strings by content.  */
#include "proflib.h"
#include "unwind.h"
#include <stddef.h>
#include <string.h>

#define PROFILE_BYTES \
  (int) (offsetof (acc_prof_info, func_end_line_no) + sizeof (int))
#define API_BYTES (int) (offsetof (acc_api_info, async_handle) + sizeof (void *))
#define OTHER_BYTES \
  (int) (offsetof (acc_other_event_info, tool_info) + sizeof (void *))
#define DATA_BYTES \
  (int) (offsetof (acc_data_event_info, device_ptr) + sizeof (void *))
#define LAUNCH_BYTES \
  (int) (offsetof (acc_launch_event_info, vector_length) + sizeof (size_t))
#define DIMENSION_BYTES \
  (int) (offsetof (acc_launch_event_info, num_gangs_per_dim) + sizeof (size_t *))
#define ERROR_BYTES \
  (int) (offsetof (acc_error_event_info, runtime_info) + sizeof (size_t))
/* A larger valid_bytes than any version's struct is garbage.  */
#define PLAUSIBLE_BYTES 1024

#define EVENT_ROOM \
  (sizeof (struct capture_event) + 3 * 8 + 8 \
   + (1 + CAPTURE_DIMENSION_LIMIT) * 8 + (1 + CAPTURE_STACK_LIMIT) * 8)
#define RECORD_ROOM (EVENT_ROOM + sizeof (struct capture_context))

_Static_assert (sizeof (acc_prof_info) == 72 && sizeof (acc_api_info) == 40
		&& sizeof (struct capture_context) % 8 == 0,
		"the context's key covers both structs");

#define BIT(kind) ((uint64_t) 1 << (kind))
static const uint64_t start_kinds
  = BIT (acc_ev_device_init_start) | BIT (acc_ev_device_shutdown_start)
  | BIT (acc_ev_enter_data_start) | BIT (acc_ev_exit_data_start)
  | BIT (acc_ev_update_start) | BIT (acc_ev_compute_construct_start)
  | BIT (acc_ev_enqueue_launch_start) | BIT (acc_ev_enqueue_upload_start)
  | BIT (acc_ev_enqueue_download_start) | BIT (acc_ev_wait_start);
static const uint64_t end_kinds
  = BIT (acc_ev_device_init_end) | BIT (acc_ev_device_shutdown_end)
  | BIT (acc_ev_enter_data_end) | BIT (acc_ev_exit_data_end)
  | BIT (acc_ev_update_end) | BIT (acc_ev_compute_construct_end)
  | BIT (acc_ev_enqueue_launch_end) | BIT (acc_ev_enqueue_upload_end)
  | BIT (acc_ev_enqueue_download_end) | BIT (acc_ev_wait_end);
static const uint64_t data_kinds
  = BIT (acc_ev_create) | BIT (acc_ev_delete) | BIT (acc_ev_alloc)
  | BIT (acc_ev_free) | BIT (acc_ev_enqueue_upload_start)
  | BIT (acc_ev_enqueue_upload_end) | BIT (acc_ev_enqueue_download_start)
  | BIT (acc_ev_enqueue_download_end);
static const uint64_t launch_kinds
  = BIT (acc_ev_enqueue_launch_start) | BIT (acc_ev_enqueue_launch_end);

static const uint64_t enqueue_kinds
  = (BIT (acc_ev_enqueue_download_end + 1)) - BIT (acc_ev_enqueue_launch_start);

static inline int
is_kind (uint64_t kinds, int kind)
{
  return (unsigned) kind < 64 && kinds >> kind & 1;
}

static inline unsigned
group_of (int kind)
{
  if (is_kind (data_kinds, kind))
    return CAPTURE_EVENT_DATA;
  if (is_kind (launch_kinds, kind))
    return CAPTURE_EVENT_LAUNCH;
  return kind == acc_ev_error ? CAPTURE_EVENT_ERROR : 0;
}

static inline int
group_bytes (unsigned group)
{
  if (group & CAPTURE_EVENT_DATA)
    return DATA_BYTES;
  if (group & CAPTURE_EVENT_LAUNCH)
    return LAUNCH_BYTES;
  return group ? ERROR_BYTES : OTHER_BYTES;
}

/* Copies of structs that are too short, their unknown fields filled with what
   the specification says for "not known".  */
struct complete
{
  acc_prof_info profile;
  acc_event_info event;
  acc_api_info api;
};

static int
plausible (int valid_bytes, int limit)
{
  if (valid_bytes < 8)
    return 8;	/* event_type and valid_bytes are always there */
  return valid_bytes > limit ? limit : valid_bytes;
}

static __attribute__ ((noinline)) unsigned
complete (struct complete *to, const acc_prof_info *profile,
	  const acc_event_info *event, const acc_api_info *api)
{
  unsigned missing = 0;
  memset (to, 0, sizeof *to);

  acc_prof_info *p = &to->profile;
  p->version = p->device_number = p->thread_id = -1;
  p->device_type = (acc_device_t) -1;
  p->async = p->async_queue = -1;
  p->line_no = p->end_line_no = p->func_line_no = p->func_end_line_no = -1;
  if (profile)
    memcpy (p, profile, (size_t) plausible (profile->valid_bytes, PROFILE_BYTES));
  if (!profile || profile->valid_bytes < PROFILE_BYTES)
    missing |= CAPTURE_MISSING_PROFILE;

  acc_event_info *e = &to->event;
  int kind = profile ? (int) profile->event_type
    : event ? (int) event->event_type : acc_ev_none;
  p->event_type = e->event_type = (acc_event_t) kind;
  unsigned group = group_of (kind);
  int needed = group_bytes (group);
  e->other_event.parent_construct = (acc_construct_t) -1;
  e->other_event.implicit = -1;
  if (group & CAPTURE_EVENT_ERROR)
    e->error_event.error_code = (acc_error_t) -1;
  int valid = event ? event->other_event.valid_bytes : 0;
  if (event)
    {
      int limit = needed;
      if (group & CAPTURE_EVENT_LAUNCH && valid >= DIMENSION_BYTES
	  && valid <= PLAUSIBLE_BYTES)
	limit = DIMENSION_BYTES;
      memcpy (e, event, (size_t) plausible (valid, limit));
    }
  if (valid < needed)
    missing |= CAPTURE_MISSING_EVENT;

  acc_api_info *a = &to->api;
  a->device_api = (acc_device_api) -1;
  a->device_type = (acc_device_t) -1;
  a->vendor = -1;
  if (api)
    memcpy (a, api, (size_t) plausible (api->valid_bytes, API_BYTES));
  if (!api || api->valid_bytes < API_BYTES)
    missing |= CAPTURE_MISSING_API;
  return missing;
}

static __attribute__ ((noinline)) int
filtered (const acc_prof_info *profile, const acc_event_info *event,
	  const acc_api_info *api)
{
  struct complete copy;
  complete (&copy, profile, event, api);
  int kind = copy.profile.event_type;
  if (settings.filters & CAPTURE_FILTER_BYTES && is_kind (data_kinds, kind)
      && copy.event.data_event.bytes < settings.minimum_bytes)
    return 1;
  if (!(settings.filters & CAPTURE_FILTER_QUEUE) || kind == acc_ev_error)
    return 0;
  for (unsigned i = 0; i < settings.queues; i++)
    if (settings.queue[i] == (int64_t) copy.profile.async_queue)
      return 0;
  return 1;
}

static inline void
context_key (uint64_t key[CONTEXT_WORDS], const acc_prof_info *profile,
	     const acc_api_info *api)
{
  memcpy (key, profile, sizeof *profile);
  memcpy (key + 9, api, sizeof *api);
  key[0] = (uint64_t) (uint32_t) profile->valid_bytes;	/* not the kind */
}

static inline int
same_text (const char *copy, const char *text)
{
  return !text || (copy && strcmp (copy, text) == 0);
}

/* Define the context; its number, or NO_SPACE.  */
static __attribute__ ((noinline)) uint32_t
context_define (struct ring *ring, struct context_entry *entry,
		const acc_prof_info *profile, const acc_api_info *api)
{
  uint32_t source = 0, function = 0;
  entry->number = 0;
  entry->source_file = entry->function = NULL;
  if (profile->src_file
      && (source = intern (ring, profile->src_file, &entry->source_file))
	 == NO_SPACE)
    return NO_SPACE;
  if (profile->func_name
      && (function = intern (ring, profile->func_name, &entry->function))
	 == NO_SPACE)
    return NO_SPACE;
  struct capture_context *context = ring_room (ring, RECORD_ROOM);
  if (!context)
    return NO_SPACE;
  context->record.type = CAPTURE_RECORD_CONTEXT;
  context->record.flags = 0;
  context->record.bytes = sizeof *context;
  context->number = ++ring->contexts;
  context->version = profile->version;
  context->device_type = profile->device_type;
  context->device_number = profile->device_number;
  context->thread_id = profile->thread_id;
  context->line = profile->line_no;
  context->end_line = profile->end_line_no;
  context->function_line = profile->func_line_no;
  context->function_end = profile->func_end_line_no;
  context->profile_bytes = profile->valid_bytes;
  context->async = profile->async;
  context->async_queue = profile->async_queue;
  context->source_file = source;
  context->function = function;
  context->api = api->device_api;
  context->api_bytes = api->valid_bytes;
  context->api_device_type = api->device_type;
  context->vendor = api->vendor;
  context->device_handle = (uintptr_t) api->device_handle;
  context->context_handle = (uintptr_t) api->context_handle;
  context->async_handle = (uintptr_t) api->async_handle;
  ring->position += sizeof *context;
  context_key (entry->key, profile, api);
  entry->number = context->number;
  ring->context_new = 1;
  return context->number;
}

static inline uint32_t
context_of (struct ring *ring, const acc_prof_info *profile,
	    const acc_api_info *api)
{
  uint64_t hash = ((uint64_t) (uint32_t) profile->line_no * 0x9e3779b97f4a7c15u)
    ^ ((uint64_t) profile->async_queue + (uintptr_t) api->async_handle)
      * 0xc2b2ae3d27d4eb4fu
    ^ (uint64_t) (uint32_t) api->device_api * 0xff51afd7ed558ccdu;
  struct context_entry *entry = &ring->context[(hash >> 32) % CONTEXT_ENTRIES];
  /* Field by field: a runtime stores ints, and a wider load of two that have
     just been stored waits for them.  */
  uint64_t difference
    = (entry->key[0] ^ (uint64_t) (uint32_t) profile->valid_bytes)
    | ((uint32_t) entry->key[1] ^ (uint32_t) profile->version)
    | ((uint32_t) (entry->key[1] >> 32) ^ (uint32_t) profile->device_type)
    | ((uint32_t) entry->key[2] ^ (uint32_t) profile->device_number)
    | ((uint32_t) (entry->key[2] >> 32) ^ (uint32_t) profile->thread_id)
    | (entry->key[3] ^ (uint64_t) profile->async)
    | (entry->key[4] ^ (uint64_t) profile->async_queue)
    | (entry->key[5] ^ (uintptr_t) profile->src_file)
    | (entry->key[6] ^ (uintptr_t) profile->func_name)
    | ((uint32_t) entry->key[7] ^ (uint32_t) profile->line_no)
    | ((uint32_t) (entry->key[7] >> 32) ^ (uint32_t) profile->end_line_no)
    | ((uint32_t) entry->key[8] ^ (uint32_t) profile->func_line_no)
    | ((uint32_t) (entry->key[8] >> 32) ^ (uint32_t) profile->func_end_line_no)
    | ((uint32_t) entry->key[9] ^ (uint32_t) api->device_api)
    | ((uint32_t) (entry->key[9] >> 32) ^ (uint32_t) api->valid_bytes)
    | ((uint32_t) entry->key[10] ^ (uint32_t) api->device_type)
    | ((uint32_t) (entry->key[10] >> 32) ^ (uint32_t) api->vendor)
    | (entry->key[11] ^ (uintptr_t) api->device_handle)
    | (entry->key[12] ^ (uintptr_t) api->context_handle)
    | (entry->key[13] ^ (uintptr_t) api->async_handle);
  if (LIKELY (entry->number && !difference
	      && same_text (entry->source_file, profile->src_file)
	      && same_text (entry->function, profile->func_name)))
    return entry->number;
  return context_define (ring, entry, profile, api);
}

static inline uint32_t
name_of (struct ring *ring, const char *text)
{
  if (!text)
    return 0;
  uintptr_t hash = (uintptr_t) text;
  struct name_entry *entry = &ring->name[(hash >> 3 ^ hash >> 9) % NAME_ENTRIES];
  if (LIKELY (entry->pointer == text && strcmp (entry->copy, text) == 0))
    return entry->number;
  const char *copy;
  uint32_t number = intern (ring, text, &copy);
  if (number != NO_SPACE)
    {
      entry->pointer = text;
      entry->copy = copy;
      entry->number = number;
    }
  return number;
}

/* Write the event; 0, or -1 if the chunk is used up.  */
static inline int
encode (struct ring *ring, uint64_t now, const acc_prof_info *profile,
	const acc_event_info *event, const acc_api_info *api, unsigned group,
	unsigned missing, uint64_t pair, uint64_t correlation,
	const uint64_t *stack, unsigned depth)
{
  if (UNLIKELY (!ring_room (ring, RECORD_ROOM)))
    return -1;
  uint32_t name = 0;
  if (group)
    {
      const char *text = group & CAPTURE_EVENT_ERROR
	? event->error_event.error_message : event->data_event.var_name;
      name = name_of (ring, text);
    }
  uint32_t context = context_of (ring, profile, api);
  if (UNLIKELY (name == NO_SPACE || context == NO_SPACE
		|| !ring_room (ring, EVENT_ROOM)))
    return -1;

  struct capture_event *record = (struct capture_event *) ring->position;
  uint64_t *next = record->group;
  unsigned flags = group | missing;
  record->ticks = now;
  record->pair = pair;
  record->kind = profile->event_type;
  record->context = context;
  record->parent = event->other_event.parent_construct;
  record->implicit = event->other_event.implicit;
  record->event_bytes = event->other_event.valid_bytes;
  record->name = name;
  if (group & CAPTURE_EVENT_ERROR)
    {
      *next++ = (uint64_t) (int64_t) event->error_event.error_code;
      *next++ = event->error_event.runtime_info;
      *next++ = 0;
    }
  else if (group)
    {
      /* data and launch events have three words at the same place */
      *next++ = event->data_event.bytes;
      *next++ = (uintptr_t) event->data_event.host_ptr;
      *next++ = (uintptr_t) event->data_event.device_ptr;
      if (UNLIKELY (group & CAPTURE_EVENT_LAUNCH
		    && event->launch_event.valid_bytes >= DIMENSION_BYTES
		    && event->launch_event.valid_bytes <= PLAUSIBLE_BYTES
		    && event->launch_event.num_gangs_per_dim))
	{
	  const size_t *dimensions = event->launch_event.num_gangs_per_dim;
	  if (dimensions[0] >= 1 && dimensions[0] <= CAPTURE_DIMENSION_LIMIT)
	    {
	      flags |= CAPTURE_EVENT_DIMENSIONS;
	      for (size_t i = 0; i <= dimensions[0]; i++)
		*next++ = dimensions[i];
	    }
	}
    }
  if (depth)
    {
      flags |= CAPTURE_EVENT_STACK;
      *next++ = depth;
      for (unsigned i = 0; i < depth; i++)
	*next++ = stack[i];
    }
  if (correlation)
    {
      flags |= CAPTURE_EVENT_CORRELATION;
      *next++ = correlation;
    }
  record->record.type = CAPTURE_RECORD_EVENT;
  record->record.flags = (uint16_t) flags;
  record->record.bytes = (uint32_t) ((char *) next - (char *) record);
  ring->position = (char *) next;
  ring->sequence++;
  ring_commit (ring);
  return 0;
}

_Static_assert (offsetof (acc_launch_event_info, num_gangs)
		== offsetof (acc_data_event_info, bytes)
		&& offsetof (acc_launch_event_info, kernel_name)
		== offsetof (acc_data_event_info, var_name),
		"data and launch events share their layout");

void
record_callback (acc_prof_info *profile, acc_event_info *event,
		 acc_api_info *api)
{
  uint32_t armed = __atomic_load_n (&control.process.armed, __ATOMIC_RELAXED);
  if (LIKELY (!(armed & 1)))
    return;
  uint64_t now = ticks_now ();
  if (UNLIKELY (settings.filtering) && filtered (profile, event, api))
    return;

  struct ring *ring = ring_self;
  if (UNLIKELY (!ring || ring->busy || ring->generation != local_generation ()
		|| ring->armed != armed))
    {
      ring = ring_enter (armed, now);
      if (!ring)
	return;
    }
  ring->busy = 1;
  __atomic_signal_fence (__ATOMIC_SEQ_CST);

  uint64_t stack[CAPTURE_STACK_LIMIT];
  unsigned depth = 0;
  if (settings.stack != STACK_OFF
      && (settings.stack == STACK_FULL || !profile || profile->valid_bytes < 60
	  || !profile->src_file))
    depth = unwind_stack (stack, settings.stack == STACK_FULL
			  ? CAPTURE_STACK_LIMIT : 1);

  struct complete copy;
  unsigned missing = 0;
  acc_event_info *given = event;
  unsigned group = profile ? group_of (profile->event_type) : 0;
  if (UNLIKELY (!profile || !event || !api
		|| profile->valid_bytes < PROFILE_BYTES
		|| api->valid_bytes < API_BYTES
		|| event->other_event.valid_bytes < group_bytes (group)))
    {
      missing = complete (&copy, profile, event, api);
      profile = &copy.profile;
      event = &copy.event;
      api = &copy.api;
      group = group_of (profile->event_type);
    }

  /* tool_info carries the pair's number from start to end.  A runtime has one
     for all tools: what another tool has put there stays.  */
  uint64_t pair = 0;
  int kind = profile->event_type;
  if (is_kind (start_kinds, kind))
    {
      if (given && given->other_event.valid_bytes >= OTHER_BYTES
	  && !given->other_event.tool_info)
	{
	  pair = ring->pair++;
	  given->other_event.tool_info = (void *) (uintptr_t) pair;
	}
    }
  else if (is_kind (end_kinds, kind))
    {
      pair = (uintptr_t) event->other_event.tool_info;
      if (UNLIKELY (pair >> 40 == 0 || pair >> 40 > control.process.threads))
	pair = 0;	/* not ours */
    }

  uint64_t correlation = 0;
  if (is_kind (enqueue_kinds, kind))
    {
      if (device_activity)
	correlation = device_activity->current_correlation ();
      if (UNLIKELY (__atomic_load_n (&cupti_running, __ATOMIC_ACQUIRE)))
	correlation = cupti_enqueue (is_kind (start_kinds, kind), correlation,
				     profile, event);
    }

  int attempts = 0;
  while (UNLIKELY (encode (ring, now, profile, event, api, group, missing, pair,
			   correlation, stack, depth) < 0))
    if (attempts++ > 1 || ring_more (ring, now) < 0)
      {
	ring_drop (ring, now);
	break;
      }
  if (UNLIKELY (ring->context_new))
    {
      ring->context_new = 0;
      activity_device (ring, profile->device_type, profile->device_number, now);
    }
  if (UNLIKELY (now >= __atomic_load_n (&clock_next, __ATOMIC_RELAXED)))
    clock_record ();

  __atomic_signal_fence (__ATOMIC_SEQ_CST);
  ring->busy = 0;

  /* Where a device is initialised, or has been before capture was on.  */
  if (UNLIKELY (kind == acc_ev_device_init_end
		|| kind == acc_ev_enqueue_launch_end))
    cupti_begin ();
  else if (UNLIKELY (kind == acc_ev_device_shutdown_start
		     || kind == acc_ev_runtime_shutdown))
    cupti_flush ();
}
