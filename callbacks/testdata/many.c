/* Raises the same events, at random, in two registries: in one of them a tool has
   declared that it takes many at once (accscope_events.h), in the other one it has
   not.  What the tool, and another one that comes and goes, are told must be the
   same.  Then several threads raise events while the list is being rewritten.
   Arguments: seed, rounds.  Exit status 0, or 1 after a line on standard error.  */
#define _GNU_SOURCE
#include "dispatch.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EVENTS 8
#define PAIRS 4
#define LINE 160

static const int kinds[EVENTS] = {
  acc_ev_compute_construct_start, acc_ev_compute_construct_end,
  acc_ev_enqueue_launch_start, acc_ev_enqueue_launch_end,
  acc_ev_wait_start, acc_ev_wait_end, acc_ev_create, acc_ev_error,
};

/* What one does in an event beside noting it.  many leaves such events to it.  The
   events' field "implicit" says it, with the step in the higher bits.  */
enum act { act_none, act_toggle, act_other, act_leave, act_call, ACTS };
#define ACT(specific) ((specific)->other_event.implicit & 0xff)
#define STEP(specific) ((specific)->other_event.implicit >> 8)

/* A list: the tool's callback, another tool's, both in either order, or none.  */
enum list { list_none, list_tool, list_other, list_tool_first, list_other_first, LISTS };

struct world
{
  struct acc_dispatch *dispatch;
  struct acc_dispatch_thread thread;
  struct acc_dispatch_batch batch;
  struct acc_dispatch_pair pair[PAIRS];
  acc_callback_info info;
  acc_event_info specific[ACC_DISPATCH_STEPS];
  acc_api_info api;
  uint64_t memo[ACC_DISPATCH_STEPS];	/* that the tool has left */
  uint64_t sequence;
  unsigned taken;		/* events that many took */
  unsigned called;		/* calls of many */
  int last;			/* step after which the rest is left; or -1 */
  uint64_t told;
  char log[256][LINE];
};

static struct world world[2], *now;
static uint64_t state;
static unsigned stop;		/* many takes events up to the one whose number says so */
static int batched;		/* a batch that is kept is being raised */

static unsigned
any (unsigned below)
{
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (unsigned) (state >> 33) % below;
}

static void __attribute__ ((format (printf, 1, 2), noreturn))
fail (const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  vfprintf (stderr, format, arguments);
  va_end (arguments);
  fputc ('\n', stderr);
  exit (1);
}

static int
is_start (int event)
{
  return event == kinds[0] || event == kinds[2] || event == kinds[4];
}

static int
is_end (int event)
{
  return event == kinds[1] || event == kinds[3] || event == kinds[5];
}

static int
enqueues (int event)
{
  return event == kinds[2] || event == kinds[3];
}

static void
note (const char *who, int event, const acc_callback_info *info,
      const acc_event_info *specific, const acc_api_info *api,
      const void *tool_info, uint64_t correlation)
{
  int data = event == acc_ev_create, step = STEP (specific);

  if (now->last >= 0 && step != now->last)
    fail ("step %d was raised although one has called the runtime in %d", step,
	  now->last);
  snprintf (now->log[now->told++ % 256], LINE,
	    "%s: %d step %d line %d parent %d bytes %zu queue %lx tool_info %p correlation %lu",
	    who, event, step, info->line_no, (int) specific->other_event.parent_construct,
	    data ? specific->data_event.bytes : 0, (unsigned long) api->async_handle,
	    tool_info, (unsigned long) correlation);
}

/* What a tool leaves in tool_info: mostly something.  */
static void *
left (int tool, int line)
{
  return line % 5 == 0 ? NULL : (void *) ((uintptr_t) tool << 32 | (uintptr_t) line);
}

static void one (acc_callback_info *, acc_event_info *, acc_api_info *);
static void other (acc_callback_info *, acc_event_info *, acc_api_info *);

static void
publish (struct world *w, int event, enum list list)
{
  struct acc_dispatch_entry tool = { 0, (uintptr_t) one, 1 };
  struct acc_dispatch_entry foreign = { 0, (uintptr_t) other, 2 };
  struct acc_dispatch_entry entry[2];
  uint32_t count = 0;

  if (list == list_other || list == list_other_first)
    entry[count++] = foreign;
  if (list == list_tool || list == list_tool_first || list == list_other_first)
    entry[count++] = tool;
  if (list == list_tool_first)
    entry[count++] = foreign;
  for (uint32_t i = 0; i < count; i++)
    entry[i].sequence = ++w->sequence;
  acc_dispatch_publish (w->dispatch, acc_dispatch_index (event), entry, count);
  w->thread.changes++;
}

static void
act (int what, int event, int step)
{
  switch (what)
    {
    case act_toggle:
      now->thread.disabled = 1;
      break;
    case act_other:		/* for all that follows, and this very event */
      for (int i = 0; i < EVENTS; i++)
	publish (now, kinds[i], list_tool_first);
      break;
    case act_leave:
      publish (now, event, list_none);
      break;
    case act_call:		/* of the runtime */
      now->thread.calls++;
      now->last = step;
      break;
    }
}

static void
one (acc_callback_info *info, acc_event_info *specific, acc_api_info *api)
{
  int event = info->event_type;

  if (info->thread_id != 7 || info->version != ACC_DISPATCH_VERSION
      || specific->other_event.event_type != info->event_type)
    fail ("one got structs that are not filled in");
  note ("tool", event, info, specific, api,
	is_end (event) ? specific->other_event.tool_info : NULL,
	acc_dispatch_correlation ());
  if (is_start (event))
    specific->other_event.tool_info = left (1, info->line_no);
  act (ACT (specific), event, STEP (specific));
}

static void
other (acc_callback_info *info, acc_event_info *specific, acc_api_info *api)
{
  int event = info->event_type;

  note ("other", event, info, specific, api,
	is_end (event) ? specific->other_event.tool_info : NULL,
	acc_dispatch_correlation ());
  if (is_start (event))
    specific->other_event.tool_info = left (2, info->line_no);
}

static unsigned
many (struct accscope_event *events, unsigned count)
{
  unsigned first = (unsigned) (events - now->batch.step), n;

  now->called++;
  if (!batched)
    fail ("many got events that are not kept");
  if (now != &world[0])
    fail ("many was not declared here");
  if (first > 0)		/* of an event that one has had, perhaps */
    now->memo[first - 1] = events[-1].memo[0] = any (1 << 30) + 1;
  for (n = 0; n < count; n++)
    {
      struct accscope_event *e = &events[n];
      int start = is_start (e->event), end = is_end (e->event);

      if (ACT (e->event_info) != act_none || first + n >= stop)
	break;
      if (e->memo[0] != now->memo[first + n] || e->memo[1] != 0)
	fail ("a memo is not what the tool has left");
      if ((e->tool_info != NULL) != (start || end))
	fail ("tool_info where it has no meaning, or not where it has");
      note ("tool", e->event, e->info, e->event_info, e->api,
	    end ? *e->tool_info : NULL, enqueues (e->event) ? e->correlation : 0);
      if (start)
	{
	  if (*e->tool_info != NULL)
	    fail ("tool_info of an event that has not begun");
	  *e->tool_info = left (1, e->info->line_no);
	}
      now->memo[first + n] = e->memo[0] = any (1 << 30) + 1;
      now->taken++;
    }
  return n;
}

/* One event of those that are to be raised, the same in both worlds.  */
struct plan
{
  int event, pair, act;
  uint64_t correlation;
  size_t bytes;
};

static void
fill (struct world *w, const struct plan *plan, unsigned count, int line, int kept,
      unsigned from)
{
  w->info = (acc_callback_info) { .line_no = line };
  w->api = (acc_api_info) { .async_handle = (void *) (uintptr_t) (line * 3) };
  w->batch.done = from;
  w->batch.count = from + count;
  w->batch.kept = (uint32_t) kept;
  for (unsigned i = from; i < from + count; i++)
    {
      const struct plan *p = &plan[i - from];
      struct accscope_event *s = &w->batch.step[i];

      memset (&w->specific[i], 0, sizeof w->specific[i]);
      w->specific[i].data_event.parent_construct = acc_construct_kernels;
      w->specific[i].data_event.implicit = (int) i << 8 | p->act;
      w->specific[i].data_event.bytes = p->bytes;
      s->event = p->event;
      s->correlation = p->correlation;
      s->info = &w->info;
      s->event_info = &w->specific[i];
      s->api = &w->api;
      s->pair = p->pair >= 0 ? &w->pair[p->pair] : NULL;
    }
}

static void
same (unsigned long round)
{
  if (world[0].told != world[1].told)
    fail ("round %lu: told %lu events, and %lu without many; the last ones are %s and %s",
	  round, (unsigned long) world[0].told, (unsigned long) world[1].told,
	  world[0].log[(world[0].told - 1) % 256], world[1].log[(world[1].told - 1) % 256]);
  for (int i = 0; i < 256; i++)
    if (strcmp (world[0].log[i], world[1].log[i]) != 0)
      fail ("round %lu:\n with many    %s\n without many %s", round,
	    world[0].log[i], world[1].log[i]);
  for (int i = 0; i < 2; i++)
    if (world[i].thread.depth != 0 || world[i].thread.correlation != 0)
      fail ("round %lu: the thread is not as it was", round);
  if (acc_dispatch_correlation () != 0)
    fail ("round %lu: a correlation outside of callbacks", round);
}

/* Raises a batch until all is done, as a runtime does that is told of calls from
   callbacks.  TOGETHER: it is raised from a place where only many may be called.  */
static void
raise_batch (struct world *w, int together)
{
  now = w;
  w->last = -1;
  batched = w->batch.kept || together;
  if (together && w->dispatch->together (w->dispatch, &w->thread, &w->batch)
      && w->batch.done != w->batch.count)
    fail ("not all is done that is said to be");
  batched = w->batch.kept;
  while (w->batch.done < w->batch.count)
    {
      uint32_t before = w->batch.done;

      w->last = -1;
      w->dispatch->events (w->dispatch, &w->thread, &w->batch);
      if (w->batch.done <= before || w->batch.done > w->batch.count)
	fail ("a batch does not go on");
    }
  batched = 0;
}

/* -- several threads: pairs in batches, from start to end */

static struct acc_dispatch *shared;
static int finished;

static void
check_end (int event, const void *tool_info, const void *mine)
{
  if (event == acc_ev_update_end && tool_info != NULL && tool_info != mine)
    fail ("tool_info of another thread or tool");
}

static void
one_shared (acc_callback_info *info, acc_event_info *specific, acc_api_info *api)
{
  (void) api;
  check_end (info->event_type, specific->other_event.tool_info, left (1, info->line_no));
  if (info->event_type == acc_ev_update_start)
    specific->other_event.tool_info = left (1, info->line_no);
}

static void
other_shared (acc_callback_info *info, acc_event_info *specific, acc_api_info *api)
{
  (void) api;
  check_end (info->event_type, specific->other_event.tool_info, left (2, info->line_no));
  if (info->event_type == acc_ev_update_start)
    specific->other_event.tool_info = left (2, info->line_no);
}

static unsigned
many_shared (struct accscope_event *events, unsigned count)
{
  unsigned n, stop = (unsigned) (events->memo[1]++ % 3);

  for (n = 0; n < count && n < stop; n++)
    {
      check_end (events[n].event, *events[n].tool_info, left (1, events[n].info->line_no));
      if (events[n].event == acc_ev_update_start)
	*events[n].tool_info = left (1, events[n].info->line_no);
    }
  return n;
}

static void *
raising (void *argument)
{
  struct acc_dispatch_thread thread = { .thread_id = (int) (intptr_t) argument };
  struct acc_dispatch_pair pair = { 0 };
  acc_callback_info info = { .line_no = thread.thread_id + 1 };
  acc_event_info specific = { 0 };
  acc_api_info api = { 0 };
  struct acc_dispatch_batch batch = { .kept = 1 };

  while (!__atomic_load_n (&finished, __ATOMIC_RELAXED))
    {
      for (int i = 0; i < 4; i++)
	{
	  struct accscope_event *s = &batch.step[i];
	  s->event = i % 2 ? acc_ev_update_end : acc_ev_update_start;
	  s->info = &info;
	  s->event_info = &specific;
	  s->api = &api;
	  s->pair = &pair;
	}
      for (batch.done = 0; batch.done < 4; )
	{
	  batch.count = batch.done + 2;
	  if (!shared->together (shared, &thread, &batch))
	    shared->events (shared, &thread, &batch);
	  if (batch.done != batch.count || pair.used != 0 || thread.depth != 0)
	    fail ("a batch of a thread is not done");
	}
    }
  return NULL;
}

static void
threads (unsigned long rounds)
{
  pthread_t thread[3];
  struct acc_dispatch_entry entry[2] = {
    { 1, (uintptr_t) one_shared, 1 }, { 2, (uintptr_t) other_shared, 2 }
  };

  shared = acc_dispatch_new ();
  for (int event = acc_ev_update_start; event <= acc_ev_update_end; event++)
    if (acc_dispatch_reserve (shared, event, 4) != 0)
      exit (2);
  if (acc_dispatch_declare (shared, one_shared, many_shared) != 0)
    fail ("a declaration was refused");
  for (int i = 0; i < 3; i++)
    if (pthread_create (&thread[i], NULL, raising, (void *) (intptr_t) i))
      exit (2);
  for (unsigned long n = 0; n < rounds; n++)
    for (int event = acc_ev_update_start; event <= acc_ev_update_end; event++)
      {
	unsigned what = any (4);	/* mostly the tool alone */
	acc_dispatch_publish (shared, event, what == 3 ? entry + 1 : entry,
			      what == 2 ? 2 : what != 1 || any (2));
      }
  __atomic_store_n (&finished, 1, __ATOMIC_RELAXED);
  for (int i = 0; i < 3; i++)
    pthread_join (thread[i], NULL);
}

int
main (int argc, char **argv)
{
  unsigned long rounds = argc > 2 ? strtoul (argv[2], NULL, 10) : 1000, round;
  int opened[PAIRS] = { 0 };	/* the start event that the pair is open for */

  state = argc > 1 ? strtoul (argv[1], NULL, 10) : 1;
  for (int i = 0; i < 2; i++)
    {
      world[i].dispatch = acc_dispatch_new ();
      world[i].thread.thread_id = 7;
      for (int n = 0; n < EVENTS; n++)
	if (acc_dispatch_reserve (world[i].dispatch, acc_dispatch_index (kinds[n]), 4))
	  return 2;
    }
  if (acc_dispatch_declare (world[0].dispatch, one, NULL) == 0
      || acc_dispatch_declare (world[0].dispatch, one, many) != 0
      || acc_dispatch_declare (world[0].dispatch, one, many) != 0
      || acc_dispatch_declare (world[0].dispatch, other, many) == 0)
    fail ("a declaration was refused, or a second tool's was not");
  for (round = 0; round < rounds; round++)
    {
      struct plan plan[ACC_DISPATCH_STEPS];
      unsigned count = 1 + any (ACC_DISPATCH_STEPS), from, used[PAIRS] = { 0 };
      int line = 1 + (int) any (1000), kept = any (5) > 0, together = any (3) == 0;

      if (any (4) == 0)		/* somebody registers, leaves, or toggles */
	{
	  int all = any (2) == 0;
	  enum list list = any (2) ? list_tool : any (LISTS);
	  for (int i = 0; i < EVENTS; i++)
	    if (all || any (EVENTS) == 0)
	      for (int w = 0; w < 2; w++)
		publish (&world[w], kinds[i], list);
	}
      if (any (4) == 0)
	world[0].thread.disabled = world[1].thread.disabled = any (4) == 0;

      for (unsigned i = 0; i < count; i++)
	{
	  int pair = (int) any (PAIRS), event = kinds[any (EVENTS)];

	  /* A pair begins and ends in that order in one batch, once.  */
	  if (is_start (event) || is_end (event))
	    {
	      event = opened[pair] ? opened[pair] + 1 : kinds[2 * any (3)];
	      if (used[pair] > (unsigned) (opened[pair] != 0))
		event = acc_ev_create;
	    }
	  if (is_start (event))
	    opened[pair] = event;
	  else if (is_end (event))
	    opened[pair] = 0;
	  else
	    pair = -1;
	  if (pair >= 0)
	    used[pair]++;
	  plan[i] = (struct plan) {
	    .event = event, .pair = pair, .bytes = any (100),
	    .act = any (12) ? act_none : (int) any (ACTS),
	    .correlation = enqueues (event) ? 1 + any (1000) : 0,
	  };
	}
      from = any (ACC_DISPATCH_STEPS + 1 - count);
      stop = any (3) ? ACC_DISPATCH_STEPS : any (ACC_DISPATCH_STEPS + 1);
      for (int w = 0; w < 2; w++)
	{
	  fill (&world[w], plan, count, line, kept, from);
	  raise_batch (&world[w], together && w == 0);
	}
      same (round);
      for (int w = 0; w < 2; w++)
	for (int i = 0; i < PAIRS; i++)
	  if (!opened[i] && world[w].pair[i].used != 0)
	    fail ("round %lu: an ended pair is not given back", round);
    }
  if (rounds >= 1000 && (world[0].taken < rounds / 2 || world[0].called < rounds / 4
			 || world[0].told < rounds || world[1].called != 0))
    fail ("many took %u events in %u calls, of %lu", world[0].taken,
	  world[0].called, (unsigned long) world[0].told);
  threads (rounds);
  return 0;
}
