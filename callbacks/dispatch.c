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
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define LIKELY(condition) __builtin_expect (!!(condition), 1)
#define UNLIKELY(condition) __builtin_expect (!!(condition), 0)

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
  int i;

  if (posix_memalign (&memory, _Alignof (struct acc_dispatch),
		      sizeof (struct acc_dispatch)) != 0)
    return NULL;
  d = memset (memory, 0, sizeof (struct acc_dispatch));
  d->event = acc_dispatch_event;
  d->carry_out = acc_dispatch_carry_out;
  d->correlation = acc_dispatch_correlation;
  for (i = 0; i < ACC_DISPATCH_EVENTS; i++)
    d->list[i].event = i == ACC_DISPATCH_EVENTS - 1 ? acc_ev_error : i;
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
  const struct accscope_taker *taker = LOAD (d->taker);
  uint32_t bit = (uint32_t) 1 << index, i;

  if (table == NULL)
    return;			/* nothing was ever registered, and nothing is */
  for (i = 0; i < count; i++)
    {
      STORE (table->entry[i].sequence, entries[i].sequence);
      STORE (table->entry[i].callback, entries[i].callback);
      STORE (table->entry[i].tool, entries[i].tool);
    }
  STORE (table->count, count);
  if (count > 0 && entries[count - 1].sequence > list->last)
    STORE (list->last, entries[count - 1].sequence);
  STORE (list->current, table);
  STORE (list->version, list->version + 1);
  if (count == 1 && taker != NULL && entries[0].callback == (uintptr_t) taker->one)
    {
      STORE (d->tool, entries[0].tool);
      __atomic_fetch_or (&d->taker_alone, bit, __ATOMIC_RELEASE);
    }
  else
    __atomic_fetch_and (&d->taker_alone, ~bit, __ATOMIC_RELEASE);
  if (count > 0)
    __atomic_fetch_or (&d->wanted, bit, __ATOMIC_RELEASE);
  else
    __atomic_fetch_and (&d->wanted, ~bit, __ATOMIC_RELEASE);
}

void
acc_dispatch_declare (struct acc_dispatch *d, const struct accscope_taker *taker)
{
  STORE (d->taker, taker);
}

/* What follows from the number of an event's list alone: which half of a pair it
   is, and valid_bytes (5.2.1: the offset of a struct's last field and what that
   counts for).  */
#define VALID_BYTES(type, last) \
  (offsetof (type, last) + sizeof (((type *) 0)->last))

#define DATA_BYTES VALID_BYTES (acc_data_event_info, device_ptr)
#define LAUNCH_BYTES VALID_BYTES (acc_launch_event_info, num_gangs_per_dim)
#define ERROR_BYTES VALID_BYTES (acc_error_event_info, runtime_info)
#define OTHER_BYTES VALID_BYTES (acc_other_event_info, tool_info)

enum half { SINGLE, START, END };

struct event_kind
{
  uint8_t half;			/* enum half */
  uint8_t enqueues;		/* has a correlation */
  uint8_t valid_bytes;
};

#define PAIR(name, enqueues, bytes)					\
  [acc_ev_##name##_start] = { START, enqueues, bytes },			\
  [acc_ev_##name##_end] = { END, enqueues, bytes }

static const struct event_kind event_kind[ACC_DISPATCH_EVENTS] = {
  [0] = { SINGLE, 0, OTHER_BYTES },
  PAIR (device_init, 0, OTHER_BYTES),
  PAIR (device_shutdown, 0, OTHER_BYTES),
  [acc_ev_runtime_shutdown] = { SINGLE, 0, OTHER_BYTES },
  [acc_ev_create] = { SINGLE, 0, DATA_BYTES },
  [acc_ev_delete] = { SINGLE, 0, DATA_BYTES },
  [acc_ev_alloc] = { SINGLE, 0, DATA_BYTES },
  [acc_ev_free] = { SINGLE, 0, DATA_BYTES },
  PAIR (enter_data, 0, OTHER_BYTES),
  PAIR (exit_data, 0, OTHER_BYTES),
  PAIR (update, 0, OTHER_BYTES),
  PAIR (compute_construct, 0, OTHER_BYTES),
  PAIR (enqueue_launch, 1, LAUNCH_BYTES),
  PAIR (enqueue_upload, 1, DATA_BYTES),
  PAIR (enqueue_download, 1, DATA_BYTES),
  PAIR (wait, 0, OTHER_BYTES),
  [ACC_DISPATCH_EVENTS - 1] = { SINGLE, 0, ERROR_BYTES },
};

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

/* Keeps what a _start callback left in tool_info: of several of one tool the last.  */
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

/* One event instance.  */
struct instance
{
  struct acc_dispatch_list *list;
  struct event_kind kind;
  struct acc_dispatch_thread *thread;
  struct acc_dispatch_pair *pair;
  const acc_callback_info *info;
  const acc_event_info *event_info;
  const acc_api_info *api_info;
};

#define INLINE inline __attribute__ ((always_inline))

/* Copies an entry of a table that may be rewritten meanwhile.  */
static INLINE struct acc_dispatch_entry
read_entry (const struct acc_dispatch_table *table, uint32_t index)
{
  const struct acc_dispatch_entry *from = &table->entry[index];

  return (struct acc_dispatch_entry) {
    LOAD (from->sequence), LOAD (from->callback), LOAD (from->tool)
  };
}

typedef int four_ints __attribute__ ((vector_size (16)));

/* version to thread_id of a callback's acc_callback_info.  They are stored as one: a
   callback may load them so.  */
static INLINE four_ints
numbers_of (const struct instance *i)
{
  four_ints device, thread;

  memcpy (&device, &i->info->version, sizeof device);
  memcpy (&thread, i->thread->before, sizeof thread);
  return (device & (four_ints) { 0, -1, -1, 0 }) | thread
	 | (four_ints) { ACC_DISPATCH_VERSION };
}

static INLINE void
invoke (const struct instance *i, const struct acc_dispatch_entry *entry)
{
  acc_callback_info general = *i->info;
  four_ints numbers = numbers_of (i);
  acc_event_t event = (acc_event_t) i->list->event;
  acc_event_info specific;
  acc_api_info api = *i->api_info;
  struct acc_dispatch_slot *slot;

  if (i->kind.valid_bytes == OTHER_BYTES)
    {
      specific.other_event.parent_construct
	= i->event_info->other_event.parent_construct;
      specific.other_event.implicit = i->event_info->other_event.implicit;
    }
  else
    specific = *i->event_info;
  general.event_type = event;
  general.valid_bytes = VALID_BYTES (acc_callback_info, func_end_line_no);
  memcpy (&general.version, &numbers, sizeof numbers);
  specific.other_event.event_type = event;
  specific.other_event.valid_bytes = i->kind.valid_bytes;
  specific.other_event.tool_info = NULL;
  if (i->kind.half == END && i->pair != NULL
      && (slot = pair_find (i->pair, entry->tool)) != NULL)
    specific.other_event.tool_info = slot->tool_info;
  api.valid_bytes = VALID_BYTES (acc_api_info, async_handle);

  ((acc_callback) entry->callback) (&general, &specific, &api);

  if (i->kind.half == START && i->pair != NULL
      && specific.other_event.tool_info != NULL)
    pair_keep (i->pair, entry->tool, specific.other_event.tool_info);
}

/* Finds in the list, as it is now, the first entry after the one with sequence
   AFTER, or the last one before it when REVERSE; AFTER 0 stands for none yet.
   False at the end of the list.  */
static bool
seek (const struct acc_dispatch_list *list, uint64_t after, bool reverse,
      struct acc_dispatch_entry *found)
{
  for (;;)
    {
      uint64_t version = LOAD (list->version);
      const struct acc_dispatch_table *table = LOAD (list->current);
      uint32_t count = table == NULL ? 0 : LOAD (table->count);
      uint32_t index = 0;
      bool any;

      if (reverse)
	{
	  for (index = count; index > 0; index--)
	    if (after == 0 || LOAD (table->entry[index - 1].sequence) < after)
	      break;
	  any = index > 0;
	  index--;
	}
      else
	{
	  while (index < count && LOAD (table->entry[index].sequence) <= after)
	    index++;
	  any = index < count;
	}
      if (any)
	*found = read_entry (table, index);
      if (LOAD (list->version) == version)
	return any;
    }
}

/* Goes on with an instance whose list has changed.  AFTER: the sequence of the
   callback invoked last, 0 for none; CHANGES: those of the thread up to the
   instance's beginning; LIMIT: later registrations than that are not followed,
   but for those of the instance's own callbacks.  */
static __attribute__ ((noinline)) void
follow (const struct instance *i, uint64_t after, uint32_t changes,
	uint64_t limit)
{
  struct acc_dispatch_entry entry = { 0 };
  int late = LATE_CALLBACKS;

  for (;;)
    {
      if (i->thread->changes != changes && late > 0)
	{
	  changes = i->thread->changes;
	  late--;
	  limit = LOAD (i->list->last);
	}
      if (i->thread->disabled
	  || !seek (i->list, after, i->kind.half == END, &entry)
	  || entry.sequence > limit)
	return;
      after = entry.sequence;
      invoke (i, &entry);
    }
}

/* Invokes the callbacks of one table, for as long as it holds.  */
static INLINE void
walk (struct instance *i)
{
  uint64_t version = LOAD (i->list->version);
  const struct acc_dispatch_table *table = LOAD (i->list->current);
  uint32_t count = table == NULL ? 0 : LOAD (table->count);
  uint64_t limit = LOAD (i->list->last);
  uint32_t changes = i->thread->changes;
  uint64_t after = 0;
  uint32_t n;

  for (n = 0; n < count; n++)
    {
      struct acc_dispatch_entry entry
	= read_entry (table, i->kind.half == END ? count - 1 - n : n);

      if (UNLIKELY (LOAD (i->list->version) != version))
	break;
      if (UNLIKELY (i->thread->disabled))
	return;
      after = entry.sequence;
      invoke (i, &entry);
    }
  if (UNLIKELY (LOAD (i->list->version) != version))
    {
      struct instance rest = *i;	/* so that *i can stay in registers */
      follow (&rest, after, changes, limit);
    }
}

/* The walk for one kind of event; what is constant in KIND, the compiler takes
   out of it.  */
#define WALK(linkage, name, walked_kind)				\
linkage void								\
name (struct acc_dispatch_list *list, struct acc_dispatch_thread *thread, \
      struct acc_dispatch_pair *pair, const acc_callback_info *info,	\
      const acc_event_info *event_info, const acc_api_info *api_info)	\
{									\
  struct instance i = { list, walked_kind, thread, pair, info, event_info, \
			api_info };					\
  uint64_t correlation = i.kind.enqueues ? thread->correlation : 0;	\
  uint64_t outer = current_correlation;					\
  uint32_t inside = thread->inside;					\
									\
  if (LIKELY (correlation == outer && inside == 0))			\
    walk (&i);								\
  else									\
    {									\
      current_correlation = correlation;				\
      thread->inside = 0;						\
      walk (&i);							\
      thread->inside = inside;						\
      current_correlation = outer;					\
    }									\
}

WALK (, acc_dispatch_start, ((struct event_kind) { START, 0, OTHER_BYTES }))
WALK (, acc_dispatch_end, ((struct event_kind) { END, 0, OTHER_BYTES }))
WALK (static __attribute__ ((noinline)), walk_any,
      event_kind[acc_dispatch_index (list->event)])

void
acc_dispatch_event (struct acc_dispatch *d, int event,
		    struct acc_dispatch_thread *thread,
		    struct acc_dispatch_pair *pair,
		    const acc_callback_info *info,
		    const acc_event_info *event_info,
		    const acc_api_info *api_info)
{
  int index = acc_dispatch_index (event);
  struct event_kind kind = event_kind[index];
  struct acc_dispatch_list *list = &d->list[index];

  if (kind.valid_bytes == OTHER_BYTES && kind.half == START)
    acc_dispatch_start (list, thread, pair, info, event_info, api_info);
  else if (kind.valid_bytes == OTHER_BYTES && kind.half == END)
    acc_dispatch_end (list, thread, pair, info, event_info, api_info);
  else
    walk_any (list, thread, pair, info, event_info, api_info);
}

static INLINE void
raise_step (struct acc_dispatch *d, struct acc_dispatch_thread *thread,
	    const struct acc_dispatch_step *s)
{
  const struct accscope_event *e = &s->event;
  int index = acc_dispatch_index (e->event);

  if (LIKELY ((LOAD (d->wanted) >> index & 1) && !thread->disabled))
    {
      uint64_t correlation = thread->correlation;

      thread->depth++;
      thread->correlation = e->correlation;
      acc_dispatch_event (d, e->event, thread, s->pair, e->info, e->event_info, e->api);
      thread->correlation = correlation;
      thread->depth--;
    }
  if (event_kind[index].half == END && s->pair != NULL)
    acc_dispatch_pair_release (s->pair);
}

/* Events that are being handed over.  */
struct handing
{
  struct acc_dispatch *dispatch;
  struct acc_dispatch_thread *thread;
  uint32_t calls, changes;	/* of the thread up to then */
};

static int
raise_handed (void *from, struct accscope_event *e)
{
  struct handing *h = from;

  raise_step (h->dispatch, h->thread, (struct acc_dispatch_step *) e);
  return h->thread->calls == h->calls && h->thread->changes == h->changes
	 && !h->thread->disabled;
}

/* Readies a lasting event for TOOL, which is the only one that wants it; false if its
   pair has what another one left in tool_info.  */
static INLINE bool
pair_alone (struct acc_dispatch_step *s, uintptr_t tool)
{
  struct acc_dispatch_pair *pair = s->pair;

  s->event.tool_info = &pair->slot[0].tool_info;
  if (event_kind[s->event.event].half == END && pair->used > 0)
    return LIKELY (pair->used == 1) && pair->slot[0].tool == tool;
  pair->used = 1;
  pair->slot[0] = (struct acc_dispatch_slot) { tool, NULL };
  return true;
}

/* Hands the next events to the taker, as far as they are for it together; false if not
   even the first one is.  */
static INLINE bool
hand_over (struct acc_dispatch *d, struct acc_dispatch_thread *thread,
	   struct acc_dispatch_plan *plan)
{
  struct handing h = { d, thread, thread->calls, thread->changes };
  uint32_t taker_alone = LOAD (d->taker_alone), first = plan->done, end = first, n;
  uintptr_t tool;

  if (taker_alone == 0 || thread->disabled)
    return false;
  tool = LOAD (d->tool);
  for (; end < plan->count; end++)
    {
      struct acc_dispatch_step *s = plan->step[end];

      if (!(s->event.flags & ACC_DISPATCH_LASTING)
	  || UNLIKELY (!(taker_alone >> acc_dispatch_index (s->event.event) & 1)
		       || !pair_alone (s, tool)))
	break;
    }
  if (end == first)
    return false;
  /* An event lies at the beginning of its step.  */
  end = first + LOAD (d->taker)->many ((struct accscope_event **) &plan->step[first],
				       end - first, raise_handed, &h);
  for (n = first; n < end; n++)
    if (event_kind[plan->step[n]->event.event].half == END)
      acc_dispatch_pair_release (plan->step[n]->pair);
  plan->done = end;
  return true;
}

static INLINE int
operate (const struct acc_dispatch_step *s)
{
  uint64_t before = LOAD (*s->submitted), known;
  int failed = s->operation->run (s->operation);

  if (s->finished == NULL)
    __atomic_fetch_add (s->submitted, 1, __ATOMIC_SEQ_CST);
  else if (!failed)
    for (known = LOAD (*s->finished); known < before;)
      if (__atomic_compare_exchange_n (s->finished, &known, before, 0, __ATOMIC_SEQ_CST,
				       __ATOMIC_ACQUIRE))
	break;
  return failed;
}

int
acc_dispatch_carry_out (struct acc_dispatch *d, struct acc_dispatch_thread *thread,
			struct acc_dispatch_plan *plan)
{
  uint32_t calls = thread->calls;

  while (plan->done < plan->count && LIKELY (thread->calls == calls))
    {
      const struct acc_dispatch_step *s = plan->step[plan->done];
      int failed = 0;

      if (s->event.event == 0)
	failed = operate (s);
      else if (s->event.flags & ACC_DISPATCH_LASTING && hand_over (d, thread, plan))
	continue;
      else
	raise_step (d, thread, s);
      plan->done++;
      if (UNLIKELY (failed))
	return failed;
    }
  return 0;
}
