/* What is known of each byte of an allocation: whether it has been written, and of each
   granule which access wrote it last and which one has read it.  A cell keeps the first of
   several readers that nothing orders, and how far apart they were.  */
#include "shadow.h"
#include "warp.h"

#include <stdlib.h>
#include <string.h>

static int
is_defined (const struct accscope_simt_shadow *s, size_t at)
{
  return RELAXED_LOAD (&s->defined[at / 8]) >> at % 8 & 1;
}

static void
define (struct accscope_simt_shadow *s, size_t at, size_t bytes, int is)
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

/* The first of the bytes that nothing has written; bytes where there is none.  */
static size_t
undefined (const struct accscope_simt_shadow *s, size_t at, size_t bytes)
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
  f.unequal = !(store && a->store == 1 && a->warp && c->site != 0 && c->site == a->cell.site);
  if (!f.unequal)
    memcpy (&f.value, value (a, a->lane), a->size);
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
  struct cell written = unpacked (RELAXED_LOAD (&s->written[granule]), 1), read = unpacked (RELAXED_LOAD (&s->read[granule]), 0);
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

	  if (by == read.shared && (read.bytes | bytes) == read.bytes)
	    return;
	  read.shared = by;
	  read.bytes |= bytes;
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

/* The most frequent case of touch, whole granules: those who have been there are over, or are
   the lane itself.  0: it is not, and nothing has been noted.  */
static inline int
settle (struct accscope_simt_shadow *s, struct access *a)
{
  const size_t granule = (a->address - s->begin) / GRANULE, end = granule + a->size / GRANULE;
  const uint32_t settled = a->operation->settled;
  uint64_t mine;

  a->cell.bytes = WHOLE;
  mine = packed (&a->cell);
  for (size_t n = granule; n < end; n++)
    {
      uint64_t written = RELAXED_LOAD (&s->written[n]), read = RELAXED_LOAD (&s->read[n]);

      if ((written & (NUMBERS - 1)) >= settled && (uint32_t) written != (uint32_t) mine)
	return 0;
      if ((read & (NUMBERS - 1)) >= settled && ((uint32_t) read != (uint32_t) mine || read & TWO) && (a->store || !is_read (read, a->operation, mine)))
	return 0;
    }
  if (a->store)
    for (size_t n = granule; n < end; n++)
      RELAXED_STORE (&s->written[n], mine);
  else if (!a->cell.atomic)
    {
      for (size_t n = granule; n < end; n++)
	if (!is_read (RELAXED_LOAD (&s->read[n]), a->operation, mine))
	  RELAXED_STORE (&s->read[n], mine);
    }
  return 1;
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
      if (s->host_sites && s->host_sites[at / GRANULE])
	f.other = accscope_simt_host_side (s->host_sites[at / GRANULE], 1);
      accscope_simt_tell_of (a->operation->checker, &f);
    }
}

/* What a lane reads, and uses for more than a copy.  */
static void
use (struct accscope_simt_shadow *s, const struct access *a)
{
  const size_t at = a->address - s->begin;
  const uint8_t bits = (uint8_t) (((1u << a->size) - 1) << at % 8);

  if ((RELAXED_LOAD (&s->defined[at / 8]) & bits) != bits)
    {
      struct accscope_simt_finding f = finding (FOUND_UNINITIALISED, a);

      accscope_simt_tell_of (a->operation->checker, &f);
    }
  stale (s, a, at);
}

static void
change (struct accscope_simt_shadow *s, const struct access *a)
{
  const size_t at = a->address - s->begin;
  const uint64_t bits = bits_of (at % BLOCK, at % BLOCK + a->size);

  define (s, at, a->size, 1);
  if ((RELAXED_LOAD (&s->by_device[at / BLOCK]) & bits) != bits)
    __atomic_fetch_or (&s->by_device[at / BLOCK], bits, __ATOMIC_RELAXED);
  if (s->tainted && RELAXED_LOAD (&s->tainted[at / BLOCK]) & bits)
    __atomic_fetch_and (&s->tainted[at / BLOCK], ~bits, __ATOMIC_RELAXED);
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
      if (size < GRANULE || !settle (w->met.shadow, &a))
	touch (w->met.shadow, &a);
      /* Copies may be of what nobody uses, but hardly of memory where there is nothing at all.  */
      if (store != 1 && (in->together != SIMT_COPIES || !RELAXED_LOAD (&w->met.shadow->any_defined)))
	use (w->met.shadow, &a);
      if (store)
	change (w->met.shadow, &a);
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

struct accscope_simt_looked_at
accscope_simt_looked_at (const struct accscope_simt_checker *c)
{
  return (struct accscope_simt_looked_at) {
    RELAXED_LOAD (&c->looked_at.accesses), RELAXED_LOAD (&c->looked_at.bytes), RELAXED_LOAD (&c->looked_at.launches),
    RELAXED_LOAD (&c->looked_at.compared), RELAXED_LOAD (&c->looked_at.unreadable), accscope_simt_watched (), RELAXED_LOAD (&c->looked_at.host)
  };
}

/* What a transfer does to one side of it.  */
static struct accscope_simt_shadow *
move (struct accscope_simt_operation *o, struct accscope_simt_memory *m, uintptr_t at, size_t bytes, int store)
{
  struct accscope_simt_shadow *s = accscope_simt_memory_find (m, at).shadow;
  struct access a = { .operation = o, .store = store, .address = at, .size = bytes, .cell = { .number = o->first, .thread = BY_TRANSFER, .clock = LAST_CLOCK } };

  if (!s || bytes == 0 || bytes > s->bytes - (at - s->begin))
    return NULL;
  if ((at - s->begin) % GRANULE || bytes % GRANULE || !settle (s, &a))
    touch (s, &a);
  return s;
}

struct accscope_simt_side
accscope_simt_writer (struct accscope_simt_checker *checker, uint64_t cell)
{
  const struct cell c = unpacked (cell, 1);
  const struct known k = accscope_simt_known (checker, c.number);
  struct accscope_simt_side side = { .operation = k.kind, .kernel = k.kernel, .store = 1, .correlation = k.correlation, .gang = c.number - k.first, .thread = UINT32_MAX };

  side.function = accscope_simt_at (c.site, &side.instruction);
  return side;
}

void
accscope_simt_blame (struct accscope_simt_shadow *s, enum accscope_simt_found kind, size_t at, size_t bytes)
{
  struct accscope_simt_finding f = { .kind = kind, .address = s->begin + at, .bytes = bytes, .count = 1, .nearest = { s->begin, s->begin + s->bytes, NULL } };

  f.side = accscope_simt_writer (s->checker, RELAXED_LOAD (&s->written[at / GRANULE]));
  if (f.side.operation == SIMT_KERNEL)
    accscope_simt_tell_of (s->checker, &f);
}

/* A hole of less than 8 bytes that begins behind a member and ends where members may begin is
   padding.  */
static int
is_padding (const struct accscope_simt_shadow *s, size_t at, size_t hole, size_t end)
{
  return hole < 8 && at % 8 != 0 && at > 0 && (at + hole) % 4 == 0 && at + hole <= end && is_defined (s, at - 1);
}

/* Bytes that come to the host, and that nothing has written.  */
static void
bring (struct accscope_simt_operation *o, const struct accscope_simt_shadow *s, size_t at, size_t bytes)
{
  const size_t end = at + bytes;

  while ((at += undefined (s, at, end - at)) < end)
    {
      size_t hole = 1;

      while (at + hole < end && !is_defined (s, at + hole))
	hole++;
      if (!is_padding (s, at, hole, end))
	{
	  struct access a = { .operation = o, .address = s->begin + at, .size = hole };
	  struct accscope_simt_finding f = finding (FOUND_UNINITIALISED, &a);

	  accscope_simt_tell_of (o->checker, &f);
	  return;
	}
      at += hole;
    }
}

static void
overwrite (struct accscope_simt_memory *m, uintptr_t to, size_t bytes)
{
  struct accscope_simt_shadow *s = accscope_simt_memory_find (m, to).shadow;

  if (s && bytes <= s->bytes - (to - s->begin))
    accscope_simt_overwrite (s, to - s->begin, bytes);
}

void
accscope_simt_transfer (struct accscope_simt_operation *o, struct accscope_simt_memory *m, uintptr_t to, uintptr_t from, size_t bytes)
{
  if (to && !from)
    overwrite (m, to, bytes);
  if (from && !to)
    accscope_simt_revert (o, m, from, bytes);

  struct accscope_simt_shadow *source = from ? move (o, m, from, bytes, 0) : NULL, *target = to ? move (o, m, to, bytes, 1) : NULL;

  if (source && !target)
    bring (o, source, from - source->begin, bytes);
  if (!target)
    return;
  accscope_simt_taint (target, to - target->begin, bytes, o->kind == SIMT_UPLOAD);
  if (!source)
    define (target, to - target->begin, bytes, 1);
  else if (undefined (source, from - source->begin, bytes) == bytes)
    define (target, to - target->begin, bytes, 1);
  else
    for (size_t n = 0; n < bytes; n++)
      define (target, to - target->begin + n, 1, is_defined (source, from - source->begin + n));
}

void
accscope_simt_written (struct accscope_simt_memory *m, uintptr_t begin, size_t bytes)
{
  struct accscope_simt_shadow *s = accscope_simt_memory_find (m, begin).shadow;

  if (s && bytes <= s->bytes - (begin - s->begin))
    define (s, begin - s->begin, bytes, 1);
}
