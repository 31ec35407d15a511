/* Which side of a mapping has changed what, since both had the same: by blocks, of which the
   hash is kept.  The device's changes are seen, the host's are looked for when a kernel is
   launched.  */
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

/* Of a block; never 0.  */
static uint32_t
hash (const void *block)
{
  uint64_t words[BLOCK / 8], sum = 0x9e3779b97f4a7c15;

  memcpy (words, block, BLOCK);
  for (unsigned n = 0; n < BLOCK / 8; n++)
    {
      sum = (sum ^ words[n]) * 0xff51afd7ed558ccd;
      sum ^= sum >> 32;
    }
  return (uint32_t) sum | 1;
}

/* Both sides have the same in these bytes: of whole blocks that is kept.  */
void
accscope_simt_same (struct accscope_simt_memory *m, uintptr_t device, uintptr_t host, size_t bytes)
{
  struct accscope_simt_shadow *s = accscope_simt_memory_find (m, device).shadow;
  size_t at, end;

  if (!s || bytes == 0 || bytes > s->bytes - (device - s->begin))
    return;
  at = device - s->begin;
  end = at + bytes;
  if (s->host && s->host != host - at)
    memset (s->agreed, 0, (s->bytes / BLOCK + 1) * sizeof *s->agreed);
  s->host = host - at;
  for (size_t n = at / BLOCK; n * BLOCK < end; n++)
    {
      const int whole = n * BLOCK >= at && (n + 1) * BLOCK <= end;

      if (RELAXED_LOAD (&s->changed[n]) & BY_HOST)
	accscope_simt_later (s->checker, s->begin);
      RELAXED_STORE (&s->agreed[n], whole ? hash ((const char *) s->begin + n * BLOCK) : 0);
      RELAXED_STORE (&s->changed[n], 0);
    }
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
compare (struct accscope_simt_shadow *s)
{
  char host[64 * BLOCK];
  const size_t blocks = s->bytes / BLOCK;

  for (size_t n = 0; n < blocks; n += 64)
    {
      const size_t count = blocks - n < 64 ? blocks - n : 64;

      if (!accscope_simt_host_memory (s->host + n * BLOCK, host, count * BLOCK))
	{
	  if (errno == EPERM || errno == ENOSYS)
	    RELAXED_STORE (&s->checker->looked_at.unreadable, 1);
	  return;
	}
      for (size_t i = n; i < n + count; i++)
	{
	  uint32_t agreed = RELAXED_LOAD (&s->agreed[i]);

	  if (agreed && !s->given_out && !(RELAXED_LOAD (&s->changed[i]) & BY_DEVICE))
	    RELAXED_STORE (&s->changed[i], hash (host + (i - n) * BLOCK) == agreed ? 0 : BY_HOST);
	}
    }
}

/* Not for longer than operations have run, and half a second.  */
void
accscope_simt_launched (struct accscope_simt_checker *c)
{
  const uint64_t begin = accscope_simt_nanoseconds ();

  __atomic_fetch_add (&c->looked_at.launches, 1, __ATOMIC_RELAXED);
  if (RELAXED_LOAD (&c->comparing) > RELAXED_LOAD (&c->ran) + 500000000)
    return;
  __atomic_fetch_add (&c->looked_at.compared, 1, __ATOMIC_RELAXED);
  pthread_mutex_lock (&c->lock);
  for (struct accscope_simt_shadow *s = c->shadows; s; s = s->next)
    if (s->host)
      compare (s);
  pthread_mutex_unlock (&c->lock);
  __atomic_fetch_add (&c->comparing, accscope_simt_nanoseconds () - begin, __ATOMIC_RELAXED);
}

/* The first block of a range that the device has changed; end where there is none.  */
static size_t
dirty (const struct accscope_simt_shadow *s, size_t block, size_t end)
{
  while (block < end && !(RELAXED_LOAD (&s->changed[block]) & BY_DEVICE))
    block++;
  return block;
}

/* The first granule of a block that a kernel has written, and that no later operation has
   read, nor that one itself unless it may; that behind the block where there is none.  */
static size_t
unread (const struct accscope_simt_shadow *s, size_t block, int itself)
{
  size_t n = block * (BLOCK / GRANULE), end = n + BLOCK / GRANULE;

  for (; n < end && n * GRANULE < s->bytes; n++)
    {
      const struct cell written = unpacked (RELAXED_LOAD (&s->written[n]), 1), read = unpacked (RELAXED_LOAD (&s->read[n]), 0);

      if (written.site && read.number < written.number + (uint32_t) itself)
	return n;
    }
  return end;
}

/* Tells what nobody has read of a block, unless it is the end.  Where somebody has read of the
   first one that was changed, the others were for nobody, or are read later.  */
static void
blame_unread (struct accscope_simt_shadow *s, enum accscope_simt_found kind, size_t block, size_t end, int itself)
{
  size_t granule;

  if (block < end && (granule = unread (s, block, itself)) < (block + 1) * (BLOCK / GRANULE))
    accscope_simt_blame (s, kind, granule * GRANULE, GRANULE);
}

void
accscope_simt_overwrite (struct accscope_simt_shadow *s, size_t at, size_t bytes)
{
  const size_t first = (at + BLOCK - 1) / BLOCK, end = s->given_out ? first : (at + bytes) / BLOCK;

  blame_unread (s, FOUND_LOST_WRITE, dirty (s, first, end), end, 0);
}

void
accscope_simt_discard (struct accscope_simt_shadow *s)
{
  const size_t end = s->bytes / BLOCK;

  blame_unread (s, FOUND_STALE_ON_HOST, s->host && !s->given_out ? dirty (s, 0, end) : end, end, 1);
}

void
accscope_simt_left (struct accscope_simt_checker *c)
{
  struct accscope_simt_shadow *s;

  /* Nothing runs any more, and nothing is allocated.  */
  for (s = c->shadows; s; s = s->next)
    accscope_simt_discard (s);
}
