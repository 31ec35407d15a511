/* Dispatches on several threads while another one rewrites the list, and checks
   in each event instance that what must run ran once and in order.

   Arguments: dispatching threads, rewrites.  Exit status 0, or 1 after a line
   on standard error.  Build with -fsanitize=thread to look for data races.  */
#define _GNU_SOURCE
#include "dispatch.h"

#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/* Callbacks 1 to CALLBACKS in order of registration; those with an even number
   come and go, the odd ones always stay.  Each has a routine and a tool of its
   own, so that a torn entry shows.  */
#define CALLBACKS 9
#define TOOL(number) ((uintptr_t) (number) << 20)

static struct acc_dispatch *dispatch;
static int finished;

static __thread unsigned ran, last;
static __thread int reverse, current;

static void
fail (const char *what, unsigned number)
{
  fprintf (stderr, "stress: %s (callback %u)\n", what, number);
  exit (1);
}

static void
check_ran (void)
{
  unsigned number;

  for (number = 1; number <= CALLBACKS; number += 2)
    if (!(ran >> number & 1))
      fail ("did not run", number);
}

static void
callback (unsigned number, acc_callback_info *info, acc_event_info *event)
{
  if ((int) info->event_type != current)	/* the next one of a plan */
    {
      check_ran ();
      ran = last = 0;
      current = info->event_type;
      reverse = current == acc_ev_update_end;
    }
  if (ran >> number & 1)
    fail ("ran twice in one instance", number);
  if (ran != 0 && (reverse ? number >= last : number <= last))
    fail ("out of order", number);
  if (reverse && number % 2 == 1
      && event->other_event.tool_info != (void *) TOOL (number))
    fail ("tool_info of another tool", number);
  if (!reverse)
    event->other_event.tool_info = (void *) TOOL (number);
  if (info->thread_id < 0)
    fail ("no thread id", number);
  ran |= 1u << number;
  last = number;
}

#define ROUTINE(number)							\
  static void								\
  callback_##number (acc_callback_info *info, acc_event_info *event,	\
		     acc_api_info *api)					\
  {									\
    (void) api;								\
    callback (number, info, event);					\
  }

ROUTINE (1) ROUTINE (2) ROUTINE (3) ROUTINE (4) ROUTINE (5) ROUTINE (6)
ROUTINE (7) ROUTINE (8) ROUTINE (9)

static const acc_callback routine[] = {
  NULL, callback_1, callback_2, callback_3, callback_4, callback_5, callback_6,
  callback_7, callback_8, callback_9
};

static void
begin (int event)
{
  ran = last = 0;
  current = event;
  reverse = event == acc_ev_update_end;
}

static void
raise_event (struct acc_dispatch_thread *thread, struct acc_dispatch_pair *pair,
	     acc_event_t event)
{
  acc_callback_info info = { 0 };
  acc_event_info specific = { 0 };
  acc_api_info api = { 0 };

  begin (event);
  acc_dispatch_event (dispatch, event, thread, pair, &info, &specific, &api);
  check_ran ();
}

/* Both events of the pair by a plan, and the pair is ended.  */
static void
raise_planned (struct acc_dispatch_thread *thread,
		struct acc_dispatch_pair *pair)
{
  acc_callback_info info = { 0 };
  acc_event_info specific = { 0 };
  acc_api_info api = { 0 };
  struct acc_dispatch_step start = {
    .event = { .event = acc_ev_update_start, .info = &info, .event_info = &specific,
	       .api = &api }, .pair = pair };
  struct acc_dispatch_step end = {
    .event = { .event = acc_ev_update_end, .info = &info, .event_info = &specific,
	       .api = &api }, .pair = pair };
  struct acc_dispatch_plan plan = { .count = 2, .step = { &start, &end } };

  begin (acc_ev_update_start);
  acc_dispatch_carry_out (dispatch, thread, &plan);
  check_ran ();
  if (!reverse || plan.done != 2 || pair->used != 0 || thread->depth != 0)
    fail ("the plan is not done", 0);
}

static void *
dispatching (void *argument)
{
  struct acc_dispatch_thread thread = { .thread_id = (int) (intptr_t) argument };

  while (!__atomic_load_n (&finished, __ATOMIC_RELAXED))
    {
      struct acc_dispatch_pair pair;
      acc_dispatch_pair_init (&pair);
      raise_event (&thread, &pair, acc_ev_update_start);
      raise_event (&thread, &pair, acc_ev_update_end);
      acc_dispatch_pair_release (&pair);
      raise_planned (&thread, &pair);
    }
  return NULL;
}

static void
publish (unsigned present)
{
  struct acc_dispatch_entry entry[CALLBACKS];
  unsigned number, count = 0;

  for (number = 1; number <= CALLBACKS; number++)
    if (number % 2 == 1 || (present >> number & 1))
      {
	entry[count].sequence = number;
	entry[count].callback = (uintptr_t) routine[number];
	entry[count++].tool = TOOL (number);
      }
  acc_dispatch_publish (dispatch, acc_dispatch_index (acc_ev_update_start),
			entry, count);
  acc_dispatch_publish (dispatch, acc_dispatch_index (acc_ev_update_end),
			entry, count);
}

int
main (int argc, char **argv)
{
  int threads = argc > 1 ? atoi (argv[1]) : 2, i;
  long rewrites = argc > 2 ? atol (argv[2]) : 100000, n;
  pthread_t thread[64];
  size_t before;

  dispatch = acc_dispatch_new ();
  if (threads < 1 || threads > 64 || dispatch == NULL
      || acc_dispatch_reserve (dispatch, acc_ev_update_start, CALLBACKS) != 0
      || acc_dispatch_reserve (dispatch, acc_ev_update_end, CALLBACKS) != 0)
    {
      fputs ("usage: stress [threads, 1 to 64] [rewrites]\n", stderr);
      return 1;
    }
  publish (~0u);
  for (i = 0; i < threads; i++)
    if (pthread_create (&thread[i], NULL, dispatching, (void *) (intptr_t) i))
      return 1;
  for (n = 0; n < rewrites; n++)
    publish ((unsigned) (n * 2654435761u >> 7));
  __atomic_store_n (&finished, 1, __ATOMIC_RELAXED);
  for (i = 0; i < threads; i++)
    pthread_join (thread[i], NULL);

  before = mallinfo2 ().uordblks;
  for (n = 0; n < rewrites; n++)
    publish ((unsigned) (n * 2654435761u >> 7));
  if (mallinfo2 ().uordblks != before)
    fail ("rewriting the list takes memory", 0);
  return 0;
}
