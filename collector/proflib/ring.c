/* ring.c - rings and their chunks.

   A ring is a file that one thread at a time writes; a thread's end leaves it,
   its half-filled chunk included, to the next new thread.  A used-up chunk is
   followed by a further one of the same file: allocated on the file system
   first, then mapped, so that a full disk is an error here and never a SIGBUS
   in the program.  No file stays open: a program may close what it finds.  */
#define _GNU_SOURCE
#include "proflib.h"
#include "system.h"
#include <pthread.h>
#include <string.h>
#include <sys/statfs.h>

__thread struct ring *ring_self __attribute__ ((tls_model ("initial-exec")));
struct ring *rings[RING_LIMIT];
uint32_t ring_count;

static uint64_t epochs;
static uint32_t owners[RING_LIMIT];	/* tid; 0: free */
static uint32_t free_rings;
static pthread_key_t thread_end;
static int thread_end_usable;

static void
thread_ended (void *unused)
{
  (void) unused;
  ring_leave ();
}

void
ring_prepare (void)
{
  /* glibc keeps the values of its first 32 keys in the thread itself; setting
     one of a later key may allocate, which a callback must not.  Without a
     usable key, ended threads are found when rings are looked for.  */
  if (pthread_key_create (&thread_end, thread_ended) == 0)
    thread_end_usable = thread_end < 32;
}

uint64_t
chunk_bytes (uint64_t index)
{
  return index < CAPTURE_CHUNKS_SMALL ? CAPTURE_CHUNK_SMALL : CAPTURE_CHUNK_LARGE;
}

uint64_t
chunk_offset (uint64_t index)
{
  if (index <= CAPTURE_CHUNKS_SMALL)
    return index * CAPTURE_CHUNK_SMALL;
  return (uint64_t) CAPTURE_CHUNKS_SMALL * CAPTURE_CHUNK_SMALL
    + (index - CAPTURE_CHUNKS_SMALL) * CAPTURE_CHUNK_LARGE;
}

size_t
ring_path (char *path, uint32_t slot)
{
  return number_append (path, path_append (path, 0, folder, "/ring-"), slot, 5);
}

/* -- taking and leaving */

static void
reap (int pid)
{
  for (uint32_t i = 0; i < ring_count; i++)
    {
      uint32_t owner = __atomic_load_n (&owners[i], __ATOMIC_ACQUIRE);
      if (owner && SYSTEM3 (SYS_tgkill, pid, owner, 0) == -ESRCH
	  && __atomic_compare_exchange_n (&owners[i], &owner, 0, 0,
					  __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
	__atomic_fetch_add (&free_rings, 1, __ATOMIC_RELAXED);
    }
}

static int64_t
take_free (uint32_t tid)
{
  uint32_t count = __atomic_load_n (&ring_count, __ATOMIC_ACQUIRE);
  if (__atomic_load_n (&free_rings, __ATOMIC_RELAXED) == 0)
    return -1;
  for (uint32_t i = 0; i < count; i++)
    {
      uint32_t owner = 0;
      if (__atomic_load_n (&owners[i], __ATOMIC_RELAXED) == 0
	  && __atomic_load_n (&rings[i], __ATOMIC_ACQUIRE)
	  && __atomic_compare_exchange_n (&owners[i], &owner, tid, 0,
					  __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
	{
	  __atomic_fetch_sub (&free_rings, 1, __ATOMIC_RELAXED);
	  return i;
	}
    }
  return -1;
}

static struct ring *
take (uint32_t level)
{
  uint32_t tid = (uint32_t) system_tid ();
  int64_t slot = take_free (tid);
  if (slot < 0 && (!thread_end_usable
		   || __atomic_load_n (&ring_count, __ATOMIC_RELAXED)
		      >= RING_LIMIT))
    {
      reap (system_pid ());
      slot = take_free (tid);
    }
  if (slot < 0)
    {
      uint32_t next = __atomic_load_n (&ring_count, __ATOMIC_RELAXED);
      do
	if (next >= RING_LIMIT)
	  return NULL;
      while (!__atomic_compare_exchange_n (&ring_count, &next, next + 1, 1,
					   __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
      slot = next;
      __atomic_store_n (&owners[slot], tid, __ATOMIC_RELEASE);
      __atomic_store_n (&control.process.rings, next + 1, __ATOMIC_RELAXED);
      if (!rings[slot])	/* one of before the fork is used again */
	{
	  struct ring *fresh
	    = system_map (NULL, sizeof *fresh, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	  if (!fresh)
	    {
	      __atomic_store_n (&owners[slot], 0, __ATOMIC_RELEASE);
	      return NULL;
	    }
	  __atomic_store_n (&rings[slot], fresh, __ATOMIC_RELEASE);
	}
    }
  struct ring *ring = rings[slot];
  ring->generation = local_generation ();
  ring->slot = (uint32_t) slot;
  ring->tid = tid;
  ring->level = level;
  ring->busy = 0;
  ring->nested = NULL;
  ring->announce = 1;
  ring->armed = 0;
  ring->sequence = 0;
  ring->thread
    = __atomic_add_fetch (&control.process.threads, 1, __ATOMIC_RELAXED);
  ring->pair = ring->thread << 40 | 1;
  if (!ring->last)
    ring->last = ring->none.next = &ring->none;
  return ring;
}

static void
give_up (struct ring *ring)
{
  struct capture_thread_end *record = ring_room (ring, sizeof *record);
  if (ring->chunk && record && !ring->announce)
    {
      record_head (&record->record, CAPTURE_RECORD_THREAD_END, 0, sizeof *record);
      record->ticks = ticks_now ();
      record_end (ring, sizeof *record);
    }
  __atomic_store_n (&owners[ring->slot], 0, __ATOMIC_RELEASE);
  __atomic_fetch_add (&free_rings, 1, __ATOMIC_RELEASE);
}

void
ring_leave (void)
{
  struct ring *ring = ring_self;
  ring_self = NULL;	/* an event from here on takes a ring anew */
  __atomic_signal_fence (__ATOMIC_SEQ_CST);
  if (!ring || ring->generation != local_generation () || ring->busy)
    return;
  if (ring->nested)
    give_up (ring->nested);
  give_up (ring);
}

void
ring_forget (void)
{
  uint32_t count = ring_count;
  ring_self = NULL;
  for (uint32_t i = 0; i < count && i < RING_LIMIT; i++)
    {
      struct ring *ring = rings[i];
      owners[i] = 0;
      if (!ring)
	continue;
      /* The forking thread may be in the middle of a record, below a handler:
	 it will finish it in the parent's chunk, with the parent's bytes.  */
      if (ring->busy && ring->chunk)
	{
	  rings[i] = NULL;
	  continue;
	}
      if (ring->chunk)
	system_unmap (ring->chunk, ring->chunk->bytes);
      memset (ring, 0, offsetof (struct ring, site));	/* no tag, no site */
    }
  ring_count = 0;
  free_rings = 0;
}

/* -- what is said in the stream besides events */

static void
announce (struct ring *ring, uint64_t now)
{
  if (ring->announce)
    {
      struct capture_thread *record = ring_room (ring, sizeof *record);
      if (!record)
	return;
      memset (record, 0, sizeof *record);
      record_head (&record->record, CAPTURE_RECORD_THREAD, 0, sizeof *record);
      record->thread = ring->thread;
      record->tid = ring->tid;
      record->level = ring->level;
      record->sequence = ring->sequence;
      record->ticks = now;
      SYSTEM2 (SYS_prctl, 16 /* PR_GET_NAME */, record->name);
      ring->position += sizeof *record;
      ring->announce = 0;
      ring->told = 0;	/* which no pair is */
      ring->opened = 0;
    }
  if (ring->pending)
    {
      struct capture_dropped *record = ring_room (ring, sizeof *record);
      if (!record)
	return;
      record_head (&record->record, CAPTURE_RECORD_DROPPED, 0, sizeof *record);
      record->count = ring->pending;
      record->first_ticks = ring->pending_first;
      record->last_ticks = ring->pending_last;
      ring->position += sizeof *record;
      ring->pending = 0;
    }
  ring_commit (ring);
}

void
ring_drop (struct ring *ring, uint64_t now)
{
  if (ring->pending++ == 0)
    ring->pending_first = now;
  ring->pending_last = now;
  ring->dropped++;
  __atomic_fetch_add (&control.process.dropped_space, 1, __ATOMIC_RELAXED);
}

/* No event: what a device did, or had.  */
void
ring_drop_operation (void)
{
  __atomic_fetch_add (&control.process.dropped_operations, 1, __ATOMIC_RELAXED);
}

/* -- chunks */

/* What the chunks of all rings hold of the file system.  */
uint64_t
ring_bytes (void)
{
  uint64_t given_back
    = __atomic_load_n (&control.process.recycled_bytes, __ATOMIC_RELAXED)
    + __atomic_load_n (&control.process.released_bytes, __ATOMIC_ACQUIRE);
  uint64_t taken
    = __atomic_load_n (&control.process.allocated_bytes, __ATOMIC_RELAXED);
  return taken > given_back ? taken - given_back : 0;
}

/* Whether BYTES more are within the ceiling and half of the space that would be
   free without us.  */
static int
within_limits (int file, uint64_t offset, uint64_t bytes)
{
  uint64_t used = ring_bytes ();
  if (used + bytes > control.process.limit_bytes)
    return 0;
  struct statfs system;
  if (SYSTEM2 (SYS_fstatfs, file, &system) == 0 && system.f_blocks)
    {
      uint64_t free = (uint64_t) system.f_bavail * (uint64_t) system.f_bsize;
      if (used + bytes > (free + used) / 2)
	return 0;
    }
  return system_size_allowed (offset + bytes);
}

static int
on_tmpfs (int file)
{
  struct statfs system;
  return SYSTEM2 (SYS_fstatfs, file, &system) == 0
    && system.f_type == 0x01021994 /* TMPFS_MAGIC */;
}

/* Take the space from the file system.  On tmpfs by writing, which leaves pages
   that need not be cleared again when they are mapped: a third less time.  */
static int
allocate (int file, int tmpfs, uint64_t offset, uint64_t bytes)
{
  int result = -EOPNOTSUPP;
  if (!tmpfs)
    result = system_fallocate (file, 0, offset, bytes);
  if (result != -EOPNOTSUPP && result != -ENOSYS)
    return result;
  static const char zeros[CAPTURE_CHUNK_SMALL];
  for (uint64_t done = 0; done < bytes; )
    {
      uint64_t size = bytes - done < sizeof zeros ? bytes - done : sizeof zeros;
      long written = SYSTEM4 (SYS_pwrite64, file, zeros, size, offset + done);
      if (written == -EINTR)
	continue;
      if (written <= 0)
	return written < 0 ? (int) written : -EIO;
      done += (uint64_t) written;
    }
  return 0;
}

/* Maps what has been allocated, with its pages.  Other file systems than tmpfs want to
   know which are written to, so theirs are mapped for that: else an event would find
   one in its way every four kilobytes.  */
static void *
map_chunk (int file, int tmpfs, uint64_t offset, uint64_t bytes)
{
  if (!tmpfs)
    {
      void *mapped = system_map (NULL, bytes, MAP_SHARED, file, offset);
      if (!mapped
	  || SYSTEM3 (SYS_madvise, mapped, bytes, 23 /* MADV_POPULATE_WRITE, Linux 5.14 */) == 0)
	return mapped;
      system_unmap (mapped, bytes);
    }
  return system_map (NULL, bytes, MAP_SHARED | MAP_POPULATE, file, offset);
}

static struct capture_chunk *
chunk_take (struct ring *ring)
{
  char path[PATH_LIMIT];
  uint64_t bytes = chunk_bytes (ring->chunks);
  uint64_t offset = chunk_offset (ring->chunks);
  ring_path (path, ring->slot);
  int file = system_open (path, O_RDWR | O_CREAT, 0600);
  if (file < 0)
    return NULL;
  void *mapped = NULL;
  if (within_limits (file, offset, bytes))
    {
      int tmpfs = on_tmpfs (file);
      if (allocate (file, tmpfs, offset, bytes) == 0)
	mapped = map_chunk (file, tmpfs, offset, bytes);
      if (mapped)
	__atomic_fetch_add (&control.process.allocated_bytes, bytes,
			    __ATOMIC_RELAXED);
      else	/* what there was of it */
	system_fallocate (file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			  offset, bytes);
    }
  system_close (file);
  return mapped;
}

/* Whether a live collector, which gives chunks back, holds the session's lock.
   This only asks: taking it could get into the way of a collector that starts.  */
static int
collector_alive (void)
{
  if (!settings.session[0] || settings.hasty)
    return 0;
  char path[PATH_LIMIT];
  path_append (path, 0, settings.session, "/lock");
  int file = system_open (path, O_RDONLY, 0);
  if (file < 0)
    return 0;
  struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
  int alive = SYSTEM3 (SYS_fcntl, file, F_OFD_GETLK, &lock) == 0
    && lock.l_type != F_UNLCK;
  system_close (file);
  return alive;
}

/* Wait up to 100 ms for the collector to give a chunk back.  */
static struct capture_chunk *
chunk_wait (struct ring *ring)
{
  struct capture_chunk *chunk = NULL;
  uint64_t start = clock_monotonic (), now = start;
  uint64_t seen = __atomic_load_n (&control.process.released_bytes, __ATOMIC_ACQUIRE);
  __atomic_fetch_add (&control.process.waits, 1, __ATOMIC_RELAXED);
  while (!chunk && now - start < 100000000)
    {
      system_sleep (1000000);
      now = clock_monotonic ();
      uint64_t released
	= __atomic_load_n (&control.process.released_bytes, __ATOMIC_ACQUIRE);
      if (released != seen)
	chunk = chunk_take (ring);
      seen = released;
    }
  __atomic_fetch_add (&control.process.wait_nanoseconds, now - start,
		      __ATOMIC_RELAXED);
  return chunk;
}

static void
chunk_begin (struct ring *ring, struct capture_chunk *chunk, uint64_t now)
{
  struct capture_chunk *old = ring->chunk;
  chunk->version = CAPTURE_VERSION;
  chunk->header_bytes = sizeof *chunk;
  chunk->index = ring->chunks;
  chunk->bytes = chunk_bytes (ring->chunks);
  chunk->thread = ring->thread;
  chunk->tid = ring->tid;
  chunk->level = ring->level;
  chunk->sequence = ring->sequence;
  chunk->dropped = ring->dropped;
  clock_read (&chunk->clock);
  chunk->clock.number = 1;
  chunk->committed = sizeof *chunk;
  __atomic_store_n (&chunk->magic, CAPTURE_CHUNK_MAGIC, __ATOMIC_RELEASE);
  ring->chunk = chunk;
  ring->position = (char *) (chunk + 1);
  ring->end = (char *) chunk + chunk->bytes;
  ring->limit = ring->end - RECORD_ROOM;
  ring->chunks++;	/* frees the tables' entries */
  ring->epoch = __atomic_add_fetch (&epochs, 1, __ATOMIC_RELAXED);
  memset (ring->site_tag, 0, sizeof ring->site_tag);
  ring->described = 0;
  ring->sites = ring->contexts = ring->strings = 0;
  ring->last = ring->none.next = &ring->none;
  ring->none.told = 0;
  ring->ticks = 0;
  ring->told = 0;
  ring->opened = 0;
  if (old)
    system_unmap (old, old->bytes);
  flight_add (ring->slot, chunk->index, now);
}

/* A further chunk; 0, or -1: there is none now.  */
int
ring_more (struct ring *ring, uint64_t now)
{
  uint64_t released
    = __atomic_load_n (&control.process.released_bytes, __ATOMIC_ACQUIRE);
  if (ring->blocked_until
      && now < ring->blocked_until && released == ring->blocked_released)
    return -1;
  struct capture_chunk *chunk = chunk_take (ring);
  if (!chunk && (!ring->blocked_until || released != ring->blocked_released)
      && collector_alive ())
    chunk = chunk_wait (ring);
  if (!chunk)
    {
      ring->blocked_until = ticks_now () + 10 * clock_millisecond;
      ring->blocked_released
	= __atomic_load_n (&control.process.released_bytes, __ATOMIC_ACQUIRE);
      return -1;
    }
  ring->blocked_until = 0;
  chunk_begin (ring, chunk, now);
  announce (ring, now);
  return 0;
}

/* -- entering: everything that is not the plain case */

static void
act_on_switch (struct ring *ring, uint32_t armed, uint64_t now)
{
  int first = ring->armed == 0;
  ring->armed = armed;
  struct capture_switch *record = ring_room (ring, sizeof *record);
  if (first || !ring->chunk || !record)
    return;
  record_head (&record->record, CAPTURE_RECORD_SWITCH, 0, sizeof *record);
  record->ticks = now;
  record->armed = armed;
  record_end (ring, sizeof *record);
}

/* The calling thread's ring for an event, or null: not to be recorded.  */
struct ring *
ring_enter (uint32_t armed, uint64_t now)
{
  if (local_generation () == 0)
    {
      if (process_begin () < 0)
	return NULL;
      armed = __atomic_load_n (&control.process.armed, __ATOMIC_RELAXED);
      if (!(armed & 1))
	return NULL;
    }
  struct ring *ring = ring_self;
  if (!ring || ring->generation != local_generation ())
    {
      ring = take (0);
      if (!ring)
	{
	  __atomic_fetch_add (&control.process.dropped_threads, 1,
			      __ATOMIC_RELAXED);
	  return NULL;
	}
      ring_self = ring;
      if (thread_end_usable)
	pthread_setspecific (thread_end, ring);
    }
  if (ring->busy)	/* in a handler that interrupted a record */
    {
      struct ring *outer = ring;
      ring = outer->nested;
      if (!ring)
	{
	  /* a handler in this handler finds the place taken */
	  ring = take (1);
	  if (!ring)
	    {
	      __atomic_fetch_add (&control.process.dropped_threads, 1,
				  __ATOMIC_RELAXED);
	      return NULL;
	    }
	  outer->nested = ring;
	}
      if (ring->busy)
	{
	  __atomic_fetch_add (&control.process.dropped_nested, 1,
			      __ATOMIC_RELAXED);
	  return NULL;
	}
    }
  ring->busy = 1;
  __atomic_signal_fence (__ATOMIC_SEQ_CST);
  if (ring->chunk && (ring->announce || ring->pending))
    announce (ring, now);
  if (ring->armed != armed)
    {
      act_on_switch (ring, armed, now);
      activity_snapshot (ring, armed, now);
    }
  return ring;
}
