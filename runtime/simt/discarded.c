/* Memory of the host's that was on a device and is not any more, where kernels have changed it and
   the host never got that.  It may have been scratch memory.  Where the host's code reads it, or
   uploads it and a kernel reads it there, the result is missed.  */
#define _GNU_SOURCE
#include "shadow.h"

#include <stdlib.h>
#include <string.h>

/* The largest part of the host's memory that these may take, in bytes.  */
#define MOST_KEPT ((size_t) 256 << 20)

struct discarded
{
  struct discarded *next;
  struct accscope_simt_checker *checker;
  uint32_t forgotten;		/* of the checker's, when it was made: cells tell of accesses since then */
  uintptr_t host, device;	/* where the first byte was */
  size_t bytes;
  int met;			/* both sides had the same once */
  uint64_t *missed;		/* by block, a bit a byte, atomic */
  uint64_t *written;		/* by granule, the cell of the writer */
  char *was;			/* what the host had */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct discarded *all;	/* the newest first; atomic for those who look whether there are any */
static size_t kept;

static void
take (void)
{
  accscope_simt_unseen (1);
  pthread_mutex_lock (&lock);
}

static void
give (void)
{
  pthread_mutex_unlock (&lock);
  accscope_simt_unseen (0);
}

static size_t
size_of (size_t bytes)
{
  return 4 * bytes;
}

static void
drop (struct discarded **place)
{
  struct discarded *d = *place;

  accscope_simt_watch (d->host, d->bytes, 0);
  kept -= size_of (d->bytes);
  __atomic_store_n (place, d->next, __ATOMIC_RELAXED);
  free (d->missed);
  free (d->written);
  free (d->was);
  free (d);
}

/* Bytes [*first, *last) of it that a range has, as offsets; 0: none.  */
static int
overlap (const struct discarded *d, uintptr_t begin, uintptr_t end, size_t *first, size_t *last)
{
  if (begin >= d->host + d->bytes || end <= d->host)
    return 0;
  *first = begin > d->host ? begin - d->host : 0;
  *last = end < d->host + d->bytes ? end - d->host : d->bytes;
  return 1;
}

/* lock is held.  */
static void
undiscard (uintptr_t begin, uintptr_t end)
{
  size_t first, last;

  for (struct discarded **place = &all; *place;)
    {
      struct discarded *d = *place;

      if (begin <= d->host && end >= d->host + d->bytes)
	{
	  drop (place);
	  continue;
	}
      if (overlap (d, begin, end, &first, &last))
	for (size_t n = first / BLOCK; n * BLOCK < last; n++)
	  d->missed[n] &= ~bits_in (n, first, last);
      place = &d->next;
    }
}

void
accscope_simt_undiscard (uintptr_t host, size_t bytes)
{
  if (bytes == 0 || !__atomic_load_n (&all, __ATOMIC_RELAXED))
    return;
  take ();
  undiscard (host, host + bytes);
  give ();
}

void
accscope_simt_forget_discarded (const struct accscope_simt_checker *c)
{
  take ();
  for (struct discarded **place = &all; *place;)
    if ((*place)->checker == c)
      drop (place);
    else
      place = &(*place)->next;
  give ();
}

/* What kernels have changed of a block, and the host does not have.  */
static uint64_t
missed_in (const struct accscope_simt_shadow *s, size_t block, const char *host)
{
  uint64_t missed = RELAXED_LOAD (&s->by_device[block]) & ~RELAXED_LOAD (&s->by_host[block]);

  for (uint64_t rest = missed; rest; rest &= rest - 1)
    {
      const size_t byte = block * BLOCK + (size_t) __builtin_ctzll (rest);

      if (byte >= s->bytes || host[byte] == *(const char *) (s->begin + byte))
	missed &= ~(rest & -rest);
    }
  return missed;
}

void
accscope_simt_keep_discarded (struct accscope_simt_shadow *s)
{
  const size_t blocks = s->bytes / BLOCK + 1, granules = (s->bytes + GRANULE - 1) / GRANULE + 1;
  uint64_t any = 0;
  struct discarded *d;

  for (size_t n = 0; n < blocks && !any; n++)
    any = RELAXED_LOAD (&s->by_device[n]);
  if (!any || s->checker->ended || !s->host || s->given_out || size_of (s->bytes) > MOST_KEPT || !(d = calloc (1, sizeof *d)))
    return;
  d->missed = calloc (blocks, sizeof *d->missed);
  d->written = malloc (granules * sizeof *d->written);
  d->was = malloc (s->bytes);
  if (d->missed && d->written && d->was && accscope_simt_host_memory (s->host, d->was, s->bytes))
    {
      any = 0;
      for (size_t n = 0; n < blocks; n++)
	any |= d->missed[n] = missed_in (s, n, d->was);
    }
  else
    any = 0;
  if (!any)
    {
      free (d->missed);
      free (d->written);
      free (d->was);
      free (d);
      return;
    }
  for (size_t n = 0; n < granules; n++)
    d->written[n] = cell_of (s, 1, n);
  d->checker = s->checker;
  d->forgotten = RELAXED_LOAD (&s->checker->forgotten);
  d->host = s->host;
  d->device = s->begin;
  d->bytes = s->bytes;
  d->met = s->met;
  take ();
  undiscard (d->host, d->host + d->bytes);
  kept += size_of (d->bytes);
  d->next = all;
  __atomic_store_n (&all, d, __ATOMIC_RELAXED);
  accscope_simt_watch (d->host, d->bytes, 1);
  while (kept > MOST_KEPT)
    {
      struct discarded **place = &all;

      while ((*place)->next)
	place = &(*place)->next;
      drop (place);
    }
  give ();
}

/* Whether the host has that byte as it was.  Memory that has other values was written unseen.  */
static int
is_missed (struct discarded *d, size_t byte)
{
  if (!(d->missed[byte / BLOCK] >> byte % BLOCK & 1))
    return 0;
  if (*(const char *) (d->host + byte) == d->was[byte])
    return 1;
  d->missed[byte / BLOCK] &= ~((uint64_t) 1 << byte % BLOCK);
  return 0;
}

static struct accscope_simt_side
writer (const struct discarded *d, size_t byte)
{
  struct accscope_simt_side unknown = { .operation = SIMT_KERNEL, .store = 1, .thread = UINT32_MAX };

  if (RELAXED_LOAD (&d->checker->forgotten) != d->forgotten)
    return unknown;
  return accscope_simt_writer (d->checker, d->written[byte / GRANULE]);
}

void
accscope_simt_read_discarded (uintptr_t host, size_t bytes, uintptr_t returned)
{
  size_t first, last;

  if (!__atomic_load_n (&all, __ATOMIC_RELAXED))
    return;
  take ();
  for (struct discarded *d = all; d; d = d->next)
    if (overlap (d, host, host + bytes, &first, &last))
      for (size_t byte = first; byte < last; byte++)
	if (is_missed (d, byte))
	  {
	    struct accscope_simt_finding f = {
	      .kind = FOUND_STALE_ON_HOST, .address = d->device + first, .bytes = bytes, .count = 1, .unequal = 1, .gone = 1,
	      .side = { .operation = SIMT_HOST, .returned = returned, .thread = UINT32_MAX }, .other = writer (d, byte)
	    };

	    accscope_simt_tell_of (d->checker, &f);
	    break;
	  }
  give ();
}

/* lock is held.  */
static void
taint (struct accscope_simt_shadow *s, size_t at, size_t end)
{
  size_t first, last;

  for (struct discarded *d = all; d; d = d->next)
    if (d->checker == s->checker && overlap (d, s->host + at, s->host + end, &first, &last))
      for (size_t byte = first; byte < last; byte++)
	{
	  const size_t there = d->host + byte - s->host;

	  if (!is_missed (d, byte))
	    continue;
	  if (!s->tainted)
	    {
	      uint64_t *tainted = calloc (s->bytes / BLOCK + 1, sizeof *s->tainted);

	      if (!tainted)
		return;
	      s->tainted_by = writer (d, byte);
	      s->tainted_scratch = !d->met;
	      __atomic_store_n (&s->tainted, tainted, __ATOMIC_RELEASE);
	    }
	  __atomic_fetch_or (&s->tainted[there / BLOCK], (uint64_t) 1 << there % BLOCK, __ATOMIC_RELAXED);
	}
}

void
accscope_simt_taint (struct accscope_simt_shadow *s, size_t at, size_t bytes, int uploaded)
{
  const size_t end = at + bytes;

  if (s->tainted)
    for (size_t n = at / BLOCK; n * BLOCK < end; n++)
      __atomic_fetch_and (&s->tainted[n], ~bits_in (n, at, end), __ATOMIC_RELAXED);
  if (!uploaded || !s->host_sites || !s->host || !__atomic_load_n (&all, __ATOMIC_RELAXED))
    return;
  take ();
  taint (s, at, end);
  give ();
}
