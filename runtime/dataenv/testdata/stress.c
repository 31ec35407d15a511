/* Readers look up while a writer inserts and removes: a mapping that is always
   there is always found, and every device and host address found is the right
   one.
   Built with the thread, address and undefined-behaviour sanitizers.  */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "present.h"

enum { COUNT = 3000, READERS = 3, STRIDE = 64, SIZE = 48 };

static struct accscope_present_store *store;
static int stop;
static long found_total, busy_total;

static uintptr_t host (uintptr_t i) { return 0x10000 + i * STRIDE; }
static uintptr_t device (uintptr_t i) { return 0x7000000 + i * 1000; }

static int
insert (uintptr_t i)
{
  return accscope_present_insert (store, &store->published.ranges, 1, host (i),
				  device (i), SIZE, i);
}

static int
take_out (uintptr_t i)
{
  return accscope_present_remove (store, &store->published.ranges, 1, host (i),
				  device (i));
}

static unsigned
next_random (unsigned *state)
{
  return *state = *state * 1664525u + 1013904223u;
}

static void *
reader (void *argument)
{
  unsigned state = (unsigned) (uintptr_t) argument;
  long found = 0, busy = 0;
  while (!__atomic_load_n (&stop, __ATOMIC_RELAXED))
    {
      uintptr_t i = (next_random (&state) >> 8) % COUNT, address = 0;
      int r = accscope_present_find (&store->published, host (i) + 8, 16, &address);
      if (r < 0)
	busy++;
      else if (r == 0 && i % 3 == 0)
	{
	  fprintf (stderr, "mapping %zu was always there and was not found\n", i);
	  exit (1);
	}
      else if (r == 1 && address != device (i) + 8)
	{
	  fprintf (stderr, "mapping %zu: wrong address %#zx\n", i, address);
	  exit (1);
	}
      else
	found += r;
      r = accscope_present_find_host (&store->published, device (i) + 8, &address);
      if (r == 1 && address != host (i) + 8)
	{
	  fprintf (stderr, "mapping %zu: wrong host address %#zx\n", i, address);
	  exit (1);
	}
      found += r == 1;
    }
  __atomic_fetch_add (&found_total, found, __ATOMIC_RELAXED);
  __atomic_fetch_add (&busy_total, busy, __ATOMIC_RELAXED);
  return NULL;
}

int
main (void)
{
  store = accscope_present_new ();
  if (!store)
    return 2;
  static char in[COUNT];
  for (uintptr_t i = 0; i < COUNT; i += 3)
    if (insert (i))
      return 2;
  pthread_t threads[READERS];
  for (uintptr_t i = 0; i < READERS; i++)
    if (pthread_create (&threads[i], NULL, reader, (void *) (i + 1)))
      return 2;
  unsigned state = 99;
  for (int round = 0; round < 60000; round++)
    {
      uintptr_t i = (next_random (&state) >> 8) % COUNT;
      /* Long runs in one direction split and merge nodes on every level.  */
      if (round % 20000 > 10000)
	i = round % COUNT;
      if (i % 3 == 0)
	continue;
      if (in[i] ? take_out (i) : insert (i))
	return 2;
      in[i] = !in[i];
    }
  __atomic_store_n (&stop, 1, __ATOMIC_RELAXED);
  for (int i = 0; i < READERS; i++)
    pthread_join (threads[i], NULL);
  for (uintptr_t i = 0; i < COUNT; i++)
    {
      uintptr_t address;
      if (accscope_present_find (&store->published, host (i), SIZE, &address)
	  != (i % 3 == 0 || in[i]))
	{
	  fprintf (stderr, "mapping %zu: presence is wrong at the end\n", i);
	  return 1;
	}
    }
  if (!found_total)
    {
      fprintf (stderr, "the readers found nothing (%ld times busy)\n", busy_total);
      return 1;
    }
  return 0;
}
