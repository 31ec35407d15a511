/* Readers and the writer by schedule, not by chance: a whole look-up after every
   store of a change, and a whole change before every load of a look-up.  A
   look-up must answer what was true before the change or after it; of mappings
   that the change does not touch, that they are there.  */
#include <stdio.h>
#include <stdlib.h>

static void before_load (void);
static void after_store (void);
#define __atomic_load_n(place, order) \
  (before_load (), __atomic_load_n (place, order))
#define __atomic_store_n(place, value, order) \
  (__atomic_store_n (place, value, order), after_store ())
#include "present.c"

enum { STRIDE = 64, SIZE = 48, MOST = 1400 };

static store *table;
static char in[MOST];		/* a mapping that no change in progress touches */
static unsigned long schedules;

static uintptr_t host (uintptr_t i) { return 0x10000 + i * STRIDE; }
static uintptr_t device (uintptr_t i) { return 0x7000000 + i * 1000; }

static void
insert_both (uintptr_t i)
{
  if (accscope_present_insert (table, &table->published.ranges, 1, host (i),
			       device (i), SIZE, i))
    exit (2);
}

static void
remove_both (uintptr_t i)
{
  if (accscope_present_remove (table, &table->published.ranges, 1, host (i),
			       device (i)))
    exit (2);
}

static void
change (uintptr_t i, int insert)
{
  if (insert)
    insert_both (i);
  else
    remove_both (i);
}

/* One look-up from each side of mapping i, which a change may be touching.  */
static void
look_up (uintptr_t i, int touched, int busy_allowed)
{
  uintptr_t address = 0, back = 0;
  int found = accscope_present_find (&table->published, host (i) + 8, 16, &address);
  int found_back
    = accscope_present_find_host (&table->published, device (i) + 8, &back);

  schedules += 2;
  if (found < 0 ? !busy_allowed
      : found == 0 ? in[i] && !touched
      : (!in[i] && !touched) || address != device (i) + 8)
    {
      fprintf (stderr, "mapping %zu: found %d at %#zx\n", i, found, address);
      exit (1);
    }
  /* -1 also says that there is none.  */
  if (found_back == 1 ? (!in[i] && !touched) || back != host (i) + 8
      : !busy_allowed && in[i] && !touched)
    {
      fprintf (stderr, "mapping %zu: found back %d at %#zx\n", i, found_back, back);
      exit (1);
    }
}

/* The mapping that is being inserted or removed.  */
static uintptr_t changing;
static int inserting;

/* A look-up after every store.  */
static int stepping;
static const uintptr_t *watched;
static int watches;

static void
after_store (void)
{
  if (!stepping)
    return;
  stepping = 0;
  for (int w = 0; w < watches; w++)
    look_up (watched[w], watched[w] == changing, 1);
  stepping = 1;
}

/* A change before load number place of a look-up.  */
static long place = -1, loads;

static void
before_load (void)
{
  if (place < 0 || loads++ != place)
    return;
  place = -1;
  change (changing, inserting);
}

static void
enumerate (uintptr_t i, int insert, const uintptr_t *keys, int count)
{
  changing = i;
  inserting = insert;
  watched = keys;
  watches = count;
  in[i] = 0;
  stepping = 1;
  change (i, insert);
  stepping = 0;
  change (i, !insert);
  for (int k = 0; k < count; k++)
    for (long p = 0;; p++)
      {
	place = p;
	loads = 0;
	look_up (keys[k], keys[k] == i, 0);
	if (place >= 0)		/* the look-ups have fewer loads */
	  break;
	change (i, !insert);
      }
  place = -1;
  change (i, insert);
  in[i] = insert;
}

int
main (void)
{
  static const int sizes[] = { 1, 2, 31, 32, 33, 64, 260, 1100 };
  unsigned state = 7;

  for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; s++)
    {
      uintptr_t n = (uintptr_t) sizes[s];

      table = accscope_present_new ();
      if (table == NULL)
	return 2;
      for (uintptr_t i = 0; i < MOST; i++)
	in[i] = 0;
      for (uintptr_t i = 0; i < n; i++)
	{
	  insert_both (i);
	  in[i] = 1;
	}
      for (int round = 0; round < 40; round++)
	{
	  uintptr_t i, keys[6];

	  state = state * 1664525u + 1013904223u;
	  /* Runs that empty nodes and fill them again, so that nodes merge, split,
	     come and go.  */
	  i = round < 12 ? n / 2 + (uintptr_t) round
	      : round < 24 ? n / 2 + (uintptr_t) (23 - round)
	      : (state >> 8) % (n + n / 4 + 4);
	  keys[0] = i;
	  keys[1] = i > 0 ? i - 1 : i + 2;
	  keys[2] = i + 1;
	  keys[3] = 0;
	  keys[4] = n - 1;
	  keys[5] = (state >> 16) % n;
	  enumerate (i, !in[i], keys, 6);
	}
    }
  printf ("%lu look-ups\n", schedules);
  return 0;
}
