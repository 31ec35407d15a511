/* flight.c - the flight recorder: once more is held than was asked for, the
   oldest used-up chunk of the process, of whichever ring, goes back to the file
   system as a hole in its file.  */
#define _GNU_SOURCE
#include "proflib.h"
#include "system.h"

#define CHUNKS_HELD 16384	/* the largest ceiling over the smallest chunk */

struct held
{
  uint32_t slot;
  uint32_t index;
  uint64_t end;			/* ticks when the ring's next chunk began */
};

static struct held held[CHUNKS_HELD];
static uint64_t first, past;	/* held[first % CHUNKS_HELD] is the oldest */
static uint32_t busy;

void
flight_forget (void)
{
  first = past = 0;
  busy = 0;
}

static void
give_back (const struct held *chunk)
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

static uint64_t
bytes_held (void)
{
  const struct capture_process *process = &control.process;
  return process->allocated_bytes - process->recycled_bytes
    - process->released_bytes;
}

static int
too_much (const struct held *oldest, uint64_t now)
{
  if (settings.filters & CAPTURE_FLIGHT_BYTES)
    return bytes_held () > settings.last_bytes;
  uint64_t span = settings.last_nanoseconds / 1000000 * clock_millisecond;
  if (now > span && oldest->end < now - span)
    return 1;
  return bytes_held () + CAPTURE_CHUNK_LARGE > control.process.limit_bytes;
}

/* The ring SLOT has begun its chunk INDEX.  */
void
flight_add (uint32_t slot, uint64_t index, uint64_t now)
{
  if (!(settings.filters & (CAPTURE_FLIGHT_BYTES | CAPTURE_FLIGHT_TIME)))
    return;
  if (__atomic_exchange_n (&busy, 1, __ATOMIC_ACQUIRE))
    return;	/* another thread does it; this chunk just stays */
  if (index > 0 && past - first < CHUNKS_HELD)
    {
      struct held *used = &held[past++ % CHUNKS_HELD];
      used->slot = slot;
      used->index = (uint32_t) (index - 1);
      used->end = now;
    }
  while (past != first && too_much (&held[first % CHUNKS_HELD], now))
    give_back (&held[first++ % CHUNKS_HELD]);
  __atomic_store_n (&busy, 0, __ATOMIC_RELEASE);
}
