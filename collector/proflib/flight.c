/* flight.c - the flight recorder: once more is held than was asked for, the
   oldest used-up chunk of the process, of whichever ring, goes back to the file
   system as a hole in its file.  */
#define _GNU_SOURCE
#include "proflib.h"
#include "system.h"

#define CHUNKS_HELD 16384	/* the largest ceiling over the smallest chunk */

struct used_up
{
  uint32_t slot;
  uint32_t index;
  uint64_t end;			/* atomic: ticks when the ring's next chunk began */
  uint64_t number;		/* atomic, written last: 1 + its place in the row */
};

/* The used-up chunks in a row: used_up[place % CHUNKS_HELD].  */
static struct used_up used_up[CHUNKS_HELD];
static uint64_t first, past;	/* atomic: places of the oldest, and of the next */
static uint32_t busy;		/* a thread gives back; it alone moves first */

void
flight_forget (void)
{
  first = past;
  busy = 0;
}

static void
give_back (const struct used_up *chunk)
{
  char path[PATH_LIMIT];
  ring_path (path, chunk->slot);
  int file = system_open (path, O_RDWR, 0);
  if (file < 0)
    return;
  uint64_t bytes = chunk_bytes (chunk->index);
  if (system_fallocate (file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			chunk_offset (chunk->index), bytes) == 0)
    __atomic_fetch_add (&control.process.recycled_bytes, bytes, __ATOMIC_RELAXED);
  system_close (file);
}

static int
too_much (const struct used_up *chunk, uint64_t now)
{
  if (settings.filters & CAPTURE_FLIGHT_BYTES)
    return ring_bytes () > settings.last_bytes;
  uint64_t span = settings.last_nanoseconds / 1000000 * clock_millisecond;
  if (now > span && __atomic_load_n (&chunk->end, __ATOMIC_RELAXED) < now - span)
    return 1;
  return ring_bytes () + CAPTURE_CHUNK_LARGE > control.process.limit_bytes;
}

/* The oldest chunk, null if there is none.  */
static const struct used_up *
oldest (void)
{
  uint64_t place = __atomic_load_n (&first, __ATOMIC_RELAXED);
  const struct used_up *chunk = &used_up[place % CHUNKS_HELD];
  return __atomic_load_n (&chunk->number, __ATOMIC_SEQ_CST) == place + 1
    ? chunk : NULL;
}

static void
add (uint32_t slot, uint64_t index, uint64_t now)
{
  uint64_t place, start;
  do
    {
      /* In this order, in which the oldest cannot lie behind the next.  */
      start = __atomic_load_n (&first, __ATOMIC_ACQUIRE);
      place = __atomic_load_n (&past, __ATOMIC_RELAXED);
      if (place - start >= CHUNKS_HELD)
	return;	/* there is no room: it just stays */
    }
  while (!__atomic_compare_exchange_n (&past, &place, place + 1, 1,
				       __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  struct used_up *chunk = &used_up[place % CHUNKS_HELD];
  chunk->slot = slot;
  chunk->index = (uint32_t) index;
  __atomic_store_n (&chunk->end, now, __ATOMIC_RELAXED);
  __atomic_store_n (&chunk->number, place + 1, __ATOMIC_SEQ_CST);
}

/* The ring SLOT has begun its chunk INDEX.  */
void
flight_add (uint32_t slot, uint64_t index, uint64_t now)
{
  if (!(settings.filters & (CAPTURE_FLIGHT_BYTES | CAPTURE_FLIGHT_TIME)))
    return;
  if (index > 0)
    add (slot, index - 1, now);
  /* One thread at a time gives back, also what others add meanwhile; so it looks
     once more when it has said that it is done.  */
  const struct used_up *chunk;
  while ((chunk = oldest ()) && too_much (chunk, now))
    {
      if (__atomic_exchange_n (&busy, 1, __ATOMIC_SEQ_CST))
	return;
      while ((chunk = oldest ()) && too_much (chunk, now))
	{
	  struct used_up used = *chunk;
	  __atomic_store_n (&first, first + 1, __ATOMIC_RELEASE);
	  give_back (&used);
	}
      __atomic_store_n (&busy, 0, __ATOMIC_SEQ_CST);
    }
}
