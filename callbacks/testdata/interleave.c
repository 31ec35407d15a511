/* The six examples of OpenACC 3.3, 5.5.3, below the level of callbacks: another
   thread's changes fall before every single load that dispatch makes, in every
   combination, and whole instances after every single store of a change.
   Callbacks A, B and C are registered in that order, C is disabled; Y stands
   before them and Z after.  */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

static void before_load (void);
static void after_store (void);
#define __atomic_load_n(place, order) \
  (before_load (), __atomic_load_n (place, order))
#define __atomic_store_n(place, value, order) \
  (__atomic_store_n (place, value, order), after_store ())
#include "dispatch.c"

enum { Y, A, B, C, Z, D, NAMES, NONE = NAMES };

static struct acc_dispatch *registry;
static int event;
static char enabled[NAMES];

static char ran[64];		/* names, in order */
static int count;

#define CALLBACK(name)							\
  static void								\
  callback_##name (acc_callback_info *info, acc_event_info *specific,	\
		   acc_api_info *api)					\
  {									\
    (void) specific, (void) api;					\
    if (info->event_type != (acc_event_t) event)			\
      exit (3);								\
    if (count == (int) sizeof ran)					\
      {									\
	fprintf (stderr, "an instance does not end\n");			\
	exit (1);							\
      }									\
    ran[count++] = name;						\
  }
CALLBACK (Y) CALLBACK (A) CALLBACK (B) CALLBACK (C) CALLBACK (Z) CALLBACK (D)
static const acc_callback routine[NAMES]
  = { callback_Y, callback_A, callback_B, callback_C, callback_Z, callback_D };

/* Makes the enabled ones the event's list, as the registry does; twice, so that
   what a reader holds is written over.  */
static void
publish (void)
{
  struct acc_dispatch_entry list[NAMES];
  uint32_t length = 0;

  for (int name = 0; name < NAMES; name++)
    if (enabled[name])
      list[length++] = (struct acc_dispatch_entry) {
	(uint64_t) name + 1, (uintptr_t) routine[name], 1
      };
  for (int i = 0; i < 2; i++)
    acc_dispatch_publish (registry, acc_dispatch_index (event), list, length);
}

/* One change is the toggling of a name; at[i] is the load that it comes before.  */
static int change[2], at[2], changes, next;
static int loads = -1;

static void
before_load (void)
{
  int now = loads;

  if (now < 0)
    return;
  loads = -1;			/* publishing loads too */
  for (; next < changes && at[next] <= now; next++)
    {
      enabled[change[next]] ^= 1;
      publish ();
    }
  loads = now + 1;
}

static int
position (int name)
{
  for (int i = 0; i < count; i++)
    if (ran[i] == name)
      return i;
  return -1;
}

/* Whether, if both ran, they did so in the order of the event.  */
static int
ordered (int first, int second)
{
  int p = position (first), q = position (second);

  return p < 0 || q < 0 || (event == acc_ev_update_end ? p > q : p < q);
}

/* What the examples allow; of what they say, whatever is true of them all.  */
static int
allowed (void)
{
  int must[NAMES] = { [Y] = 1, [A] = 1, [B] = 1, [Z] = 1 };

  for (int i = 0; i < changes; i++)
    must[change[i]] = 0;
  for (int name = 0; name < NAMES; name++)
    {
      int times = 0;
      for (int i = 0; i < count; i++)
	times += ran[i] == name;
      if (times > 1 || (must[name] && times == 0))
	return 0;
      for (int other = name + 1; other < NAMES; other++)
	if (!ordered (name, other))
	  return 0;
    }
  /* Examples 3 and 4: who finds the second one to go still there, though it is
     reached later, has found the first one to go; reached before, it says nothing.  */
  if (changes == 2
      && (event == acc_ev_update_end ? change[0] < change[1]
	  : change[0] > change[1])
      && change[0] <= B && change[1] <= B
      && position (change[0]) >= 0 && position (change[1]) < 0)
    return 0;
  return 1;
}

static long runs;
static int planned;		/* as the second event of a plan */

static void
dispatch (void)
{
  struct acc_dispatch_thread thread = { .thread_id = 1 };
  struct acc_dispatch_pair pair = { 0 };
  acc_callback_info info = { 0 };
  acc_event_info specific = { 0 };
  acc_api_info api = { 0 };

  struct acc_dispatch_step first = {
    .event = { .event = acc_ev_free, .info = &info, .event_info = &specific, .api = &api } };
  struct acc_dispatch_step second = {
    .event = { .event = event, .info = &info, .event_info = &specific, .api = &api },
    .pair = &pair };
  struct acc_dispatch_plan plan = { .count = 2, .step = { &first, &second } };

  count = 0;
  if (planned)
    acc_dispatch_carry_out (registry, &thread, &plan);
  else
    acc_dispatch_event (registry, event, &thread, &pair, &info, &specific,
			&api);
  acc_dispatch_pair_release (&pair);
  runs++;
}

static void
check (const char *what)
{
  if (allowed ())
    return;
  fprintf (stderr, "event %d, %s, %d changes, of %d before load %d, of %d before "
	   "load %d: ran", event, what, changes, change[0], at[0], change[1], at[1]);
  for (int i = 0; i < count; i++)
    fprintf (stderr, " %c", "YABCZD"[(int) ran[i]]);
  fprintf (stderr, "\n");
  exit (1);
}

static int stepping;

static void
after_store (void)
{
  if (!stepping)
    return;
  stepping = 0;
  dispatch ();
  check ("inside a change");
  stepping = 1;
}

static void
begin (void)
{
  for (int name = 0; name < NAMES; name++)
    enabled[name] = name != C && name != D;
  publish ();
  next = 0;
}

/* Returns how many loads one instance took.  */
static int
changes_inside_dispatch (void)
{
  int taken;

  begin ();
  loads = 0;
  dispatch ();
  taken = loads;
  loads = -1;
  check ("inside an instance");
  return taken;
}

static void
dispatch_inside_changes (void)
{
  begin ();
  stepping = 1;
  for (; next < changes; next++)
    {
      enabled[change[next]] ^= 1;
      publish ();
    }
  stepping = 0;
}

int
main (void)
{
  static const int events[] = { acc_ev_update_start, acc_ev_update_end,
				acc_ev_create, acc_ev_error };
  static const int examples[][2]
    = { { A, NONE }, { B, NONE }, { A, B }, { B, A }, { D, NONE }, { C, NONE } };

  static struct acc_dispatch *kept[sizeof events / sizeof *events];

  for (unsigned e = 0; e < sizeof events / sizeof *events; e++)
    {
      event = events[e];
      registry = kept[e] = acc_dispatch_new ();
      if (registry == NULL
	  || acc_dispatch_reserve (registry, acc_dispatch_index (event), NAMES))
	return 2;
      for (unsigned x = 0; x < sizeof examples / sizeof *examples; x++)
	{
	  int most = 1;

	  change[0] = examples[x][0];
	  change[1] = examples[x][1];
	  changes = change[1] == NONE ? 1 : 2;
	  for (planned = 0; planned < 2; planned++)
	    {
	      dispatch_inside_changes ();
	      for (at[0] = 0; at[0] <= most; at[0]++)
		for (at[1] = at[0]; at[1] <= (changes == 2 ? most : at[0]);
		     at[1]++)
		  {
		    int taken = changes_inside_dispatch ();
		    if (taken > most)
		      most = taken;
		  }
	    }
	}
    }
  printf ("%ld schedules\n", runs);
  return 0;
}
