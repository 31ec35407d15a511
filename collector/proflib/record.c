/* record.c - the callback: one event into its thread's ring (OpenACC 3.3 §5.2).

   An event is what differs from the last one of its site (see format.h).  Which
   site it is, the event before tells: what came after it the last time comes
   again, most of the time; then the time may be all there is to say.  */
#include "complete.h"
#include "proflib.h"
#include "site.h"
#include "unwind.h"
#include <stddef.h>
#include <string.h>

static inline int
has_source (const acc_prof_info *profile)
{
  return profile && profile->valid_bytes >= SOURCE_BYTES && profile->src_file;
}

__thread uint64_t record_caller __attribute__ ((tls_model ("initial-exec")));

/* All return addresses, from that of the given caller on if there is one.  */
static unsigned
full_stack (uint64_t stack[CAPTURE_STACK_LIMIT])
{
  unsigned depth = unwind_stack (stack, CAPTURE_STACK_LIMIT);
  for (unsigned i = 0; record_caller && i < depth; i++)
    if (stack[i] == record_caller)
      {
	memmove (stack, stack + i, (depth - i) * sizeof *stack);
	return depth - i;
      }
  return depth;
}

/* Return addresses of the event, if wanted; their number.  */
static inline unsigned
stack_of (const acc_prof_info *profile, uint64_t stack[CAPTURE_STACK_LIMIT])
{
  if (settings.stack == STACK_FULL)
    return full_stack (stack);
  if (settings.stack == STACK_OFF || has_source (profile))
    return 0;
  stack[0] = record_caller;
  return record_caller ? 1 : unwind_stack (stack, 1);
}

/* Whether an event that matches SITE as far as site_matches () looks, does so
   altogether.  */
static __attribute__ ((noinline)) int
site_special (struct site *site)
{
  if (site->special & SITE_OTHER)
    return 0;
  if (site->special & SITE_LONG_TEXT && !site_same_texts (site))
    return 0;
  if (site->special & SITE_UNWIND)
    return (record_caller ? record_caller : unwind_caller (&site->walk)) == site->caller;
  return 1;
}

/* The site of an event whose structs are too short, or that the site before did
   not tell.  COPY takes the place of short structs.  */
static __attribute__ ((noinline)) struct site *
site_other (struct ring *ring, struct complete *copy,
	    const acc_prof_info **profile, const acc_event_info **event,
	    const acc_api_info **api, uint64_t caller)
{
  unsigned missing = 0;
  if (*profile == &copy->profile)
    missing = copy->missing;	/* the chunk was used up last time */
  else if (!*profile || !*event || !*api
	   || (*profile)->valid_bytes < PROFILE_BYTES
	   || (*api)->valid_bytes < API_BYTES
	   || (*event)->other_event.valid_bytes
	      < group_bytes (group_of ((*profile)->event_type)))
    {
      complete (copy, *profile, *event, *api);
      missing = copy->missing;
      *profile = &copy->profile;
      *event = &copy->event;
      *api = &copy->api;
    }
  return site_find (ring, *profile, *event, *api, missing, caller);
}

/* -- the words of an event */

/* TOOL_INFO carries the pair's number from start to end.  A runtime has one for
   all tools: what another tool has put there stays.  It is null where the runtime's
   struct has none.  */
static ALWAYS_INLINE uint64_t *
pair_start (struct ring *ring, void **tool_info, uint64_t *next,
	    unsigned *flags)
{
  uint64_t pair = 0;
  if (LIKELY (tool_info && !*tool_info))
    {
      pair = ring->pair++;
      *tool_info = (void *) (uintptr_t) pair;
    }
  if (UNLIKELY (pair != ring->told))
    {
      *flags |= CAPTURE_EVENT_PAIR;
      *next++ = pair;
    }
  if (pair)
    {
      ring->told = pair + 1;
      if (LIKELY (ring->opened < CAPTURE_OPEN_LIMIT))
	ring->open[ring->opened++] = pair;
    }
  return next;
}

static ALWAYS_INLINE uint64_t *
pair_end (struct ring *ring, uint64_t pair, uint64_t *next, unsigned *flags)
{
  if (LIKELY (ring->opened && ring->open[ring->opened - 1] == pair))
    {
      ring->opened--;
      return next;
    }
  if (pair >> 40 == 0
      || pair >> 40 > __atomic_load_n (&control.process.threads, __ATOMIC_RELAXED))
    pair = 0;	/* not ours */
  for (unsigned i = ring->opened; pair && i > 0; i--)
    if (ring->open[i - 1] == pair)
      ring->opened = i - 1;
  *flags |= CAPTURE_EVENT_PAIR;
  *next++ = pair;
  return next;
}

static ALWAYS_INLINE uint64_t *
word (struct site *site, unsigned i, uint64_t value, uint64_t *next,
      unsigned *flags)
{
  if (UNLIKELY (site->word[i] != value))
    {
      site->word[i] = value;
      *flags |= CAPTURE_EVENT_FIRST << i;
      *next++ = value;
    }
  return next;
}

/* Gangs along each dimension, if they are not those of the site's last event.  */
static ALWAYS_INLINE uint64_t *
dimensions (struct site *site, const acc_launch_event_info *launch,
	    uint64_t *next, unsigned *flags)
{
  static const uint64_t none[1];
  const size_t *given = launch->num_gangs_per_dim;
  const uint64_t *told = site->dimensions ? site->dimensions : none;
  if (UNLIKELY (!given || given[0] < 1 || given[0] > CAPTURE_DIMENSION_LIMIT))
    given = none;
  size_t same = 0;
  while (LIKELY (same <= given[0] && given[same] == told[same]))
    same++;
  if (LIKELY (same > given[0]))
    return next;
  *flags |= CAPTURE_EVENT_DIMENSIONS;
  site->dimensions = next;
  for (size_t i = 0; i <= given[0]; i++)
    *next++ = given[i];
  return next;
}

/* A call stack other than that of the site's last event; the innermost address
   is part of the site.  */
static ALWAYS_INLINE uint64_t *
call_stack (struct site *site, const uint64_t *stack, unsigned depth,
	    uint64_t *next, unsigned *flags)
{
  if (LIKELY (depth == site->depth
	      && (depth <= 1 || memcmp (stack, site->stack, depth * 8) == 0)))
    return next;
  *flags |= CAPTURE_EVENT_STACK;
  *next++ = depth;
  site->stack = next;
  site->depth = depth;
  for (unsigned i = 0; i < depth; i++)
    *next++ = stack[i];
  modules_note (stack, depth);
  return next;
}

/* What every event has: its time and its pair.  TICKS gets the time since the
   event before.  */
static ALWAYS_INLINE uint64_t *
time_and_pair (struct ring *ring, const struct site *site, uint64_t now,
	       void **tool_info, uint64_t *next, unsigned *flags,
	       uint64_t *ticks)
{
  *ticks = now - ring->ticks;
  ring->ticks = now;
  if (UNLIKELY (*ticks >> 32))
    {
      *flags |= CAPTURE_EVENT_TICKS;
      *next++ = now;
      *ticks = 0;
    }
  if (site->flags & CAPTURE_SITE_START)
    next = pair_start (ring, tool_info, next, flags);
  else if (site->flags & CAPTURE_SITE_END)
    next = pair_end (ring, tool_info ? (uintptr_t) *tool_info : 0, next, flags);
  return next;
}

/* A loop's operations are numbered in equal steps.  */
static ALWAYS_INLINE uint64_t *
correlation (struct site *site, uint64_t number, uint64_t *next,
	     unsigned *flags)
{
  if (UNLIKELY (number != site->correlation + site->step))
    {
      site->step = number - site->correlation;
      *flags |= CAPTURE_EVENT_CORRELATION;
      *next++ = number;
    }
  site->correlation = number;
  return next;
}

/* The number of the operation of an enqueue event.  */
static ALWAYS_INLINE uint64_t
enqueued (const struct site *site, const acc_prof_info *profile,
	  const acc_event_info *event)
{
  uint64_t number = 0;
  if (device_activity)
    number = device_activity->current_correlation ();
  if (UNLIKELY (__atomic_load_n (&foreign_running, __ATOMIC_ACQUIRE)))
    number = foreign_enqueue (site->flags & CAPTURE_SITE_START, number, profile,
			      event);
  return number;
}

/* The words of a data or launch event, which has three at the same place.  */
static ALWAYS_INLINE uint64_t *
words (struct site *site, const acc_event_info *event, uint64_t *next,
       unsigned *flags)
{
  if (!(site->flags & (CAPTURE_SITE_DATA | CAPTURE_SITE_LAUNCH)))
    return next;
  next = word (site, 0, event->data_event.bytes, next, flags);
  next = word (site, 1, (uintptr_t) event->data_event.host_ptr, next, flags);
  return word (site, 2, (uintptr_t) event->data_event.device_ptr, next, flags);
}

/* Where a device is initialised, or has been before capture was on; and where
   its end is near.  */
static void
device_event (int kind)
{
  if (kind == acc_ev_device_init_end || kind == acc_ev_enqueue_launch_end)
    foreign_begin ();
  else if (kind == acc_ev_device_shutdown_start
	   || kind == acc_ev_runtime_shutdown)
    foreign_flush ();
}

/* What comes behind the record of an event.  */
static inline void
recorded (const struct site *site, int kind, uint64_t now)
{
  if (site->special & SITE_DEVICE)
    device_event (kind);
  if (site->special & SITE_WAIT)
    activity_publish (now);
}

/* Where the event's record begins, if it has one.  */
static ALWAYS_INLINE struct capture_event *
record_at (struct ring *ring)
{
  return (struct capture_event *) (((uintptr_t) ring->position + 7)
				   & ~(uintptr_t) 7);
}

static ALWAYS_INLINE void
append (struct ring *ring, struct site *site, unsigned flags, uint64_t ticks,
	uint64_t *next)
{
  struct site *last = ring->last;
  char *end;
  ring->last = site;
  if (LIKELY (!flags && last->told == site->number && ticks >> 31 == 0))
    {
      *(capture_short_event *) ring->position = CAPTURE_SHORT_EVENT (ticks);
      end = ring->position + sizeof (capture_short_event);
    }
  else
    {
      struct capture_event *record = record_at (ring);
      last->told = site->number;
      ring_align (ring);
      record->type = CAPTURE_RECORD_EVENT;
      record->flags = (uint8_t) flags;
      record->site = site->number;
      record->ticks = (uint32_t) ticks;
      end = (char *) next;
    }
  ring->position = end;
  ring->sequence++;
}

static ALWAYS_INLINE void
end_event (struct ring *ring, uint64_t now)
{
  if (UNLIKELY (now >= __atomic_load_n (&clock_next, __ATOMIC_RELAXED)))
    clock_record ();
  ring_end (ring);
}

/* An event that needs more than the quick way of record_callback.  RING is null,
   or entered.  */
static __attribute__ ((noinline)) void
record_other (struct ring *ring, uint32_t armed, uint64_t now,
	      const acc_prof_info *profile, acc_event_info *given,
	      const acc_api_info *api)
{
  if (!ring)
    {
      ring = ring_enter (armed, now);
      if (!ring)
	return;
    }
  uint64_t stack[CAPTURE_STACK_LIMIT];
  unsigned depth = stack_of (profile, stack);
  const acc_event_info *event = given;
  struct complete copy;
  struct site *site = NULL;
  for (int attempts = 0; !site; attempts++)
    {
      ring_align (ring);
      if (ring->position < ring->limit)
	site = site_other (ring, &copy, &profile, &event, &api,
			   depth ? stack[0] : 0);
      if (!site && (attempts > 2 || ring_more (ring, now) < 0))
	{
	  ring_drop (ring, now);
	  end_event (ring, now);
	  if (profile)
	    device_event (profile->event_type);
	  return;
	}
    }
  ring->last->next = site;

  uint64_t *next = record_at (ring)->words;
  uint64_t ticks;
  unsigned flags = 0;
  void **tool_info = NULL;
  if (given && given->other_event.valid_bytes >= OTHER_BYTES)
    tool_info = &given->other_event.tool_info;
  next = time_and_pair (ring, site, now, tool_info, next, &flags, &ticks);
  next = words (site, event, next, &flags);
  if (site->flags & CAPTURE_SITE_ERROR)
    {
      next = word (site, 0, (uint64_t) (int64_t) event->error_event.error_code,
		   next, &flags);
      next = word (site, 1, event->error_event.runtime_info, next, &flags);
    }
  if (site->special & SITE_ENQUEUE)
    next = correlation (site, enqueued (site, profile, event), next, &flags);
  if (site->special & SITE_DIMENSIONS)
    next = dimensions (site, &event->launch_event, next, &flags);
  next = call_stack (site, stack, depth, next, &flags);
  append (ring, site, flags, ticks, next);
  ring_commit (ring);
  if (ring->context_new)
    {
      ring->context_new = 0;
      activity_device (ring, profile->device_type, profile->device_number, now);
    }
  end_event (ring, now);
  recorded (site, profile->event_type, now);
}

void
record_callback (acc_prof_info *profile, acc_event_info *event,
		 acc_api_info *api)
{
  uint32_t armed = __atomic_load_n (&control.process.armed, __ATOMIC_RELAXED);
  if (LIKELY (!(armed & 1)))
    return;
  uint64_t now = ticks_now ();
  struct ring *ring = ring_self;
  if (UNLIKELY (!ring || ring->busy || ring->generation != local_generation ()
		|| ring->armed != armed))
    {
      record_other (NULL, armed, now, profile, event, api);
      return;
    }
  ring->busy = 1;
  __atomic_signal_fence (__ATOMIC_SEQ_CST);

  struct site *site = ring->last->next;
  if (UNLIKELY (ring->position >= ring->limit || !profile || !event || !api
		|| !site_matches (site, profile, event, api)
		|| (site->special & ~(SITE_ENQUEUE | SITE_DEVICE
				      | SITE_DIMENSIONS | SITE_WAIT)
		    && !site_special (site))))
    {
      record_other (ring, armed, now, profile, event, api);
      return;
    }
  uint64_t *next = record_at (ring)->words;
  uint64_t ticks;
  unsigned flags = 0;
  next = time_and_pair (ring, site, now, &event->other_event.tool_info, next,
			&flags, &ticks);
  next = words (site, event, next, &flags);
  if (UNLIKELY (site->special & SITE_ENQUEUE))
    {
      next = correlation (site, enqueued (site, profile, event), next, &flags);
      if (site->special & SITE_DIMENSIONS)
	next = dimensions (site, &event->launch_event, next, &flags);
    }
  append (ring, site, flags, ticks, next);
  ring_commit (ring);
  end_event (ring, now);
  if (UNLIKELY (site->special & (SITE_DEVICE | SITE_WAIT)))
    recorded (site, profile->event_type, now);
}

/* A runtime that raises several events at once keeps their structs (see
   accscope_events.h), so an event's site is in its memo once it has been recorded;
   with the number that it has in this chunk, by which a reader knows it.  */
static ALWAYS_INLINE struct site *
remembered (const struct ring *ring, const struct accscope_event *event)
{
  struct site *site = (struct site *) (uintptr_t) event->memo[0];
  if (LIKELY (event->memo[1] >> 16 == ring->epoch
	      && site->number == (event->memo[1] & 0xffff)))
    return site;
  return NULL;
}

/* SEQUENCE is that of the event's record, if it has been recorded, and nothing else
   has, as a signal's handler might have.  */
static inline void
remember (const struct ring *ring, uint64_t sequence, struct accscope_event *event)
{
  struct site *site = ring->last;
  if (ring->sequence != sequence + 1 || site->special & SITE_OTHER
      || (int) site->profile.event_type != event->event)
    return;
  event->memo[0] = (uintptr_t) site;
  event->memo[1] = ring->epoch << 16 | site->number;
}

/* Records the events up to the first one that is not remembered; all at one time.
   SPECIAL gets what is about their sites.  */
static ALWAYS_INLINE unsigned
record_at_once (struct ring *ring, struct accscope_event **events,
		unsigned count, uint64_t now, unsigned *special)
{
  unsigned n, all = 0;
  for (n = 0; n < count && LIKELY (ring->position < ring->limit); n++)
    {
      struct accscope_event *event = events[n];
      struct site *site = remembered (ring, event);
      if (UNLIKELY (!site))
	break;
      ring->last->next = site;
      uint64_t *next = record_at (ring)->words;
      uint64_t ticks;
      unsigned flags = 0;
      next = time_and_pair (ring, site, now, event->tool_info, next, &flags, &ticks);
      next = words (site, event->event_info, next, &flags);
      if (site->special & SITE_ENQUEUE)
	{
	  next = correlation (site, device_activity ? event->correlation : 0, next,
			      &flags);
	  if (site->special & SITE_DIMENSIONS)
	    next = dimensions (site, &event->event_info->launch_event, next, &flags);
	}
      append (ring, site, flags, ticks, next);
      all |= site->special;
    }
  *special = all;
  return n;
}

static __attribute__ ((noinline)) unsigned
record_remembered (struct accscope_event **events, unsigned count)
{
  uint32_t armed = __atomic_load_n (&control.process.armed, __ATOMIC_RELAXED);
  struct ring *ring = ring_self;
  if (LIKELY (!(armed & 1)))
    return count;
  if (UNLIKELY (!ring || ring->busy || ring->generation != local_generation ()
		|| ring->armed != armed
		|| __atomic_load_n (&foreign_running, __ATOMIC_ACQUIRE)))
    return 0;
  ring->busy = 1;
  __atomic_signal_fence (__ATOMIC_SEQ_CST);
  uint64_t now = ticks_now ();
  unsigned special;
  unsigned n = record_at_once (ring, events, count, now, &special);
  if (LIKELY (n > 0))
    ring_commit (ring);
  end_event (ring, now);
  if (UNLIKELY (special & SITE_WAIT))
    activity_publish (now);
  return n;
}

unsigned
record_events (struct accscope_event **events, unsigned count,
	       accscope_raise_function raise, void *from)
{
  unsigned n = record_remembered (events, count);
  while (UNLIKELY (n < count))
    {
      struct ring *ring = ring_self;
      uint64_t sequence = ring ? ring->sequence : 0;
      int more = raise (from, events[n]);
      if (ring && ring == ring_self)
	remember (ring, sequence, events[n]);
      n++;
      if (!more)
	break;
      n += record_remembered (events + n, count - n);
    }
  return n;
}

void
record_filtered (acc_prof_info *profile, acc_event_info *event,
		 acc_api_info *api)
{
  if (!filtered (profile, event, api))
    record_callback (profile, event, api);
}
