/* Counts what warps do (counters.h): each thread of the host into a set of its own, which are
   added up when they are read.  */
#include "caches.h"
#include "warp.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct accscope_simt_counters
{
  pthread_mutex_t lock;
  const struct accscope_simt_function *functions;
  uint32_t count;
  struct accscope_simt_set *sets, *free;
  struct accscope_simt_launched launched;
};

struct accscope_simt_counters *
accscope_simt_counters_open (const struct accscope_simt_function *functions, uint32_t count)
{
  struct accscope_simt_counters *c = calloc (1, sizeof *c);

  if (!c)
    return NULL;
  pthread_mutex_init (&c->lock, NULL);
  c->functions = functions;
  c->count = count;
  return c;
}

void
accscope_simt_counters_close (struct accscope_simt_counters *c)
{
  if (!c)
    return;
  while (c->sets)
    {
      struct accscope_simt_set *set = c->sets;

      c->sets = set->next;
      for (uint32_t n = 0; n < c->count; n++)
	{
	  free (set->block[n].tally);
	  free (set->block[n].requests);
	}
      free (set);
    }
  pthread_mutex_destroy (&c->lock);
  free (c);
}

struct accscope_simt_set *
accscope_simt_take_set (struct accscope_simt_counters *c)
{
  struct accscope_simt_set *set;

  pthread_mutex_lock (&c->lock);
  if ((set = c->free))
    c->free = set->next_free;
  else if ((set = calloc (1, sizeof *set + c->count * sizeof *set->block)))
    {
      set->next = c->sets;
      c->sets = set;
    }
  pthread_mutex_unlock (&c->lock);
  return set;
}

void
accscope_simt_give_set (struct accscope_simt_counters *c, struct accscope_simt_set *set)
{
  pthread_mutex_lock (&c->lock);
  set->next_free = c->free;
  c->free = set;
  pthread_mutex_unlock (&c->lock);
}

struct accscope_simt_block
accscope_simt_block_of (struct warp *w, const struct accscope_simt_function *f)
{
  struct accscope_simt_block *b = &w->gang->set->block[f - w->gang->launch->functions];

  if (__builtin_expect (!b->tally, 0))
    {
      b->requests = calloc (f->accesses + 1, sizeof *b->requests);
      if (b->requests && !(b->tally = calloc (f->count, sizeof *b->tally)))
	{
	  free (b->requests);
	  b->requests = NULL;
	}
      if (!b->tally)
	accscope_simt_tell (w, NULL, SIMT_NO_MEMORY, 0, 0, 0, 0);
    }
  return *b;
}

static int
ascending (const void *a, const void *b)
{
  uint64_t x = *(const uint64_t *) a, y = *(const uint64_t *) b;

  return (x > y) - (x < y);
}

void
accscope_simt_count_launch (struct accscope_simt_counters *c, const struct accscope_simt_launch *l,
			    const struct accscope_simt_launched *touched, uint64_t *work)
{
  struct accscope_simt_launched *to = &c->launched;
  uint64_t lanes = (uint64_t) l->gangs * l->workers * l->vector;

  if (l->gangs == 0)
    return;
  qsort (work, l->gangs, sizeof *work, ascending);
  pthread_mutex_lock (&c->lock);
  to->launches++;
  to->gangs += l->gangs;
  to->lanes += lanes;
  if (lanes >= (uint64_t) to->geometry[0] * to->geometry[1] * to->geometry[2])
    {
      to->geometry[0] = l->gangs;
      to->geometry[1] = l->workers;
      to->geometry[2] = l->vector;
    }
  to->gangs_touching += touched->gangs_touching;
  to->workers_touching += touched->workers_touching;
  to->lanes_touching += touched->lanes_touching;
  for (uint32_t n = 0; n < l->gangs; n++)
    to->work += work[n];
  to->least_work += work[0];
  to->median_work += work[l->gangs / 2];
  to->most_work += work[l->gangs - 1];
  pthread_mutex_unlock (&c->lock);
}

struct accscope_simt_launched
accscope_simt_launches_of (const struct accscope_simt_counters *c)
{
  return c->launched;
}

int
accscope_simt_met (const struct accscope_simt_counters *c, uint32_t function)
{
  for (const struct accscope_simt_set *set = c->sets; set; set = set->next)
    if (set->block[function].tally)
      return 1;
  return 0;
}

struct accscope_simt_tally
accscope_simt_tally_of (const struct accscope_simt_counters *c, uint32_t function, uint32_t instruction)
{
  struct accscope_simt_tally sum = { 0 };

  for (const struct accscope_simt_set *set = c->sets; set; set = set->next)
    if (set->block[function].tally)
      {
	const struct accscope_simt_tally *t = &set->block[function].tally[instruction];

	sum.issued += t->issued;
	sum.lanes += t->lanes;
	sum.parted += t->parted;
      }
  return sum;
}

struct accscope_simt_requests
accscope_simt_requests_of (const struct accscope_simt_counters *c, uint32_t function, uint32_t access)
{
  struct accscope_simt_requests sum = { 0 };

  for (const struct accscope_simt_set *set = c->sets; set; set = set->next)
    if (set->block[function].requests)
      {
	const struct accscope_simt_requests *r = &set->block[function].requests[access];

	if (!sum.strided)
	  sum.stride = r->stride;
	sum.strided += r->stride == sum.stride ? r->strided : 0;
	sum.requests += r->requests;
	sum.lanes += r->lanes;
	sum.bytes += r->bytes;
	sum.sectors += r->sectors;
	sum.uniform += r->uniform;
	sum.contiguous += r->contiguous;
	sum.addresses += r->addresses;
	sum.most = r->most > sum.most ? r->most : sum.most;
	sum.shared_requests += r->shared_requests;
	sum.shared_lanes += r->shared_lanes;
	sum.shared_bytes += r->shared_bytes;
	sum.shared_passes += r->shared_passes;
	sum.shared_least += r->shared_least;
	sum.local_requests += r->local_requests;
	sum.local_bytes += r->local_bytes;
	sum.passed += r->passed;
	sum.fetched += r->fetched;
	sum.passing += r->passing;
	sum.fetching += r->fetching;
      }
  return sum;
}

static void
add_requests (struct accscope_simt_requests *to, const struct accscope_simt_requests *r)
{
  to->requests += r->requests;
  to->lanes += r->lanes;
  to->bytes += r->bytes;
  to->sectors += r->sectors;
  to->addresses += r->addresses;
  to->shared_requests += r->shared_requests;
  to->shared_lanes += r->shared_lanes;
  to->shared_passes += r->shared_passes;
  to->local_requests += r->local_requests;
  to->local_bytes += r->local_bytes;
  to->passed += r->passed;
  to->fetched += r->fetched;
  to->passing += r->passing;
  to->fetching += r->fetching;
  to->lines += r->lines;
  to->local_sectors += r->local_sectors;
}

void
accscope_simt_add_totals (const struct accscope_simt_counters *c, uint32_t function, const struct accscope_simt_weight *weights,
			  struct accscope_simt_totals *to)
{
  const uint32_t count = c->functions[function].count;

  for (const struct accscope_simt_set *set = c->sets; set; set = set->next)
    for (uint32_t n = 0; set->block[function].tally && n < count; n++)
      {
	const struct accscope_simt_weight *w = &weights[n];
	const uint64_t issued = set->block[function].tally[n].issued;

	to->machine[w->pipe] += issued * w->machine;
	to->cycles += issued * w->cycles;
	to->accesses += issued * w->accesses;
	if (w->access && issued)
	  add_requests (w->pipe == PIPE_LOAD ? &to->load : w->pipe == PIPE_STORE ? &to->store : &to->atomic,
			&set->block[function].requests[w->access - 1]);
      }
}

/* Different numbers of a request's lanes, so far; lanes most often go up.  */
struct different
{
  uint64_t filter, most;	/* a bit for each that may be there */
  unsigned count;
  uint64_t number[LANES];
};

static inline void
note (struct different *d, uint64_t number)
{
  const uint64_t bit = (uint64_t) 1 << ((number * 0x9e3779b97f4a7c15) >> 58);

  if (d->count && number == d->number[d->count - 1])
    return;
  if (d->count && number <= d->most && d->filter & bit)
    for (unsigned n = 0; n < d->count; n++)
      if (d->number[n] == number)
	return;
  d->filter |= bit;
  d->most = number > d->most || !d->count ? number : d->most;
  d->number[d->count++] = number;
}

/* Lanes whose addresses are a fixed number of bytes apart, lane by lane; 0: they are not.  */
static int
apart (const uint64_t *place, uint32_t mask, int64_t *stride)
{
  unsigned first = (unsigned) __builtin_ctz (mask), last = 31 - (unsigned) __builtin_clz (mask);
  int64_t whole = (int64_t) (place[last] - place[first]), lanes = (int64_t) (last - first);

  if (lanes == 0 || whole % lanes != 0)
    return 0;
  *stride = whole / lanes;
  for (uint32_t rest = mask; rest; rest &= rest - 1)
    {
      unsigned i = (unsigned) __builtin_ctz (rest);

      if ((int64_t) (place[i] - place[first]) != *stride * (int64_t) (i - first))
	return 0;
    }
  return 1;
}

/* Passes of shared memory for lanes of which each has up to 4 bytes, or one half of 8: each bank
   gives one word at a time, to all lanes that ask for it.  */
static unsigned
passes (const uint64_t *place, uint32_t mask)
{
  struct different words = { .count = 0 };
  uint8_t bank[32] = { 0 };
  unsigned most = 0;

  for (uint32_t rest = mask; rest; rest &= rest - 1)
    {
      unsigned before = words.count, at;

      note (&words, place[__builtin_ctz (rest)] >> 2);
      if (words.count > before)
	{
	  at = words.number[before] & 31;
	  most = ++bank[at] > most ? bank[at] : most;
	}
    }
  return most;
}

static void
count_shared (struct accscope_simt_requests *r, const uint64_t *place, uint32_t mask, unsigned size, unsigned lanes)
{
  r->shared_requests++;
  r->shared_lanes += lanes;
  r->shared_bytes += (uint64_t) lanes * size;
  if (size <= 4)
    {
      r->shared_passes += passes (place, mask);
      r->shared_least++;
      return;
    }
  /* Of 8 bytes half of the lanes are served at a time.  Both words of a lane are in neighbouring
     banks: what counts is which pairs of banks meet.  */
  for (unsigned half = 0; half < 2; half++)
    {
      uint32_t part = mask & (half ? 0xffff0000 : 0xffff);
      uint64_t pair[LANES] = { 0 };

      for (uint32_t rest = part; rest; rest &= rest - 1)
	{
	  unsigned i = (unsigned) __builtin_ctz (rest);

	  pair[i] = (place[i] >> 3 << 2 & 0x3c) | place[i] >> 7 << 7;
	}
      if (part)
	{
	  r->shared_passes += passes (pair, part);
	  r->shared_least++;
	}
    }
}

/* How many lanes of an atomic operation meet at one address, and how many addresses there are.  */
static unsigned
count_meetings (struct accscope_simt_requests *r, const uint64_t *place, uint32_t mask)
{
  unsigned addresses = 0;

  for (uint32_t rest = mask; rest;)
    {
      uint64_t at = place[__builtin_ctz (rest)], lanes = 0;

      for (uint32_t other = rest; other; other &= other - 1)
	{
	  unsigned i = (unsigned) __builtin_ctz (other);

	  if (place[i] == at)
	    {
	      rest &= ~((uint32_t) 1 << i);
	      lanes++;
	    }
	}
      addresses++;
      r->most = lanes > r->most ? lanes : r->most;
    }
  r->addresses += addresses;
  return addresses;
}

static void
meet (struct accscope_simt_caches *c, uint64_t address, uint32_t weight)
{
  __atomic_fetch_add (&c->met[address * 0x9e3779b97f4a7c15 >> 48], weight, __ATOMIC_RELAXED);
}

/* Notes where the lanes of an atomic operation update memory.  */
static void
note_meetings (struct accscope_simt_caches *c, const uint64_t *place, uint32_t mask, unsigned size)
{
  const unsigned lanes = (unsigned) __builtin_popcount (mask);
  const uint64_t first = place[__builtin_ctz (mask)];
  int64_t stride = 0;

  if (lanes == 1 || !apart (place, mask, &stride))
    stride = -1;
  if (lanes > 1 && stride == 0)
    meet (c, first, lanes);
  else if (lanes == 1)
    meet (c, first, 1);
  else if (stride == (int64_t) size)
    for (uint64_t line = first >> 7; line <= (first + (lanes - 1) * size) >> 7; line++)
      meet (c, line << 7, MET_TOGETHER);
  else
    for (uint32_t rest = mask; rest; rest &= rest - 1)
      meet (c, place[__builtin_ctz (rest)], MET_APART);
}

/* Sectors of lanes' stacks: a word of 4 bytes lies beside those of the other lanes of the same place.  */
static unsigned
local_sectors (const struct warp *w, const uint64_t *place, enum spread spread, uint32_t mask, unsigned size)
{
  unsigned sectors = 0;

  if (spread != APART)	/* to one lane's stack */
    return (size + 3) / 4;
  for (unsigned word = 0; word < size; word += 4)
    {
      struct different found = { .count = 0 };

      for (uint32_t rest = mask; rest; rest &= rest - 1)
	{
	  unsigned i = (unsigned) __builtin_ctz (rest);

	  note (&found, (place[i] - (uint64_t) lane_stack (w, i) + word) / 4 * 4 + i / 8 + 1);
	}
      sectors += found.count;
    }
  return sectors;
}

void
accscope_simt_count (struct warp *w, struct accscope_simt_requests *r, const uint64_t *place, enum spread spread,
		     uint32_t mask, unsigned size, int store)
{
  const struct accscope_simt_launch *l = w->gang->launch;
  const unsigned lanes = (unsigned) __builtin_popcount (mask);
  const uint64_t first = spread == APART ? place[__builtin_ctz (mask)] : *place;
  struct different sectors = { .count = 0 };
  uint64_t all[LANES];
  int64_t stride;

  if (first - (uint64_t) w->stack < LANES * STRIDE (l->stack))
    {
      r->local_requests++;
      r->local_bytes += (uint64_t) lanes * size;
      if (l->caches)
	r->local_sectors += local_sectors (w, place, spread, mask, size);
      return;
    }
  if (first - (uint64_t) w->gang->shared < l->shared)
    {
      if (spread != APART)
	for (unsigned i = 0; i < LANES; i++)
	  all[i] = first + (spread == BEHIND ? i * size : 0);
      count_shared (r, spread == APART ? place : all, mask, size, lanes);
      if (store == ATOMICALLY)
	count_meetings (r, place, mask);
      return;
    }
  if (first - (uint64_t) w->nowhere < sizeof w->nowhere)
    return;
  r->requests++;
  r->lanes += lanes;
  r->bytes += (uint64_t) lanes * size;
  if (first - *(const uint64_t *) l->parameters >= l->block_bytes)
    w->touching |= mask;
  if (spread == SAME)
    {
      r->uniform++;
      r->sectors++;
      if (l->caches)
	accscope_simt_cache (w, r, first >> SECTOR_SHIFT, 1, NULL, store);
      return;
    }
  if (spread == BEHIND)
    {
      const uint64_t count = ((first + LANES * size - 1) >> SECTOR_SHIFT) - (first >> SECTOR_SHIFT) + 1;

      r->contiguous++;
      r->sectors += count;
      if (l->caches)
	accscope_simt_cache (w, r, first >> SECTOR_SHIFT, (unsigned) count, NULL, store);
      return;
    }
  for (uint32_t rest = mask; rest; rest &= rest - 1)
    note (&sectors, place[__builtin_ctz (rest)] >> SECTOR_SHIFT);
  r->sectors += sectors.count;
  if (l->caches)
    accscope_simt_cache (w, r, 0, sectors.count, sectors.number, store);
  if (apart (place, mask, &stride))
    {
      r->uniform += stride == 0;
      r->contiguous += stride == (int64_t) size;
      if (stride != 0 && stride != (int64_t) size)
	{
	  r->stride = r->strided ? r->stride : stride;
	  r->strided += stride == r->stride;
	}
    }
  if (store == ATOMICALLY)	/* lanes that meet take one after the other */
    {
      r->sectors += lanes - count_meetings (r, place, mask);
      if (l->caches)
	note_meetings (l->caches, place, mask, size);
    }
}
