/* Which side of a mapping has changed what, since both had the same.  The device's changes are
   seen, and the host's where its code tells of them (host.c); else they are looked for when a
   kernel is launched, by blocks, of which the hash is kept.  */
#define _GNU_SOURCE
#include "shadow.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

uint64_t
accscope_simt_nanoseconds (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return (uint64_t) now.tv_sec * 1000000000 + (uint64_t) now.tv_nsec;
}

int
accscope_simt_host_memory (uintptr_t at, void *to, size_t bytes)
{
  struct iovec local = { to, bytes }, remote = { (void *) at, bytes };

  return process_vm_readv (getpid (), &local, 1, &remote, 1, 0) == (ssize_t) bytes;
}

uint32_t
accscope_simt_hash (const void *block, size_t bytes)
{
  uint64_t words[BLOCK / 8] = { 0 }, sum = 0x9e3779b97f4a7c15;

  memcpy (words, block, bytes);
  for (unsigned n = 0; n < BLOCK / 8; n++)
    {
      sum = (sum ^ words[n]) * 0xff51afd7ed558ccd;
      sum ^= sum >> 32;
    }
  return (uint32_t) sum | 1;
}

/* Whether the host has what the device has of a block.  */
static int
still (const struct accscope_simt_shadow *s, size_t block)
{
  const size_t bytes = block_bytes (s, block);
  char host[BLOCK];

  return s->host && accscope_simt_host_memory (s->host + block * BLOCK, host, bytes) && memcmp (host, (const char *) s->begin + block * BLOCK, bytes) == 0;
}

/* Both sides have the same in these bytes: of blocks in which they have all the same that is kept.  What
   is no block as a whole may be no variable of the program's unless the runtime says so.  */
void
accscope_simt_same (struct accscope_simt_memory *m, uintptr_t device, uintptr_t host, size_t bytes, int brought)
{
  struct accscope_simt_shadow *s = accscope_simt_memory_find (m, device).shadow;
  size_t at, end;
  int own;

  if (!s || bytes == 0 || bytes > s->bytes - (device - s->begin))
    return;
  at = device - s->begin;
  end = at + bytes;
  if (!s->mapped && s->host != host - at)
    {
      if (s->host)
	memset (s->agreed, 0, (s->bytes / BLOCK + 1) * sizeof *s->agreed);
      s->host = host - at;
    }
  s->met = 1;
  if (bytes == s->bytes)
    RELAXED_STORE (&s->first_change, 0);
  own = s->host == host - at; /* else it goes by way of memory of the runtime's, which may be the same still */
  for (size_t n = at / BLOCK; n * BLOCK < end; n++)
    {
      const size_t size = block_bytes (s, n);
      const int whole = n * BLOCK >= at && n * BLOCK + size <= end;
      const uint64_t bits = bits_in (n, at, end);

      if (RELAXED_LOAD (&s->by_host[n]) & bits)
	{
	  if (!brought)
	    accscope_simt_later (s->checker, s->serial, device, bytes);
	  __atomic_fetch_and (&s->by_host[n], ~bits, __ATOMIC_RELAXED);
	}
      if (s->unread && RELAXED_LOAD (&s->unread[n]) & bits)
	__atomic_fetch_and (&s->unread[n], ~bits, __ATOMIC_RELAXED);
      if (RELAXED_LOAD (&s->by_device[n]) & bits)
	__atomic_fetch_and (&s->by_device[n], ~bits, __ATOMIC_RELAXED);
      RELAXED_STORE (&s->agreed[n], (size == BLOCK || s->mapped) && ((whole && own) || still (s, n)) ? accscope_simt_hash ((const char *) s->begin + n * BLOCK, size) : 0);
    }
  if (own && brought)
    accscope_simt_undiscard (host, bytes);
}

int
accscope_simt_changed_by_host (const struct accscope_simt_shadow *s)
{
  for (size_t n = 0; n * BLOCK < s->bytes; n++)
    if (RELAXED_LOAD (&s->by_host[n]))
      return 1;
  return 0;
}

void
accscope_simt_give_out (struct accscope_simt_memory *m, uintptr_t begin, size_t bytes)
{
  struct accscope_simt_shadow *s = accscope_simt_memory_find (m, begin).shadow;

  if (!s)
    return;
  accscope_simt_written (m, begin, bytes);
  s->given_out = 1;
}

/* Looks for what the host has changed of an allocation.  */
static void
compare (struct accscope_simt_shadow *s, uint32_t launches)
{
  enum { AT_ONCE = 256 };
  char host[AT_ONCE * BLOCK];
  const size_t blocks = (s->bytes + BLOCK - 1) / BLOCK;

  for (size_t n = 0; n < blocks; n += AT_ONCE)
    {
      const size_t count = blocks - n < AT_ONCE ? blocks - n : AT_ONCE;

      if (!accscope_simt_host_memory (s->host + n * BLOCK, host, (count - 1) * BLOCK + block_bytes (s, n + count - 1)))
	{
	  if (errno == EPERM || errno == ENOSYS)
	    RELAXED_STORE (&s->checker->looked_at.unreadable, 1);
	  return;
	}
      for (size_t i = n; i < n + count; i++)
	{
	  uint32_t agreed = RELAXED_LOAD (&s->agreed[i]);

	  if (!agreed || s->given_out || RELAXED_LOAD (&s->by_device[i]))
	    continue;
	  if (accscope_simt_hash (host + (i - n) * BLOCK, block_bytes (s, i)) == agreed)
	    RELAXED_STORE (&s->by_host[i], 0);
	  else if (!RELAXED_LOAD (&s->by_host[i])) /* else it was seen */
	    {
	      RELAXED_STORE (&s->since[i], launches - 1);
	      RELAXED_STORE (&s->by_host[i], bits_of (0, block_bytes (s, i)));
	    }
	}
    }
}

/* Not for longer than operations have run, and half a second.  */
void
accscope_simt_launched (struct accscope_simt_checker *c)
{
  const uint64_t begin = accscope_simt_nanoseconds ();

  const uint32_t launches = (uint32_t) __atomic_add_fetch (&c->looked_at.launches, 1, __ATOMIC_RELAXED);

  if (RELAXED_LOAD (&c->comparing) > RELAXED_LOAD (&c->ran) + 500000000)
    return;
  __atomic_fetch_add (&c->looked_at.compared, 1, __ATOMIC_RELAXED);
  pthread_mutex_lock (&c->lock);
  for (struct accscope_simt_shadow *s = c->shadows; s; s = s->next)
    if (s->host)
      compare (s, launches);
  pthread_mutex_unlock (&c->lock);
  __atomic_fetch_add (&c->comparing, accscope_simt_nanoseconds () - begin, __ATOMIC_RELAXED);
}

/* The first granule of a range that a kernel has written, if no later operation has read it, nor
   that one itself unless it may; end where there is none.  Where somebody has read of the
   block, the others were for nobody, or are read later.  */
static size_t
unread (const struct accscope_simt_shadow *s, size_t at, size_t end, int itself)
{
  size_t block = at / BLOCK;

  while (block * BLOCK < end && !(RELAXED_LOAD (&s->by_device[block]) & bits_in (block, at, end)))
    block++;
  for (size_t n = block * BLOCK; n < end && n < (block + 1) * BLOCK; n += GRANULE)
    {
      const struct cell written = unpacked (cell_of (s, 1, n / GRANULE), 1), read = unpacked (cell_of (s, 0, n / GRANULE), 0);

      if (n >= at && RELAXED_LOAD (&s->by_device[block]) & bits_in (block, n, n + GRANULE) && written.site
	  && read.number < written.number + (uint32_t) itself)
	return n;
    }
  return end;
}

void
accscope_simt_overwrite (struct accscope_simt_shadow *s, size_t at, size_t bytes)
{
  const size_t end = at + bytes, found = s->given_out ? end : unread (s, at, end, 0);

  if (found < end)
    accscope_simt_blame (s, FOUND_LOST_WRITE, found, GRANULE);
}

/* Where the device has changed it before, the host may have used it as it liked.  */
void
accscope_simt_revert (struct accscope_simt_operation *o, struct accscope_simt_memory *m, uintptr_t from, size_t bytes)
{
  struct accscope_simt_shadow *s = accscope_simt_memory_find (m, from).shadow;
  const size_t at = s ? from - s->begin : 0, end = at + bytes;

  if (!s || !s->unread || !s->host || s->given_out || bytes > s->bytes - at)
    return;
  for (size_t n = at / BLOCK; n * BLOCK < end; n++)
    for (uint64_t rest = RELAXED_LOAD (&s->by_host[n]) & RELAXED_LOAD (&s->unread[n]) & bits_in (n, at, end); rest; rest &= rest - 1)
      {
	const size_t byte = n * BLOCK + (size_t) __builtin_ctzll (rest);

	if (!s->host_sites[byte / GRANULE] || *(const char *) (s->host + byte) == *(const char *) (s->begin + byte))
	  continue;
	const size_t wide = (RELAXED_LOAD (&s->by_host[n]) >> (byte % BLOCK & ~(size_t) 7) & 0xff) == 0xff ? 8
			    : (RELAXED_LOAD (&s->by_host[n]) >> (byte % BLOCK & ~(size_t) 3) & 0xf) == 0xf ? 4 : 1;
	struct accscope_simt_finding f = {
	  .kind = FOUND_LOST_WRITE, .address = s->begin + (byte & ~(wide - 1)), .bytes = wide, .count = 1, .nearest = { s->begin, s->begin + s->bytes, NULL },
	  .side = accscope_simt_host_side (s->host_sites[byte / GRANULE], 1), .other = { .operation = o->kind, .correlation = o->correlation, .thread = UINT32_MAX },
	  .later = (RELAXED_LOAD (&s->by_device[n]) >> byte % BLOCK & 1) != 0
	};

	accscope_simt_tell_of (o->checker, &f);
	return;
      }
}

void
accscope_simt_discard (struct accscope_simt_shadow *s)
{
  /* What was never on the host may be nothing but scratch memory, which its own kernel reads.  */
  const size_t end = !s->host || s->given_out || (!s->met && s->host_sites) ? 0 : s->bytes, found = unread (s, 0, end, s->met);

  if (found < end)
    accscope_simt_blame (s, FOUND_STALE_ON_HOST, found, GRANULE);
}

void
accscope_simt_left (struct accscope_simt_checker *c)
{
  struct accscope_simt_shadow *s;

  /* Nothing runs any more, and nothing is allocated.  */
  for (s = c->shadows; s; s = s->next)
    accscope_simt_discard (s);
}
