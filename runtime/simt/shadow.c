/* What is known of each byte of an allocation: whether it has been written, and of each granule which access wrote it
   last and which one has read it.  A cell keeps the first of several readers that nothing orders, and how far apart they were.  */
#include "shadow.h"
#include "warp.h"

#include <string.h>

void
accscope_simt_define (struct accscope_simt_shadow *s, size_t at, size_t bytes, int is)
{
  if (is && !RELAXED_LOAD (&s->any_defined))
    RELAXED_STORE (&s->any_defined, 1);
  while (bytes)
    {
      size_t count = 8 - at % 8 < bytes ? 8 - at % 8 : bytes;
      uint8_t bits = (uint8_t) (((1u << count) - 1) << at % 8), *byte = &s->defined[at / 8];

      if (count == 8)
	RELAXED_STORE (byte, is ? 0xff : 0);
      else if (is)
	{
	  if ((RELAXED_LOAD (byte) & bits) != bits)
	    __atomic_fetch_or (byte, bits, __ATOMIC_RELAXED);
	}
      else
	__atomic_fetch_and (byte, (uint8_t) ~bits, __ATOMIC_RELAXED);
      at += count;
      bytes -= count;
    }
}

size_t
accscope_simt_undefined (const struct accscope_simt_shadow *s, size_t at, size_t bytes)
{
  size_t n = 0;

  while (n < bytes)
    if ((at + n) % 8 == 0 && n + 8 <= bytes && RELAXED_LOAD (&s->defined[(at + n) / 8]) == 0xff)
      n += 8;
    else if (is_defined (s, at + n))
      n++;
    else
      break;
  return n;
}

/* An access in progress.  */
struct access
{
  struct accscope_simt_operation *operation;
  struct warp *warp;		/* NULL: a transfer */
  const struct accscope_simt_instruction *instruction;
  const struct accscope_simt_function *function;
  uint32_t pc;
  struct cell cell;
  const struct group *group;
  unsigned lane;
  int store;
  uintptr_t address;
  size_t size;
};

/* An operand of a lane, which has wide bytes.  */
static const void *
operand (const struct access *a, unsigned number, unsigned lane, unsigned wide)
{
  const struct frame *f = a->group->frame;
  const char *const base[ARRAYS] = { f->registers, f->function->constants, (const char *) a->warp->specials };
  const uint32_t at = a->instruction->operand[number];

  return base[at >> 30] + (at & 0x3fffffff) + lane * wide;
}

/* What a lane stores, of the lowest size bytes.  */
static const void *
value (const struct access *a, unsigned lane)
{
  const unsigned operation = a->instruction->operation;
  const int wide = operation == ST_U64 || operation == STW_U8 || operation == STW_U16 || operation == STW_U32;

  return operand (a, 1, lane, wide ? 8 : 4);
}

/* Notes whether a lane has the lock of GCC's reductions, or does nothing but wait for it: it
   changes that to 1, and back to 0.  */
static void
take_lock (const struct access *a)
{
  uint32_t bit = (uint32_t) 1 << a->lane;

  if (*(const uint32_t *) operand (a, 3, a->lane, 4) == 0)
    a->warp->locked &= ~bit;
  else
    a->warp->locked |= bit;
}

/* Whether what a cell has is before an access of the same operation.  */
static int
within (const struct cell *c, const struct access *a)
{
  const struct gang *gang;
  uint32_t warp = c->thread / LANES;

  if (c->number != a->cell.number || !a->warp)
    return c->number == a->cell.number;
  gang = a->warp->gang;
  if (c->shared == BY_GANGS)
    return 0;
  if (c->clock == LAST_CLOCK)
    return 1;
  if (c->shared == ALONE && c->thread == a->cell.thread)
    return 1;
  if (warp == a->warp->number && c->shared <= BY_WARP)
    return c->clock < a->warp->clock;
  return c->clock < gang->warp[warp].barred;
}

/* Whether it is before the access, which may be one of another operation; known is the
   other one, if it is.  */
static int
before (const struct cell *c, const struct access *a, struct known *known)
{
  struct accscope_simt_operation *o = a->operation;
  struct gang *gang = a->warp ? a->warp->gang : NULL;

  known->count = 0;
  if (c->number < o->settled)
    return 1; /* none, too */
  if (c->number - o->first < o->count)
    return within (c, a);
  if (gang && c->number - gang->asked.first < gang->asked.count && gang->asked.ordered)
    return 1;
  *known = accscope_simt_known (o->checker, c->number);
  if (gang && known->count)
    gang->asked = (struct asked) { known->first, known->count, accscope_simt_before (known, o) };
  return accscope_simt_before (known, o);
}

/* One side of a race, as a cell has it.  */
static struct accscope_simt_side
side_of (const struct cell *c, const struct access *a, const struct known *known, int store)
{
  const struct accscope_simt_operation *o = a->operation;
  struct accscope_simt_side side = { .store = store, .atomic = c->atomic, .thread = c->shared == ALONE && c->thread != BY_TRANSFER ? c->thread : UINT32_MAX };

  side.function = accscope_simt_at (c->site, &side.instruction);
  if (known->count)
    {
      side.operation = known->kind;
      side.kernel = known->kernel;
      side.correlation = known->correlation;
      side.gang = c->number - known->first;
    }
  else
    {
      side.operation = o->kind;
      side.kernel = o->kernel;
      side.correlation = o->correlation;
      side.gang = c->number - o->first;
    }
  return side;
}

static struct accscope_simt_finding
finding (enum accscope_simt_found kind, const struct access *a)
{
  const struct accscope_simt_operation *o = a->operation;
  const struct accscope_simt_launch *l = a->warp ? a->warp->gang->launch : NULL;
  struct accscope_simt_finding f = {
    .kind = kind, .address = a->address, .bytes = a->size, .workers = l ? l->workers : 0, .vector = l ? l->vector : 0, .count = 1,
    .side = { .operation = o->kind, .kernel = o->kernel, .function = a->function, .instruction = a->pc, .store = a->store,
	      .atomic = (int) a->cell.atomic, .correlation = o->correlation,
	      .gang = a->warp ? a->warp->gang->number : 0, .thread = a->warp ? a->cell.thread : UINT32_MAX }
  };
  return f;
}

static void
conflict (const struct cell *c, const struct access *a, const struct known *known, int store)
{
  struct accscope_simt_finding f = finding (known->count ? FOUND_QUEUE_RACE : FOUND_RACE, a);

  f.other = side_of (c, a, known, store);
  /* By one instruction the values of all are compared; else with what the other one has written.  */
  f.unequal = !(store && a->store == 1 && a->warp && c->site != 0 && !c->atomic);
  if (!f.unequal && c->site == a->cell.site)
    memcpy (&f.value, value (a, a->lane), a->size);
  else if (!f.unequal)
    f.unequal = known->count || memcmp ((const void *) a->address, value (a, a->lane), a->size) != 0;
  accscope_simt_tell_of (a->operation->checker, &f);
}

static enum shared
apart (const struct cell *c, const struct access *a)
{
  enum shared by = c->number != a->cell.number ? BY_GANGS
		   : c->thread / LANES != a->cell.thread / LANES ? BY_GANG
		   : c->thread != a->cell.thread ? BY_WARP : ALONE;

  return by > c->shared ? by : c->shared;
}

/* One granule of an access.  */
static void
meet (struct accscope_simt_shadow *s, size_t granule, uint32_t bytes, struct access *a)
{
  struct cell written = unpacked (cell_of (s, 1, granule), 1), read = unpacked (cell_of (s, 0, granule), 0);
  struct known known;

  a->cell.bytes = bytes;
  if (written.bytes & bytes && !(written.atomic && a->cell.atomic) && !before (&written, a, &known))
    conflict (&written, a, &known, 1);
  if (!a->store && a->cell.atomic)
    return; /* a cell of a reader cannot tell that */
  if (!a->store)
    {
      int over = read.number == 0 || before (&read, a, &known);

      if (!over && a->warp && read.number - a->operation->first < a->operation->count)
	{
	  enum shared by = apart (&read, a);
	  const uint32_t all = by == ALONE ? read.bytes | bytes : read.bytes & bytes; /* each of them has read these */

	  if (all == 0 || (by == read.shared && all == read.bytes))
	    return;
	  read.shared = by;
	  read.bytes = all;
	  RELAXED_STORE (&s->read[granule], packed (&read));
	}
      else if (over)
	{
	  struct cell mine = a->cell;

	  mine.atomic = 0;
	  RELAXED_STORE (&s->read[granule], packed (&mine));
	}
      return;
    }
  if (read.number && read.bytes & bytes && !before (&read, a, &known))
    conflict (&read, a, &known, 0);
  RELAXED_STORE (&s->written[granule], packed (&a->cell));
}

/* The number, the warp and its clock.  */
#define SAME_WARP_NOW ((((uint64_t) 1 << BYTES_AT) - 1) & ~((uint64_t) (LANES - 1) << THREAD_AT))

/* Whether a cell of a reader needs no other one for this read: all gangs have read, or this
   warp has, before.  */
static inline int
is_read (uint64_t bits, const struct accscope_simt_operation *o, uint64_t mine)
{
  if ((bits >> BYTES_AT & WHOLE) != WHOLE)
    return 0;
  return (bits >> TWO_AT & 3) == BY_GANGS ? (bits & (NUMBERS - 1)) - o->first < o->count
	 : (bits >> TWO_AT & 3) == BY_WARP && ((bits ^ mine) & SAME_WARP_NOW) == 0;
}

/* Whether a transfer of all of it may still be under way.  */
static inline int
is_moving (const struct accscope_simt_shadow *s, const struct accscope_simt_operation *o)
{
  return (RELAXED_LOAD (&s->moved[0]) & (NUMBERS - 1)) >= o->settled || (RELAXED_LOAD (&s->moved[1]) & (NUMBERS - 1)) >= o->settled;
}

/* The most frequent case of touch, whole granules that are not moving: those who have been there are
   over, or are the lane itself.  0: it is not, and nothing has been noted.  */
static inline __attribute__ ((always_inline)) int
settle (struct accscope_simt_shadow *s, const struct accscope_simt_operation *o, size_t granule, size_t count, uint64_t mine, int store, int atomic)
{
  const uint32_t settled = o->settled;

  int again = 0;		/* somebody has read all of it, as this one does */

  for (size_t n = granule; n < granule + count; n++)
    {
      uint64_t written = RELAXED_LOAD (&s->written[n]), read = RELAXED_LOAD (&s->read[n]);

      if ((written & (NUMBERS - 1)) >= settled && (uint32_t) written != (uint32_t) mine)
	return 0;
      if ((read & (NUMBERS - 1)) < settled)
	continue;
      if (!store && is_read (read, o, mine))
	again++;
      else if ((uint32_t) read != (uint32_t) mine || read & TWO)
	return 0;
    }
  if (store)
    for (size_t n = granule; n < granule + count; n++)
      RELAXED_STORE (&s->written[n], mine);
  else if (!atomic && !again)
    for (size_t n = granule; n < granule + count; n++)
      RELAXED_STORE (&s->read[n], mine);
  else if (!atomic && again < (int) count)
    for (size_t n = granule; n < granule + count; n++)
      if (!is_read (RELAXED_LOAD (&s->read[n]), o, mine))
	RELAXED_STORE (&s->read[n], mine);
  return 1;
}

/* The operation has cells from now on.  */
static inline void
note (struct accscope_simt_shadow *s, const struct accscope_simt_operation *o)
{
  const uint32_t last = o->first + o->count - 1;
  uint32_t newest = RELAXED_LOAD (&s->newest);

  while (newest < last && !__atomic_compare_exchange_n (&s->newest, &newest, last, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    continue;
}

static void
touch (struct accscope_simt_shadow *s, struct access *a)
{
  const size_t begin = a->address - s->begin, end = begin + a->size;

  for (size_t granule = begin / GRANULE; granule * GRANULE < end; granule++)
    {
      size_t from = granule * GRANULE, low = begin > from ? begin - from : 0, high = end - from < GRANULE ? end - from : GRANULE;

      meet (s, granule, ((1u << high) - 1) & ~((1u << low) - 1), a);
    }
}

/* What a lane reads, and one of the sides has changed.  */
static void
stale (struct accscope_simt_shadow *s, const struct access *a, size_t at)
{
  const size_t block = at / BLOCK;
  const uint64_t bits = bits_of (at % BLOCK, at % BLOCK + a->size);
  char host[8];

  if (s->tainted && RELAXED_LOAD (&s->tainted[block]) & bits)
    {
      struct accscope_simt_finding f = finding (FOUND_STALE_ON_HOST, a);

      f.other = s->tainted_by;
      f.later = s->tainted_scratch;
      accscope_simt_tell_of (a->operation->checker, &f);
    }
  if (RELAXED_LOAD (&s->by_host[block]) & ~RELAXED_LOAD (&s->by_device[block]) & bits && !s->given_out
      && RELAXED_LOAD (&s->since[block]) < a->operation->stamp->launch
      && accscope_simt_host_memory (s->host + at, host, a->size) && memcmp (host, (const void *) a->address, a->size) != 0)
    {
      struct accscope_simt_finding f = finding (FOUND_STALE_ON_DEVICE, a);

      f.allocation = s->serial;
      f.mixed = RELAXED_LOAD (&s->first_change) - 1 < a->operation->first - 1;
      if (s->host_sites && s->host_sites[at / GRANULE])
	f.other = accscope_simt_host_side (s->host_sites[at / GRANULE], 1);
      accscope_simt_tell_of (a->operation->checker, &f);
    }
}

/* What a lane reads.  A copy may be of what nobody uses, but hardly of memory where there is nothing at all.  */
static void
use (struct accscope_simt_shadow *s, const struct access *a)
{
  const size_t at = a->address - s->begin;
  const uint8_t bits = (uint8_t) (((1u << a->size) - 1) << at % 8);

  if ((RELAXED_LOAD (&s->defined[at / 8]) & bits) != bits && (a->instruction->together != SIMT_COPIES || !RELAXED_LOAD (&s->any_defined)))
    {
      struct accscope_simt_finding f = finding (FOUND_UNINITIALISED, a);

      accscope_simt_tell_of (a->operation->checker, &f);
    }
  stale (s, a, at);
}

/* A kernel writes bytes.  */
static void
change (struct accscope_simt_shadow *s, const struct accscope_simt_operation *o, size_t at, size_t bytes)
{
  const size_t end = at + bytes;

  accscope_simt_define (s, at, bytes, 1);
  if (!RELAXED_LOAD (&s->first_change))
    RELAXED_STORE (&s->first_change, o->first);
  for (size_t n = at / BLOCK; n * BLOCK < end; n++)
    {
      const uint64_t bits = bits_in (n, at, end);

      if ((RELAXED_LOAD (&s->by_device[n]) & bits) != bits)
	__atomic_fetch_or (&s->by_device[n], bits, __ATOMIC_RELAXED);
      if (s->tainted && RELAXED_LOAD (&s->tainted[n]) & bits)
	__atomic_fetch_and (&s->tainted[n], ~bits, __ATOMIC_RELAXED);
    }
}

/* Whether of a range of a few blocks all is defined, and nothing is stale.  */
static int
is_well (const struct accscope_simt_shadow *s, size_t begin, size_t end)
{
  if (s->tainted)
    return 0;
  for (size_t n = begin / BLOCK; n * BLOCK < end; n++)
    if (RELAXED_LOAD ((const uint64_t *) s->defined + n) != UINT64_MAX || RELAXED_LOAD (&s->by_host[n]) & ~RELAXED_LOAD (&s->by_device[n]))
      return 0;
  return 1;
}

/* Whether a range of a few blocks is defined and known as changed already.  */
static int
is_changed (const struct accscope_simt_shadow *s, size_t begin, size_t end)
{
  if (s->tainted || !RELAXED_LOAD (&s->first_change))
    return 0;
  for (size_t n = begin / BLOCK; n * BLOCK < end; n++)
    {
      const uint64_t bits = bits_in (n, begin, end);

      if (~(RELAXED_LOAD ((const uint64_t *) s->defined + n) & RELAXED_LOAD (&s->by_device[n])) & bits)
	return 0;
    }
  return 1;
}

/* The lanes that have not settled.  */
static inline __attribute__ ((always_inline)) uint32_t
settle_lanes (struct accscope_simt_shadow *s, const struct access *a, uint32_t mask, const uint64_t *place, size_t granules, uint64_t mine)
{
  uint32_t left = 0;

  for (uint32_t rest = mask; rest; rest &= rest - 1)
    {
      const unsigned i = (unsigned) __builtin_ctz (rest);

      if (!settle (s, a->operation, (place[i] - s->begin) / GRANULE, granules, mine | (uint64_t) i << THREAD_AT, a->store, (int) a->cell.atomic))
	left |= (uint32_t) 1 << i;
    }
  return left;
}

/* The most frequent case: all lanes of a warp are at whole granules of one allocation, and nothing
   but its shadow is to be looked at.  0: it is not, and nothing has been noted.  */
static int
checked_together (struct warp *w, struct access *a, const uint64_t *address, uint32_t mask, uint64_t *place)
{
  enum { FAR = 4096 };
  const struct accscope_simt_range window = stack_window (w);
  const struct accscope_simt_launch *l = w->gang->launch;
  const uint64_t displacement = (uint64_t) a->instruction->displacement;
  const unsigned first = (unsigned) __builtin_ctz (mask);
  const uintptr_t start = address[first] + displacement;
  const size_t size = a->size;
  uintptr_t low = UINTPTR_MAX, high = 0, odd = 0, apart = 0;
  uint32_t left;

  for (unsigned i = 0; i < LANES; i++)
    {
      const uintptr_t in = -(uintptr_t) (mask >> i & 1), at = address[i] + displacement;

      low = (at | ~in) < low ? at | ~in : low;
      high = (at & in) > high ? at & in : high;
      odd |= at & in;
      apart |= (at - start - (i - first) * size) & in;
    }
  if (odd & (size - 1) || (low < window.end && high >= window.begin) || l->lock - low <= high - low)
    return 0;
  if (!(low - w->met.begin < w->met.end - w->met.begin))
    w->met = accscope_simt_memory_find (l->memory, low);
  if (low < w->met.begin || low >= w->met.end || high >= w->met.end || size > w->met.end - high)
    return 0;
  for (uint32_t rest = mask; rest; rest &= rest - 1)
    place[__builtin_ctz (rest)] = address[__builtin_ctz (rest)] + displacement;
  struct accscope_simt_shadow *s = w->met.shadow;
  if (!s)
    return 1;
  note (s, a->operation);
  a->cell.thread = w->number * LANES;
  a->cell.bytes = WHOLE;
  const uint64_t mine = packed (&a->cell);
  left = is_moving (s, a->operation) ? mask : size == 2 * GRANULE ? settle_lanes (s, a, mask, place, 2, mine) : settle_lanes (s, a, mask, place, size / GRANULE, mine);
  for (; left; left &= left - 1)
    {
      a->lane = (unsigned) __builtin_ctz (left);
      a->address = place[a->lane];
      a->cell.thread = w->number * LANES + a->lane;
      touch (s, a);
    }
  const size_t begin = low - s->begin, end = high - s->begin + size;
  const int near = end - begin <= FAR;
  const int uses = a->store != 1 && !(near && is_well (s, begin, end));
  int changes = a->store && !(near && is_changed (s, begin, end));
  if (changes && !uses && apart == 0 && end - begin == (size_t) __builtin_popcount (mask) * size)
    {
      change (s, a->operation, begin, end - begin);
      changes = 0;
    }
  for (uint32_t rest = uses || changes ? mask : 0; rest; rest &= rest - 1)
    {
      a->lane = (unsigned) __builtin_ctz (rest);
      a->address = place[a->lane];
      a->cell.thread = w->number * LANES + a->lane;
      if (uses)
	use (s, a);
      if (changes)
	change (s, a->operation, a->address - s->begin, size);
    }
  return 1;
}

/* Accesses of lanes to memory of the device are findings, and go nowhere, where there is
   none.  */
int
accscope_simt_checked (struct warp *w, struct group *g, const uint64_t *address, const struct accscope_simt_instruction *in,
		       uint32_t mask, unsigned size, int store, uint64_t *place)
{
  const struct accscope_simt_range window = stack_window (w);
  const struct accscope_simt_launch *l = w->gang->launch;
  const int atomic = store == ATOMICALLY || (!store && in->together == SIMT_OF_ATOMIC);
  struct access a = {
    .operation = l->check, .warp = w, .group = g, .instruction = in, .function = g->frame->function, .pc = g->pc, .store = store, .size = size,
    .cell = { .number = l->check->first + w->gang->number % l->check->count, .clock = w->clock < LAST_CLOCK ? w->clock : LAST_CLOCK, .site = in->site }
  };

  w->gang->accesses += (uint32_t) __builtin_popcount (mask);
  w->gang->looked_at += (uint32_t) __builtin_popcount (mask) * size;
  if (w->met_version != accscope_simt_memory_version (l->memory))
    {
      w->met_version = accscope_simt_memory_version (l->memory);
      w->met = (struct accscope_simt_range) { 0, 0, NULL };
    }
  a.cell.atomic = atomic;
  if (mask && size >= GRANULE && !(w->locked & mask) && checked_together (w, &a, address, mask, place))
    return 1;
  for (uint32_t rest = mask; rest; rest &= rest - 1)
    {
      unsigned i = (unsigned) __builtin_ctz (rest);

      a.address = place[i] = address[i] + (uint64_t) in->displacement;
      a.cell.thread = w->number * LANES + i;
      a.lane = i;
      if (a.address - window.begin < window.end - window.begin && a.address % size == 0 && size <= window.end - a.address)
	{
	  place[i] = (uint64_t) lane_stack (w, i) + (a.address - window.begin);
	  continue;
	}
      if (a.address % size == 0 && a.address - (uintptr_t) w->gang->shared < l->shared)
	continue;
      if (!(a.address - w->met.begin < w->met.end - w->met.begin))
	w->met = accscope_simt_memory_find (l->memory, a.address);
      if (a.address % size != 0 || a.address < w->met.begin || a.address >= w->met.end || size > w->met.end - a.address)
	{
	  struct accscope_simt_finding f = finding (a.address % size != 0 ? FOUND_MISALIGNED : FOUND_BOUNDS, &a);

	  f.nearest = accscope_simt_memory_before (l->memory, a.address);
	  f.next = accscope_simt_memory_behind (l->memory, a.address);
	  RELAXED_STORE (&l->check->strayed, 1);
	  accscope_simt_tell_of (l->check->checker, &f);
	  memset (w->nowhere, 0, sizeof w->nowhere);
	  place[i] = (uintptr_t) w->nowhere;
	  continue;
	}
      if (!w->met.shadow)
	continue;
      if (a.address == l->lock)
	{
	  if (in->operation == ATOM_CAS_U32)
	    take_lock (&a);
	  continue;
	}
      a.cell.atomic = atomic || w->locked >> i & 1;
      note (w->met.shadow, a.operation);
      touch (w->met.shadow, &a);
      if (store != 1)
	use (w->met.shadow, &a);
      if (store)
	change (w->met.shadow, a.operation, a.address - w->met.shadow->begin, size);
    }
  return 1;
}

/* Adds up what was checked of a gang.  */
void
accscope_simt_count_checked (struct gang *g)
{
  struct accscope_simt_checker *c = g->launch->check->checker;

  __atomic_fetch_add (&c->looked_at.accesses, g->accesses, __ATOMIC_RELAXED);
  __atomic_fetch_add (&c->looked_at.bytes, g->looked_at, __ATOMIC_RELAXED);
  g->accesses = g->looked_at = 0;
}

struct accscope_simt_shadow *
accscope_simt_move (struct accscope_simt_operation *o, struct accscope_simt_memory *m, uintptr_t at, size_t bytes, int store)
{
  struct accscope_simt_shadow *s = accscope_simt_memory_find (m, at).shadow;
  struct access a = { .operation = o, .store = store, .address = at, .size = bytes, .cell = { .number = o->first, .thread = BY_TRANSFER, .clock = LAST_CLOCK } };

  if (!s || bytes == 0 || bytes > s->bytes - (at - s->begin))
    return NULL;
  a.cell.bytes = WHOLE;
  if (at == s->begin && bytes == s->bytes && RELAXED_LOAD (&s->newest) < o->settled)
    RELAXED_STORE (&s->moved[store], packed (&a.cell)); /* in place of all cells */
  else if ((at - s->begin) % GRANULE || bytes % GRANULE || is_moving (s, o) || !settle (s, o, (at - s->begin) / GRANULE, bytes / GRANULE, packed (&a.cell), store, 0))
    touch (s, &a);
  note (s, o);
  return s;
}
