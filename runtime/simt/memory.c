/* The memory that kernels may use: what has been allocated on the device, in order of
   addresses, and the heap that malloc of device code takes from.  */
#include "checker.h"
#include "warp.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct piece
{
  size_t bytes;			/* with this head */
  size_t used;
};

#define HEAD 16

struct accscope_simt_memory
{
  pthread_rwlock_t lock;
  struct accscope_simt_range *ranges;
  size_t count, room;
  char *heap;
  size_t heap_bytes;
  struct accscope_simt_checker *checker;
  uint32_t version;		/* atomic: how often an allocation went */
};

uintptr_t accscope_simt_window;

/* Nothing else ever lies in the window.  */
static void
reserve (void)
{
  void *window = mmap (NULL, MOST_STACK, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

  if (window != MAP_FAILED)
    accscope_simt_window = (uintptr_t) window;
}

struct accscope_simt_memory *
accscope_simt_memory_open (uintptr_t heap, size_t heap_bytes)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  struct accscope_simt_memory *m;

  pthread_once (&once, reserve);
  if (!accscope_simt_window || !(m = calloc (1, sizeof *m)))
    return NULL;
  pthread_rwlock_init (&m->lock, NULL);
  m->heap = (char *) heap;
  m->heap_bytes = heap_bytes & ~(size_t) (HEAD - 1);
  if (m->heap_bytes)
    *(struct piece *) m->heap = (struct piece) { m->heap_bytes, 0 };
  return m;
}

void
accscope_simt_memory_check (struct accscope_simt_memory *m, struct accscope_simt_checker *checker)
{
  m->checker = checker;
}

void
accscope_simt_memory_close (struct accscope_simt_memory *m)
{
  if (!m)
    return;
  if (m->checker)
    accscope_simt_checker_end (m->checker);
  for (size_t n = 0; n < m->count; n++)
    if (m->ranges[n].shadow)
      accscope_simt_shadow_end (m->ranges[n].shadow);
  pthread_rwlock_destroy (&m->lock);
  free (m->ranges);
  free (m);
}

/* The index of the first range that begins behind the address.  */
static size_t
behind (const struct accscope_simt_memory *m, uintptr_t address)
{
  size_t low = 0, high = m->count;

  while (low < high)
    {
      size_t middle = (low + high) / 2;

      if (m->ranges[middle].begin <= address)
	low = middle + 1;
      else
	high = middle;
    }
  return low;
}

static int
insert (struct accscope_simt_memory *m, uintptr_t begin, size_t bytes)
{
  size_t at = behind (m, begin);

  if (m->count == m->room)
    {
      size_t room = m->room ? 2 * m->room : 64;
      struct accscope_simt_range *more = realloc (m->ranges, room * sizeof *more);

      if (!more)
	return 0;
      m->ranges = more;
      m->room = room;
    }
  memmove (&m->ranges[at + 1], &m->ranges[at], (m->count - at) * sizeof *m->ranges);
  m->ranges[at] = (struct accscope_simt_range) { begin, begin + bytes, m->checker ? accscope_simt_shadow_of (m->checker, begin, bytes) : NULL };
  m->count++;
  return 1;
}

static int
take_out (struct accscope_simt_memory *m, uintptr_t begin)
{
  size_t at = behind (m, begin);

  if (at == 0 || m->ranges[at - 1].begin != begin)
    return 0;
  if (m->ranges[at - 1].shadow)
    accscope_simt_shadow_end (m->ranges[at - 1].shadow);
  __atomic_add_fetch (&m->version, 1, __ATOMIC_RELEASE);
  memmove (&m->ranges[at - 1], &m->ranges[at], (m->count - at) * sizeof *m->ranges);
  m->count--;
  return 1;
}

int
accscope_simt_memory_add (struct accscope_simt_memory *m, uintptr_t begin, size_t bytes)
{
  int is;

  pthread_rwlock_wrlock (&m->lock);
  is = insert (m, begin, bytes);
  pthread_rwlock_unlock (&m->lock);
  return is;
}

void
accscope_simt_memory_remove (struct accscope_simt_memory *m, uintptr_t begin)
{
  pthread_rwlock_wrlock (&m->lock);
  take_out (m, begin);
  pthread_rwlock_unlock (&m->lock);
}

struct accscope_simt_range
accscope_simt_memory_before (struct accscope_simt_memory *m, uintptr_t address)
{
  struct accscope_simt_range found = { 0, 0, NULL };
  size_t at;

  pthread_rwlock_rdlock (&m->lock);
  at = behind (m, address);
  if (at > 0)
    found = m->ranges[at - 1];
  pthread_rwlock_unlock (&m->lock);
  return found;
}

struct accscope_simt_range
accscope_simt_memory_behind (struct accscope_simt_memory *m, uintptr_t address)
{
  struct accscope_simt_range found = { 0, 0, NULL };
  size_t at;

  pthread_rwlock_rdlock (&m->lock);
  at = behind (m, address);
  if (at < m->count)
    found = m->ranges[at];
  pthread_rwlock_unlock (&m->lock);
  return found;
}

struct accscope_simt_range
accscope_simt_memory_find (struct accscope_simt_memory *m, uintptr_t address)
{
  struct accscope_simt_range found = accscope_simt_memory_before (m, address);

  if (address >= found.end)
    found = (struct accscope_simt_range) { 0, 0, NULL };
  return found;
}

uint32_t
accscope_simt_memory_version (const struct accscope_simt_memory *m)
{
  return __atomic_load_n (&m->version, __ATOMIC_ACQUIRE);
}

/* First fit; free neighbours become one piece as they are passed.  */
uintptr_t
accscope_simt_allocate (struct accscope_simt_memory *m, size_t bytes)
{
  size_t need = (bytes + 2 * HEAD - 1) & ~(size_t) (HEAD - 1);
  uintptr_t given = 0;

  if (bytes == 0 || bytes > m->heap_bytes)
    return 0;
  pthread_rwlock_wrlock (&m->lock);
  for (size_t at = 0; at < m->heap_bytes;)
    {
      struct piece *p = (struct piece *) (m->heap + at);

      while (!p->used && at + p->bytes < m->heap_bytes)
	{
	  const struct piece *next = (const struct piece *) (m->heap + at + p->bytes);

	  if (next->used)
	    break;
	  p->bytes += next->bytes;
	}
      if (!p->used && p->bytes >= need)
	{
	  if (!insert (m, (uintptr_t) p + HEAD, bytes))
	    break;
	  if (p->bytes - need >= 2 * HEAD)
	    {
	      *(struct piece *) ((char *) p + need) = (struct piece) { p->bytes - need, 0 };
	      p->bytes = need;
	    }
	  p->used = 1;
	  given = (uintptr_t) p + HEAD;
	  break;
	}
      at += p->bytes;
    }
  pthread_rwlock_unlock (&m->lock);
  return given;
}

/* 0 for what is not in use.  */
int
accscope_simt_release (struct accscope_simt_memory *m, uintptr_t address)
{
  int is = 0;

  pthread_rwlock_wrlock (&m->lock);
  if (address - (uintptr_t) m->heap < m->heap_bytes && take_out (m, address))
    {
      ((struct piece *) (address - HEAD))->used = 0;
      is = 1;
    }
  pthread_rwlock_unlock (&m->lock);
  return is;
}

/* Whether the range has the bytes from low to so many behind high, which may be the last
   ones that there are addresses for.  */
static inline int
within (const struct accscope_simt_range *range, uintptr_t low, uintptr_t high, size_t size)
{
  return low >= range->begin && high < range->end && size <= range->end - high;
}

/* Where a range is that has the bytes at the address, for this warp; 0: nowhere.  */
static int
reach (struct warp *w, uintptr_t begin, size_t size, struct accscope_simt_range *found)
{
  const struct accscope_simt_launch *l = w->gang->launch;
  uintptr_t shared = (uintptr_t) w->gang->shared;

  if (begin - shared < l->shared)
    *found = (struct accscope_simt_range) { shared, shared + l->shared, NULL };
  else
    *found = accscope_simt_memory_find (l->memory, begin);
  return within (found, begin, begin, size);
}

void
accscope_simt_tell (struct warp *w, struct group *g, enum accscope_simt_reason reason, uint32_t lane,
		    uintptr_t address, unsigned size, int store)
{
  static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER;
  struct accscope_simt_launch *l = w->gang->launch;
  uint32_t thread = w->number * LANES + lane;

  pthread_mutex_lock (&first);
  if (l->fault.reason == SIMT_NONE)
    {
      l->fault = (struct accscope_simt_fault) {
	.gang = w->gang->number, .worker = thread / l->vector, .lane = thread % l->vector,
	.store = store, .size = size, .address = address,
	.nearest = accscope_simt_memory_before (l->memory, address),
	.function = g && g->frame ? g->frame->function : l->kernel, .instruction = g ? g->pc : 0
      };
      __atomic_store_n ((int *) &l->fault.reason, (int) reason, __ATOMIC_RELEASE);
      if (l->check)
	{
	  const struct frame *in = g ? g->frame : NULL, *from = in ? in->caller : NULL;

	  accscope_simt_ended (l, from ? from->function : NULL, from ? in->back - 1 : 0);
	}
    }
  pthread_mutex_unlock (&first);
}

/* One lane's address; NULL: a fault was told.  */
char *
accscope_simt_place (struct warp *w, struct group *g, uint64_t address, unsigned lane, unsigned size, int store)
{
  const struct accscope_simt_range window = stack_window (w);
  struct accscope_simt_range found;

  if (address % size != 0)
    {
      accscope_simt_tell (w, g, SIMT_MISALIGNED, lane, address, size, store);
      return NULL;
    }
  if (within (&window, address, address, size))
    return (char *) lane_stack (w, lane) + (address - window.begin);
  if (reach (w, address, size, &found))
    return (char *) address;
  accscope_simt_tell (w, g, SIMT_ADDRESS, lane, address, size, store);
  return NULL;
}

int
accscope_simt_places (struct warp *w, struct group *g, const uint64_t *address,
		      const struct accscope_simt_instruction *in, uint32_t mask, unsigned size, int store,
		      uint64_t *place)
{
  const struct accscope_simt_range window = stack_window (w);
  struct accscope_simt_range *range = &w->ranges[in->found];
  const uint64_t displacement = (uint64_t) in->displacement;
  uint64_t low = UINT64_MAX, high = 0, all = 0;

  if (w->gang->launch->check)
    return accscope_simt_checked (w, g, address, in, mask, size, store, place);
  if (mask == EVERY)
    for (unsigned i = 0; i < LANES; i++)
      {
	uint64_t at = address[i] + displacement;

	place[i] = at;
	all |= at;
	low = at < low ? at : low;
	high = at > high ? at : high;
      }
  else
    for (uint32_t rest = mask; rest; rest &= rest - 1)
      {
	unsigned i = (unsigned) __builtin_ctz (rest);
	uint64_t at = address[i] + displacement;

	place[i] = at;
	all |= at;
	low = at < low ? at : low;
	high = at > high ? at : high;
      }
  if ((all & (size - 1)) == 0)
    {
      if (within (range, low, high, size))
	return 1;
      if (within (&window, low, high, size))
	{
	  for (uint32_t rest = mask; rest; rest &= rest - 1)
	    {
	      unsigned i = (unsigned) __builtin_ctz (rest);

	      place[i] = (uint64_t) lane_stack (w, i) + (place[i] - window.begin);
	    }
	  return 1;
	}
      if (reach (w, low, size, range) && within (range, low, high, size))
	return 1;
    }
  for (uint32_t rest = mask; rest; rest &= rest - 1)
    {
      unsigned i = (unsigned) __builtin_ctz (rest);
      char *at = accscope_simt_place (w, g, place[i], i, size, store);

      if (!at)
	return 0;
      place[i] = (uint64_t) at;
    }
  return 1;
}
