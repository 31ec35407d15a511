/* Carries out plans whose events a taker gets together (accscope_events.h), and holds
   what callbacks are told, between the operations, against what single events tell
   them.  Which callbacks there are changes, also from inside of them.
   Usage: together SEED ROUNDS.  */
#include "dispatch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEPS 11
#define OPERATION 4		/* its step */

static const struct { int event, pair; } step[STEPS] = {
  { acc_ev_compute_construct_start, 0 }, { acc_ev_enter_data_start, 1 },
  { acc_ev_enter_data_end, 1 }, { acc_ev_enqueue_launch_start, 2 }, { 0, 0 },
  { acc_ev_enqueue_launch_end, 2 }, { acc_ev_exit_data_start, 3 },
  { acc_ev_wait_start, 4 }, { acc_ev_wait_end, 4 },
  { acc_ev_exit_data_end, 3 }, { acc_ev_compute_construct_end, 0 },
};

static struct acc_dispatch *dispatch;
static struct acc_dispatch_thread thread;
static struct acc_dispatch_pair pair[5];
static struct acc_dispatch_step steps[STEPS];
static acc_callback_info info = { .async = 7 };
static acc_event_info specific;
static acc_api_info api;
static char log_of[2][1 << 14], *end_of_log;
static unsigned long seed;
static int lists[ACC_DISPATCH_EVENTS];	/* a bit for each callback */
static unsigned together, kept;

static unsigned
chance (unsigned of, unsigned salt)
{
  unsigned long x = (seed + 1) * 0x9e3779b97f4a7c15u ^ (salt + 1) * 0xff51afd7ed558ccdu;

  x = (x ^ x >> 31) * 0x94d049bb133111ebu;
  return (unsigned) (x >> 33) % of;
}

static void
told (const char *who, int event, void **tool_info)
{
  end_of_log += sprintf (end_of_log, "%s %d %lu %p\n", who, event,
			 (unsigned long) acc_dispatch_correlation (), *tool_info);
  if (tool_info != NULL && *tool_info == NULL && chance (4, (unsigned) event))
    *tool_info = (void *) (seed % 1000 * 100 + (unsigned) event);
}

static void one (acc_callback_info *, acc_event_info *, acc_api_info *);
static void other (acc_callback_info *, acc_event_info *, acc_api_info *);

static void
publish (int event)
{
  struct acc_dispatch_entry entries[2];
  uint32_t n = 0;

  if (lists[event] & 1)
    entries[n++] = (struct acc_dispatch_entry) { 1, (uintptr_t) one, 10 };
  if (lists[event] & 2)
    entries[n++] = (struct acc_dispatch_entry) { 2, (uintptr_t) other, 20 };
  acc_dispatch_publish (dispatch, event, entries, n);
}

/* Perhaps changes what a later event runs, or calls the runtime.  */
static void
intervene (int event)
{
  int later = step[chance (STEPS, (unsigned) event + 50)].event;

  if (later != 0 && chance (3, (unsigned) event + 100) == 0)
    {
      thread.changes++;
      lists[later] ^= 1 + (int) chance (2, 9);
      publish (later);
    }
  if (chance (9, (unsigned) event + 120) == 0)
    thread.disabled = 1;
  if (chance (5, (unsigned) event + 150) == 0)
    thread.calls++;
}

/* Whether one intervenes: then many leaves the event to it.  */
static int
intervenes (int event)
{
  return chance (12, (unsigned) event + 400) == 0;
}

static void
one (acc_callback_info *given, acc_event_info *event, acc_api_info *unused)
{
  (void) unused;
  if (given->async != 7 || given->version != ACC_DISPATCH_VERSION)
    abort ();
  told ("one", given->event_type, &event->other_event.tool_info);
  if (intervenes (given->event_type))
    intervene (given->event_type);
}

static void
other (acc_callback_info *given, acc_event_info *event, acc_api_info *unused)
{
  (void) unused;
  told ("other", given->event_type, &event->other_event.tool_info);
  intervene (given->event_type);
}

/* It says what one would.  */
static unsigned
many (struct accscope_event **events, unsigned count, accscope_raise_function raise,
      void *from)
{
  unsigned n;

  together += count > 1;
  for (n = 0; n < count; n++)
    {
      struct accscope_event *e = events[n];
      uint64_t correlation = thread.correlation;

      if (!(e->flags & ACC_DISPATCH_LASTING))
	abort ();
      if (e->memo[0] != 0 && e->memo[0] != (uint64_t) e->event)
	abort ();
      kept += e->memo[0] != 0;
      e->memo[0] = (uint64_t) e->event;
      if (intervenes (e->event) || chance (3, (unsigned) e->event + 200) == 0)
	{
	  if (!raise (from, e))
	    return n + 1;
	  continue;
	}
      if (e->info != &info || e->event_info != &specific || e->api != &api)
	abort ();
      end_of_log += sprintf (end_of_log, "one %d %lu %p\n", e->event,
			     (unsigned long) (e->event >= acc_ev_enqueue_launch_start
					      && e->event <= acc_ev_enqueue_download_end
					      ? e->correlation : 0), *e->tool_info);
      if (*e->tool_info == NULL && chance (4, (unsigned) e->event))
	*e->tool_info = (void *) (seed % 1000 * 100 + (unsigned) e->event);
      if (thread.correlation != correlation)
	abort ();
    }
  return n;
}

static int
run (struct acc_dispatch_operation *unused)
{
  (void) unused;
  end_of_log += sprintf (end_of_log, "operation\n");
  return chance (6, 7) == 0;
}

/* Readies everything for a way of raising.  */
static void
begin (int way)
{
  unsigned event;

  end_of_log = log_of[way];
  memset (log_of[way], 0, sizeof log_of[way]);
  thread.disabled = chance (10, 1) == 0;
  thread.calls = thread.changes = 0;
  for (event = 1; event < ACC_DISPATCH_EVENTS - 1; event++)
    {
      unsigned how = chance (3, 2) == 0 ? chance (4, event + 250) : 1;
      lists[event] = (int) how;
      publish ((int) event);
    }
}

static unsigned
one_by_one (void)
{
  unsigned n;

  for (n = 0; n < STEPS && thread.calls == 0; n++)
    {
      struct acc_dispatch_pair *of = &pair[step[n].pair];

      if (step[n].event == 0)
	{
	  if (run (NULL))
	    return n + 1;
	  continue;
	}
      thread.correlation = steps[n].event.correlation;
      if (acc_dispatch_wanted (dispatch, step[n].event) && !thread.disabled)
	acc_dispatch_event (dispatch, step[n].event, &thread, of, &info, &specific, &api);
      thread.correlation = 0;
      if (n > 0 && step[n].event % 2 == acc_ev_wait_end % 2)
	acc_dispatch_pair_release (of);
    }
  return n;
}

int
main (int argc, char **argv)
{
  static const struct accscope_taker taker = { one, many };
  static struct acc_dispatch_operation operation = { run };
  unsigned long rounds = strtoul (argv[2], NULL, 0), first = strtoul (argv[1], NULL, 0);
  uint64_t submitted = 0;
  unsigned n;

  (void) argc;
  dispatch = acc_dispatch_new ();
  for (n = 1; n < ACC_DISPATCH_EVENTS - 1; n++)
    acc_dispatch_reserve (dispatch, (int) n, 2);
  acc_dispatch_declare (dispatch, &taker);
  for (n = 0; n < STEPS; n++)
    {
      steps[n] = (struct acc_dispatch_step) {
	.event = { .event = step[n].event, .info = &info, .event_info = &specific, .api = &api },
	.pair = &pair[step[n].pair] };
      if (step[n].event == 0)
	steps[n] = (struct acc_dispatch_step) { .operation = &operation, .submitted = &submitted };
    }
  for (seed = first * rounds; seed < (first + 1) * rounds; seed++)
    {
      struct acc_dispatch_plan plan = { .count = STEPS };
      unsigned done;

      for (n = 0; n < STEPS; n++)
	{
	  plan.step[n] = &steps[n];
	  steps[n].event.correlation = 1 + seed % 9;
	  /* Some are not the same each time.  */
	  steps[n].event.flags = n != OPERATION && chance (8, n + 300) != 0;
	}
      begin (0);
      done = one_by_one ();
      for (n = 0; n < 5; n++)
	acc_dispatch_pair_release (&pair[n]);
      begin (1);
      acc_dispatch_carry_out (dispatch, &thread, &plan);
      if (plan.done != done || strcmp (log_of[0], log_of[1]) != 0
	  || thread.correlation != 0 || thread.depth != 0)
	{
	  printf ("seed %lu: %u steps one by one:\n%s%u in a plan:\n%s", seed, done, log_of[0],
		  plan.done, log_of[1]);
	  return 1;
	}
      for (n = 0; n < 5; n++)
	{
	  if (done == STEPS && pair[n].used != 0)
	    {
	      printf ("seed %lu: pair %u is not ended\n", seed, n);
	      return 1;
	    }
	  acc_dispatch_pair_release (&pair[n]);
	}
    }
  if (together < rounds / 4 || kept < rounds / 4)
    {
      printf ("%u times together, %u memos kept\n", together, kept);
      return 1;
    }
  return 0;
}
