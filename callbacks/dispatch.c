/* Walks the published callback lists (dispatch.h).

   No list is ever freed and no reader is ever counted: each event has two
   tables in memory that stays what it is, written in turn.  A reader takes an
   entry and then looks whether the version it started from still holds; if
   not, the table may have been rewritten under it and it starts over.  A writer
   that is descheduled half-way has not yet touched what readers read, so no
   reader ever waits.  */
#define _GNU_SOURCE
#include "dispatch.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LOAD(location) __atomic_load_n (&(location), __ATOMIC_ACQUIRE)
#define STORE(location, value) \
  __atomic_store_n (&(location), (value), __ATOMIC_RELEASE)

/* An event instance follows so many callbacks registered by its own callbacks.
   Without an end, a callback that unregisters and registers itself would keep
   the program in one event for ever.  */
#define LATE_CALLBACKS 1024

struct acc_dispatch_table
{
  uint32_t count;
  uint32_t capacity;
  struct acc_dispatch_entry entry[];
};

struct acc_dispatch *
acc_dispatch_new (void)
{
  void *memory;
  struct acc_dispatch *d;

  if (posix_memalign (&memory, _Alignof (struct acc_dispatch),
		      sizeof (struct acc_dispatch)) != 0)
    return NULL;
  d = memset (memory, 0, sizeof (struct acc_dispatch));
  d->event = acc_dispatch_event;
  d->correlation = acc_dispatch_correlation;
  return d;
}

uintptr_t
acc_dispatch_object (const void *callback)
{
  Dl_info object;

  if (dladdr (callback, &object) != 0 && object.dli_fbase != NULL)
    return (uintptr_t) object.dli_fbase;
  return (uintptr_t) callback;
}

/* The table that the next version will use.  */
static struct acc_dispatch_table **
next_table (struct acc_dispatch_list *list)
{
  return &list->table[(list->version + 1) % 2];
}

int
acc_dispatch_reserve (struct acc_dispatch *d, int index, uint32_t count)
{
  struct acc_dispatch_list *list = &d->list[index];
  int i;

  for (i = 0; i < 2; i++)
    {
      struct acc_dispatch_table *current = list->table[list->version % 2];
      struct acc_dispatch_table *next = *next_table (list);
      uint32_t capacity = 4;

      if (next == NULL || next->capacity < count)
	{
	  /* The old table stays allocated: a reader may be in it.  Doubling keeps
	     all of them together below the size of the newest.  */
	  while (capacity < count)
	    capacity *= 2;
	  next = calloc (1, sizeof *next + capacity * sizeof next->entry[0]);
	  if (next == NULL)
	    return ENOMEM;
	  next->capacity = capacity;
	  STORE (*next_table (list), next);
	}
      if (current != NULL && current->capacity >= count)
	return 0;
      /* The same contents in the new table; then the other one is next.  */
      acc_dispatch_publish (d, index, current == NULL ? NULL : current->entry,
			    current == NULL ? 0 : current->count);
    }
  return 0;
}

void
acc_dispatch_publish (struct acc_dispatch *d, int index,
		      const struct acc_dispatch_entry *entries, uint32_t count)
{
  struct acc_dispatch_list *list = &d->list[index];
  struct acc_dispatch_table *table = *next_table (list);
  uint32_t bit = (uint32_t) 1 << index, i;

  if (table == NULL)
    return;			/* nothing was ever registered, and nothing is */
  for (i = 0; i < count; i++)
    {
      STORE (table->entry[i].sequence, entries[i].sequence);
      STORE (table->entry[i].callback, entries[i].callback);
      STORE (table->entry[i].context, entries[i].context);
      STORE (table->entry[i].tool, entries[i].tool);
    }
  STORE (table->count, count);
  if (count > 0 && entries[count - 1].sequence > list->last)
    STORE (list->last, entries[count - 1].sequence);
  STORE (list->version, list->version + 1);
  if (count > 0)
    __atomic_fetch_or (&d->wanted, bit, __ATOMIC_RELEASE);
  else
    __atomic_fetch_and (&d->wanted, ~bit, __ATOMIC_RELEASE);
}

/* How far one event instance has come in its list.  */
struct walk
{
  const struct acc_dispatch_list *list;
  uint64_t version;
  uint32_t index;		/* of the current entry, while version holds */
  uint32_t count;		/* entries then */
  uint64_t limit;		/* later registrations are not followed */
  struct acc_dispatch_entry current;	/* sequence 0: none yet */
};

/* Copies entry number index out of table.  */
static inline void
read_entry (struct acc_dispatch_entry *to,
	    const struct acc_dispatch_table *table, uint32_t index)
{
  const struct acc_dispatch_entry *from = &table->entry[index];

  to->sequence = LOAD (from->sequence);
  to->callback = LOAD (from->callback);
  to->context = LOAD (from->context);
  to->tool = LOAD (from->tool);
}

/* Goes to the first entry after the current one, or before it when reverse.
   Returns 0 at the end of the list.  */
static inline int
next_entry (struct walk *walk, int reverse)
{
  const struct acc_dispatch_list *list = walk->list;
  uint64_t after = walk->current.sequence;

  if (after != 0 && LOAD (list->version) == walk->version
      && (reverse ? walk->index == 0 : walk->index + 1 == walk->count))
    return 0;
  for (;;)
    {
      uint64_t version = LOAD (list->version);
      const struct acc_dispatch_table *table = LOAD (list->table[version % 2]);
      uint32_t count = table == NULL ? 0 : LOAD (table->count);
      uint32_t index;
      struct acc_dispatch_entry entry = { 0, 0, 0, 0 };
      int found;

      if (!reverse)
	{
	  if (after != 0 && version == walk->version)
	    index = walk->index + 1;
	  else
	    for (index = 0; index < count; index++)
	      if (LOAD (table->entry[index].sequence) > after)
		break;
	  found = index < count;
	}
      else
	{
	  if (after != 0 && version == walk->version)
	    index = walk->index;
	  else
	    for (index = count; index > 0; index--)
	      if (after == 0 || LOAD (table->entry[index - 1].sequence) < after)
		break;
	  found = index > 0;
	  index--;
	}
      if (found)
	read_entry (&entry, table, index);
      if (LOAD (list->version) != version)
	continue;
      if (!found || entry.sequence > walk->limit)
	return 0;
      walk->version = version;
      walk->index = index;
      walk->count = count;
      walk->current = entry;
      return 1;
    }
}

/* 5.2.1: valid_bytes of each struct of the union is the offset of its last
   field and what that counts for.  */
#define VALID_BYTES(type, last) \
  ((int) (offsetof (type, last) + sizeof (((type *) 0)->last)))

#define DATA_BYTES VALID_BYTES (acc_data_event_info, device_ptr)
#define LAUNCH_BYTES VALID_BYTES (acc_launch_event_info, num_gangs_per_dim)
#define OTHER_BYTES VALID_BYTES (acc_other_event_info, tool_info)

static inline int
event_valid_bytes (int event)
{
  static const uint8_t bytes[acc_ev_wait_end + 1] = {
    [acc_ev_none ... acc_ev_runtime_shutdown] = OTHER_BYTES,
    [acc_ev_create ... acc_ev_free] = DATA_BYTES,
    [acc_ev_enter_data_start ... acc_ev_compute_construct_end] = OTHER_BYTES,
    [acc_ev_enqueue_launch_start ... acc_ev_enqueue_launch_end] = LAUNCH_BYTES,
    [acc_ev_enqueue_upload_start ... acc_ev_enqueue_download_end] = DATA_BYTES,
    [acc_ev_wait_start ... acc_ev_wait_end] = OTHER_BYTES,
  };

  if (event == acc_ev_error)
    return VALID_BYTES (acc_error_event_info, runtime_info);
  return (unsigned) event <= acc_ev_wait_end ? bytes[event] : OTHER_BYTES;
}

enum { EVENT_SINGLE, EVENT_START, EVENT_END };

/* Whether event is one half of a pair.  */
static int
event_half (int event)
{
  if (event >= acc_ev_enter_data_start && event <= acc_ev_wait_end)
    return event % 2 == 0 ? EVENT_START : EVENT_END;
  if (event >= acc_ev_device_init_start && event <= acc_ev_device_shutdown_end)
    return event % 2 != 0 ? EVENT_START : EVENT_END;
  return EVENT_SINGLE;
}

static struct acc_dispatch_slot *
pair_slot (struct acc_dispatch_pair *pair, uint32_t index)
{
  return index < ACC_DISPATCH_PAIR_INLINE
	 ? &pair->slot[index]
	 : &pair->overflow[index - ACC_DISPATCH_PAIR_INLINE];
}

static struct acc_dispatch_slot *
pair_find (struct acc_dispatch_pair *pair, uintptr_t tool)
{
  uint32_t i;

  for (i = 0; i < pair->used; i++)
    if (pair_slot (pair, i)->tool == tool)
      return pair_slot (pair, i);
  return NULL;
}

/* Keeps what a _start callback left in tool_info.  Of several callbacks of one
   tool the last that left anything counts.  */
static void
pair_keep (struct acc_dispatch_pair *pair, uintptr_t tool, void *tool_info)
{
  struct acc_dispatch_slot *slot = pair_find (pair, tool);

  if (slot == NULL)
    {
      if (pair->used == ACC_DISPATCH_PAIR_INLINE + pair->capacity)
	{
	  uint32_t capacity = pair->capacity == 0 ? 8 : 2 * pair->capacity;
	  struct acc_dispatch_slot *larger
	    = realloc (pair->overflow, capacity * sizeof *larger);
	  if (larger == NULL)
	    return;
	  pair->overflow = larger;
	  pair->capacity = capacity;
	}
      slot = pair_slot (pair, pair->used++);
      slot->tool = tool;
    }
  slot->tool_info = tool_info;
}

void
acc_dispatch_pair_free_overflow (struct acc_dispatch_pair *pair)
{
  free (pair->overflow);
  pair->overflow = NULL;
  pair->capacity = 0;
}

/* The correlation of the event that the innermost callback in progress on this
   thread is for.  */
static __thread uint64_t current_correlation;

uint64_t
acc_dispatch_correlation (void)
{
  return current_correlation;
}

/* The structs were written field by field just before, and a load that spans
   several stores waits for all of them to reach the cache.  So they are copied
   field by field too, which the compiler must not undo.  */
#define FIELD_BY_FIELD \
  __attribute__ ((noinline, optimize ("no-tree-vectorize", "no-tree-slp-vectorize", "no-store-merging")))

FIELD_BY_FIELD static void
copy_general (acc_callback_info *to, const acc_callback_info *from)
{
  to->device_type = from->device_type;
  to->device_number = from->device_number;
  to->async = from->async;
  to->async_queue = from->async_queue;
  to->src_file = from->src_file;
  to->func_name = from->func_name;
  to->line_no = from->line_no;
  to->end_line_no = from->end_line_no;
  to->func_line_no = from->func_line_no;
  to->func_end_line_no = from->func_end_line_no;
}

typedef uintptr_t word __attribute__ ((may_alias));

FIELD_BY_FIELD static void
copy_specific (acc_event_info *to, const acc_event_info *from, int bytes)
{
  to->other_event.parent_construct = from->other_event.parent_construct;
  to->other_event.implicit = from->other_event.implicit;
  /* What follows in the other structs are three to five words.  */
  for (size_t offset = sizeof (acc_other_event_info); offset < (size_t) bytes;
       offset += sizeof (word))
    *(word *) ((char *) to + offset)
      = *(const word *) ((const char *) from + offset);
}

FIELD_BY_FIELD static void
copy_api (acc_api_info *to, const acc_api_info *from)
{
  to->device_api = from->device_api;
  to->device_type = from->device_type;
  to->vendor = from->vendor;
  to->device_handle = from->device_handle;
  to->context_handle = from->context_handle;
  to->async_handle = from->async_handle;
}

void
acc_dispatch_event (struct acc_dispatch *d, struct acc_dispatch_thread *thread,
		    struct acc_dispatch_pair *pair, acc_callback_info *info,
		    acc_event_info *event_info, acc_api_info *api_info)
{
  int event = (int) info->event_type;
  int half = event_half (event);
  int event_bytes = event_valid_bytes (event);
  uint32_t changes = thread->changes;
  uint64_t outer = current_correlation;
  uint64_t correlation = thread->correlation;
  int late = LATE_CALLBACKS;
  struct walk walk;

  walk.list = &d->list[acc_dispatch_index (event)];
  walk.version = 0;
  walk.index = 0;
  walk.current.sequence = 0;
  walk.limit = LOAD (walk.list->last);
  if (event < acc_ev_enqueue_launch_start
      || event > acc_ev_enqueue_download_end)
    correlation = 0;
  current_correlation = correlation;
  while (!thread->disabled && next_entry (&walk, half == EVENT_END))
    {
      acc_callback_info general;
      acc_event_info specific;
      acc_api_info api;
      struct acc_dispatch_slot *slot;

      copy_general (&general, info);
      copy_specific (&specific, event_info, event_bytes);
      copy_api (&api, api_info);
      general.event_type = (acc_event_t) event;
      general.valid_bytes = VALID_BYTES (acc_callback_info, func_end_line_no);
      general.version = ACC_DISPATCH_VERSION;
      general.thread_id = thread->thread_id;
      specific.other_event.event_type = (acc_event_t) event;
      specific.other_event.valid_bytes = event_bytes;
      specific.other_event.tool_info = NULL;
      if (half == EVENT_END && pair != NULL
	  && (slot = pair_find (pair, walk.current.tool)) != NULL)
	specific.other_event.tool_info = slot->tool_info;
      api.valid_bytes = VALID_BYTES (acc_api_info, async_handle);

      thread->depth++;
      if (walk.current.context == 0)
	((acc_callback) walk.current.callback) (&general, &specific, &api);
      else
	((acc_dispatch_bound) walk.current.callback) (walk.current.context,
						      &general, &specific,
						      &api);
      thread->depth--;

      if (half == EVENT_START && pair != NULL
	  && specific.other_event.tool_info != NULL)
	pair_keep (pair, walk.current.tool, specific.other_event.tool_info);
      if (thread->changes != changes && late > 0)
	{
	  changes = thread->changes;
	  late--;
	  walk.limit = LOAD (walk.list->last);
	}
    }
  current_correlation = outer;
}
