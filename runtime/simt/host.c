/* Accesses of the host's code to memory that is on a device too, as the program itself tells of
   them where it was compiled with -fsanitize=thread (../hostaccess/).  */
#define _GNU_SOURCE
#include "shadow.h"

#include "../hostaccess/watch.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* Memory of the host's that is on a device.  */
struct span
{
  uintptr_t begin, end;
  struct accscope_simt_shadow *shadow;
};

/* A transfer that the host does not know to be over.  */
struct moving
{
  uintptr_t begin, end;		/* of the host's memory */
  uintptr_t device;
  struct accscope_simt_checker *checker;
  uint32_t queue;
  uint64_t sequence, correlation;
  enum accscope_simt_access kind;
};

static struct
{
  pthread_rwlock_t lock;
  struct span *spans;		/* in order, none over another one */
  size_t count, room;
  struct moving *moving;
  size_t moving_count, moving_room;	/* the count: atomic */
} host = { .lock = PTHREAD_RWLOCK_INITIALIZER };

/* What this thread does while it has one of the locks is not looked at: it frees memory, and a
   signal's handler may come in between.  */
static __thread volatile int inside;

void
accscope_simt_unseen (int is)
{
  inside += is ? 1 : -1;
}

static void
take (void)
{
  inside++;
  pthread_rwlock_wrlock (&host.lock);
}

static void
give (void)
{
  pthread_rwlock_unlock (&host.lock);
  inside--;
}

static struct accscope_host_watch *library;

static void tell (uintptr_t address, size_t bytes, enum accscope_host_access how, uintptr_t returned);

static void
find_library (void)
{
  struct accscope_host_watch *found = dlsym (RTLD_DEFAULT, ACCSCOPE_HOST_WATCH);

  if (!found || found->version != ACCSCOPE_WATCH_VERSION || !RELAXED_LOAD (&found->instrumented))
    return;
  found->tell = tell;
  library = found;
}

int
accscope_simt_watched (void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;

  pthread_once (&once, find_library);
  return library != NULL;
}

/* host.lock is held for writing, or discarded.c's lock.  */
void
accscope_simt_watch (uintptr_t begin, size_t bytes, int is)
{
  const uintptr_t end = begin + bytes;
  uintptr_t low, high;

  if (!accscope_simt_watched () || bytes == 0)
    return;
  for (uintptr_t page = begin >> ACCSCOPE_WATCH_PAGE_BITS; page <= (end - 1) >> ACCSCOPE_WATCH_PAGE_BITS; page++)
    __atomic_fetch_add (&library->pages[page % ACCSCOPE_WATCH_PAGES], is ? 1u : UINT32_MAX, __ATOMIC_RELAXED);
  low = RELAXED_LOAD (&library->low);
  while ((low == 0 || begin < low) && !__atomic_compare_exchange_n (&library->low, &low, begin, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    continue;
  high = RELAXED_LOAD (&library->high);
  while (end > high && !__atomic_compare_exchange_n (&library->high, &high, end, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    continue;
}

/* Places of the program, each once.  */
#define PLACES (1u << 16)
static uintptr_t places[PLACES];	/* atomic; 0: none */

uint16_t
accscope_simt_host_site (uintptr_t returned)
{
  uint32_t at = (uint32_t) (returned * 0x9e3779b97f4a7c15 >> 48);

  for (unsigned tried = 0; tried < 64; tried++, at = (at + 1) % PLACES)
    {
      uintptr_t there = RELAXED_LOAD (&places[at]);

      if (at == 0)
	continue;
      if (there == 0 && __atomic_compare_exchange_n (&places[at], &there, returned, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
	there = returned;
      if (there == returned)
	return (uint16_t) at;
    }
  return 0;
}

struct accscope_simt_side
accscope_simt_host_side (uint16_t site, int store)
{
  return (struct accscope_simt_side) { .operation = SIMT_HOST, .returned = RELAXED_LOAD (&places[site]), .store = store, .thread = UINT32_MAX };
}

/* The first span that ends behind an address.  */
static size_t
behind (uintptr_t address)
{
  size_t low = 0, high = host.count;

  while (low < high)
    {
      size_t middle = (low + high) / 2;

      if (host.spans[middle].end <= address)
	low = middle + 1;
      else
	high = middle;
    }
  return low;
}

static int
make_room (size_t more)
{
  if (host.count + more > host.room)
    {
      size_t room = 2 * (host.count + more) + 64;
      struct span *spans = realloc (host.spans, room * sizeof *spans);

      if (!spans)
	return 0;
      host.spans = spans;
      host.room = room;
    }
  return 1;
}

static void
take_out (size_t at)
{
  accscope_simt_watch (host.spans[at].begin, host.spans[at].end - host.spans[at].begin, 0);
  memmove (&host.spans[at], &host.spans[at + 1], (--host.count - at) * sizeof *host.spans);
}

static void
put_in (struct span span)
{
  const size_t at = behind (span.begin);

  memmove (&host.spans[at + 1], &host.spans[at], (host.count++ - at) * sizeof *host.spans);
  host.spans[at] = span;
  accscope_simt_watch (span.begin, span.end - span.begin, 1);
}

/* Has a range of nobody; of a span around it two are left.  There is room for them.  */
static void
cut (uintptr_t begin, uintptr_t end)
{
  for (size_t at; (at = behind (begin)) < host.count && host.spans[at].begin < end;)
    {
      const struct span old = host.spans[at];

      take_out (at);
      if (old.begin < begin)
	put_in ((struct span) { old.begin, begin, old.shadow });
      if (old.end > end)
	put_in ((struct span) { end, old.end, old.shadow });
    }
}

void
accscope_simt_map (struct accscope_simt_memory *m, uintptr_t device, uintptr_t at, size_t bytes)
{
  struct accscope_simt_shadow *s = accscope_simt_memory_find (m, device).shadow;

  if (!s || bytes == 0 || bytes > s->bytes - (device - s->begin))
    return;
  if (s->host && s->host != at - (device - s->begin))
    memset (s->agreed, 0, (s->bytes / BLOCK + 1) * sizeof *s->agreed);
  s->host = at - (device - s->begin);
  s->mapped = 1;
  if (!accscope_simt_watched ())
    return;
  take ();
  if (make_room (2))
    {
      cut (at, at + bytes);
      put_in ((struct span) { at, at + bytes, s });
    }
  give ();
}

void
accscope_simt_unmap (struct accscope_simt_memory *m, uintptr_t device, uintptr_t at, size_t bytes)
{
  struct accscope_simt_shadow *s = accscope_simt_memory_find (m, device).shadow;

  if (!s)
    return;
  accscope_simt_discard (s);
  accscope_simt_keep_discarded (s);
  if (s->host == at - (device - s->begin))
    s->host = 0;
  s->mapped = 0;
  if (!accscope_simt_watched ())
    return;
  take ();
  if (make_room (2))
    cut (at, at + bytes);
  give ();
}

static void
drop_moving (size_t n)
{
  accscope_simt_watch (host.moving[n].begin, host.moving[n].end - host.moving[n].begin, 0);
  host.moving[n] = host.moving[--host.moving_count];
}

void
accscope_simt_host_forget (struct accscope_simt_checker *c, const struct accscope_simt_shadow *s)
{
  if (!accscope_simt_watched ())
    return;
  take ();
  for (size_t at = host.count; at-- > 0;)
    if (s ? host.spans[at].shadow == s : host.spans[at].shadow->checker == c)
      take_out (at);
  for (size_t n = host.moving_count; !s && n-- > 0;)
    if (host.moving[n].checker == c)
      drop_moving (n);
  give ();
}

void
accscope_simt_moves (struct accscope_simt_checker *c, struct accscope_simt_memory *m, const struct accscope_simt_stamp *stamp, enum accscope_simt_access kind,
		     uint64_t correlation, uintptr_t device, size_t bytes)
{
  const struct accscope_simt_shadow *s;

  if (!accscope_simt_watched () || bytes == 0 || !(s = accscope_simt_memory_find (m, device).shadow) || !s->host)
    return;
  take ();
  for (size_t n = host.moving_count; n-- > 0;)
    if (accscope_simt_heard (host.moving[n].checker, host.moving[n].queue, host.moving[n].sequence))
      drop_moving (n);
  if (host.moving_count == host.moving_room)
    {
      const size_t room = 2 * host.moving_room + 64;
      struct moving *more = realloc (host.moving, room * sizeof *more);

      if (more)
	{
	  host.moving = more;
	  host.moving_room = room;
	}
    }
  if (host.moving_count < host.moving_room)
    {
      const uintptr_t at = s->host + (device - s->begin);

      host.moving[host.moving_count++] = (struct moving) { at, at + bytes, device, c, stamp->queue, stamp->sequence, correlation, kind };
      accscope_simt_watch (at, bytes, 1);
    }
  give ();
}

static struct accscope_simt_finding
finding (enum accscope_simt_found kind, uintptr_t device, size_t bytes, uintptr_t returned, int store)
{
  return (struct accscope_simt_finding) {
    .kind = kind, .address = device, .bytes = bytes, .count = 1, .unequal = 1,
    .side = { .operation = SIMT_HOST, .returned = returned, .store = store, .thread = UINT32_MAX }
  };
}

/* Whether a transfer is under way that reads what the host writes or frees, or writes what it uses.  */
static int
races (uintptr_t begin, uintptr_t end, enum accscope_host_access how, uintptr_t returned)
{
  for (size_t n = 0; n < host.moving_count; n++)
    {
      const struct moving *of = &host.moving[n];

      if (begin >= of->end || end <= of->begin || (of->kind == SIMT_UPLOAD && how == ACCSCOPE_HOST_READ) || accscope_simt_heard (of->checker, of->queue, of->sequence))
	continue;
      const uintptr_t first = begin > of->begin ? begin : of->begin, last = end < of->end ? end : of->end;
      struct accscope_simt_finding f = finding (FOUND_QUEUE_RACE, of->device + (first - of->begin), last - first, returned, how != ACCSCOPE_HOST_READ);

      f.gone = how == ACCSCOPE_HOST_FREE;
      f.other = (struct accscope_simt_side) { .operation = of->kind, .store = of->kind == SIMT_UPLOAD, .correlation = of->correlation, .thread = UINT32_MAX };
      accscope_simt_tell_of (of->checker, &f);
      return 1;
    }
  return 0;
}

/* Whether a block of the host's memory is what it was when both sides had the same, but for what
   was seen of it.  */
static int
unchanged (const struct accscope_simt_shadow *s, size_t block)
{
  const uint32_t agreed = RELAXED_LOAD (&s->agreed[block]);

  return agreed == 0 || RELAXED_LOAD (&s->by_host[block]) || accscope_simt_hash ((const void *) (s->host + block * BLOCK), block_bytes (s, block)) == agreed;
}

/* Whether the host knows that the operation of a cell is over.  */
static int
is_over (const struct accscope_simt_shadow *s, uint64_t cell)
{
  const struct known k = accscope_simt_known (s->checker, unpacked (cell, 1).number);

  return !k.count || accscope_simt_heard (s->checker, k.queue, k.sequence);
}

/* The host reads bytes of an allocation.  */
static void
reads (struct accscope_simt_shadow *s, size_t at, size_t end, uintptr_t returned)
{
  for (size_t n = at / BLOCK; n * BLOCK < end; n++)
    {
      const uint64_t bits = bits_in (n, at, end);

      if (RELAXED_LOAD (&s->unread[n]) & bits)
	__atomic_fetch_and (&s->unread[n], ~bits, __ATOMIC_RELAXED);
      for (uint64_t rest = RELAXED_LOAD (&s->by_device[n]) & ~RELAXED_LOAD (&s->by_host[n]) & bits; rest; rest &= rest - 1)
	{
	  const size_t byte = n * BLOCK + (size_t) __builtin_ctzll (rest);

	  if (*(const char *) (s->host + byte) == *(const char *) (s->begin + byte))
	    continue;
	  if (!unchanged (s, n))
	    break;
	  const uint64_t cell = cell_of (s, 1, byte / GRANULE);
	  struct accscope_simt_finding f = finding (FOUND_STALE_ON_HOST, s->begin + at, end - at, returned, 0);

	  f.other = accscope_simt_writer (s->checker, cell);
	  f.both = s;
	  f.later = !is_over (s, cell); /* the host may want what was before the kernel */
	  accscope_simt_tell_of (s->checker, &f);
	  return;
	}
    }
}

static void
writes (struct accscope_simt_shadow *s, size_t at, size_t end, uintptr_t returned)
{
  const uint16_t site = accscope_simt_host_site (returned);

  for (size_t n = at / GRANULE; n * GRANULE < end; n++)
    RELAXED_STORE (&s->host_sites[n], site);
  for (size_t n = at / BLOCK; n * BLOCK < end; n++)
    {
      const uint64_t bits = bits_in (n, at, end);

      RELAXED_STORE (&s->since[n], (uint32_t) RELAXED_LOAD (&s->checker->looked_at.launches));
      if ((RELAXED_LOAD (&s->unread[n]) & bits) != bits)
	__atomic_fetch_or (&s->unread[n], bits, __ATOMIC_RELAXED);
      if ((RELAXED_LOAD (&s->by_host[n]) & bits) != bits)
	__atomic_fetch_or (&s->by_host[n], bits, __ATOMIC_RELAXED);
      /* What a kernel had changed there is what the host has overtaken.  */
      const uint64_t both = RELAXED_LOAD (&s->by_device[n]) & bits;

      if (both && is_over (s, cell_of (s, 1, (n * BLOCK + (size_t) __builtin_ctzll (both)) / GRANULE)))
	__atomic_fetch_and (&s->by_device[n], ~both, __ATOMIC_RELAXED);
    }
}

/* The host frees memory: what has it next is not what the transfers use.  */
static void
frees (uintptr_t begin, uintptr_t end, uintptr_t returned)
{
  take ();
  races (begin, end, ACCSCOPE_HOST_FREE, returned);
  for (size_t n = host.moving_count; n-- > 0;)
    if (begin < host.moving[n].end && end > host.moving[n].begin)
      drop_moving (n);
  give ();
}

static void
tell (uintptr_t address, size_t bytes, enum accscope_host_access how, uintptr_t returned)
{
  const uintptr_t end = address + bytes;
  const int store = how == ACCSCOPE_HOST_WRITE;

  if (inside)
    return;
  inside++;
  if (how == ACCSCOPE_HOST_READ)
    accscope_simt_read_discarded (address, bytes, returned);
  else
    accscope_simt_undiscard (address, bytes);
  if (how == ACCSCOPE_HOST_FREE && __atomic_load_n (&host.moving_count, __ATOMIC_RELAXED))
    frees (address, end, returned);
  pthread_rwlock_rdlock (&host.lock);
  if (how != ACCSCOPE_HOST_FREE && !(host.moving_count && races (address, end, how, returned)))
    for (size_t n = behind (address); n < host.count && host.spans[n].begin < end; n++)
      {
	const struct span *of = &host.spans[n];
	struct accscope_simt_shadow *s = of->shadow;
	const uintptr_t first = address > of->begin ? address : of->begin, last = end < of->end ? end : of->end;

	__atomic_fetch_add (&s->checker->looked_at.host, 1, __ATOMIC_RELAXED);
	if (s->given_out || !s->host_sites)
	  continue;
	if (store)
	  writes (s, first - s->host, last - s->host, returned);
	else
	  reads (s, first - s->host, last - s->host, returned);
      }
  pthread_rwlock_unlock (&host.lock);
  inside--;
}
