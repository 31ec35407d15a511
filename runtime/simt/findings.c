/* Findings, each kept once for its kind and its two places.  */
#include "shadow.h"

#include <string.h>

#define SITES (1u << 14)
static struct
{
  const struct accscope_simt_function *function;
  uint32_t instruction;
} sites[SITES];
static uint32_t site_count;	/* atomic */

uint16_t
accscope_simt_site (const struct accscope_simt_function *function, uint32_t instruction)
{
  uint32_t number = __atomic_add_fetch (&site_count, 1, __ATOMIC_RELAXED);

  if (number >= SITES)
    return 0;
  sites[number].function = function;
  sites[number].instruction = instruction;
  return (uint16_t) number;
}

const struct accscope_simt_function *
accscope_simt_at (uint32_t site, uint32_t *instruction)
{
  *instruction = sites[site].instruction;
  return sites[site].function;
}

/* Whether two sides are at the same place of the program.  That of a transfer is not known
   here: each is told, unless there are too many.  */
static int
same_side (const struct accscope_simt_side *a, const struct accscope_simt_side *b, int few)
{
  return a->operation == b->operation && a->kernel == b->kernel && a->function == b->function && a->instruction == b->instruction
	 && a->store == b->store && a->returned == b->returned && (a->operation == SIMT_KERNEL || !few || a->correlation == b->correlation);
}

static int
same (const struct accscope_simt_finding *a, const struct accscope_simt_finding *b, int few)
{
  return a->kind == b->kind && same_side (&a->side, &b->side, few) && same_side (&a->other, &b->other, few);
}

static void
again (struct accscope_simt_finding *known, const struct accscope_simt_finding *f)
{
  if (!f->later && f->kind != FOUND_STALE_ON_DEVICE)
    __atomic_store_n (&known->later, 0, __ATOMIC_RELAXED);
  if (f->unequal || f->value != known->value)
    __atomic_store_n (&known->unequal, 1, __ATOMIC_RELAXED);
  __atomic_fetch_add (&known->count, f->count, __ATOMIC_RELAXED);
}

void
accscope_simt_tell_of (struct accscope_simt_checker *c, const struct accscope_simt_finding *f)
{
  uint32_t looked = 0, found;

  for (;;)
    {
      found = __atomic_load_n (&c->found, __ATOMIC_ACQUIRE);
      for (; looked < found; looked++)
	if (same (&c->findings[looked], f, found < MOST_FINDINGS / 4))
	  {
	    again (&c->findings[looked], f);
	    return;
	  }
      if (found == MOST_FINDINGS)
	return;
      pthread_mutex_lock (&c->finding);
      if (c->found == found)
	{
	  c->findings[found] = *f;
	  if (f->both)
	    c->findings[found].mixed = accscope_simt_changed_by_host (f->both);
	  __atomic_store_n (&c->found, found + 1, __ATOMIC_RELEASE);
	  pthread_mutex_unlock (&c->finding);
	  return;
	}
      pthread_mutex_unlock (&c->finding);
    }
}

void
accscope_simt_ended (const struct accscope_simt_launch *l, const struct accscope_simt_function *caller, uint32_t instruction)
{
  const struct accscope_simt_fault *of = &l->fault;
  struct accscope_simt_finding f = {
    .kind = of->reason == SIMT_BARRIER ? FOUND_BARRIER : FOUND_TRAP, .reason = of->reason, .bytes = of->size, .workers = l->workers, .vector = l->vector, .count = 1,
    .side = { .operation = SIMT_KERNEL, .kernel = l->kernel, .function = of->function, .instruction = of->instruction,
	      .gang = of->gang, .thread = of->worker * l->vector + of->lane, .correlation = l->check->correlation },
    .other = { .function = caller, .instruction = instruction }
  };

  RELAXED_STORE (&l->check->strayed, 1);
  switch (of->reason)
    {
    case SIMT_BARRIER: case SIMT_TRAP: case SIMT_CALLED: case SIMT_CALLED_WITH: case SIMT_FREE_OF:
      f.value = of->address;
      accscope_simt_tell_of (l->check->checker, &f);
      break;
    default:
      break; /* this device's bounds, or told as what it is */
    }
}

/* What was stale of an allocation has been brought up to date in a range.  */
void
accscope_simt_later (struct accscope_simt_checker *c, uint64_t allocation, uintptr_t begin, size_t bytes)
{
  for (uint32_t n = 0, found = __atomic_load_n (&c->found, __ATOMIC_ACQUIRE); n < found; n++)
    if (c->findings[n].kind == FOUND_STALE_ON_DEVICE && c->findings[n].allocation == allocation
	&& c->findings[n].address - begin < bytes)
      __atomic_store_n (&c->findings[n].later, 1, __ATOMIC_RELAXED);
}

uint32_t
accscope_simt_found_count (const struct accscope_simt_checker *c)
{
  return __atomic_load_n (&c->found, __ATOMIC_ACQUIRE);
}

const struct accscope_simt_finding *
accscope_simt_found (const struct accscope_simt_checker *c, uint32_t number)
{
  return &c->findings[number];
}

struct accscope_simt_looked_at
accscope_simt_looked_at (const struct accscope_simt_checker *c)
{
  struct accscope_simt_looked_at at = {
    .accesses = RELAXED_LOAD (&c->looked_at.accesses), .bytes = RELAXED_LOAD (&c->looked_at.bytes), .launches = RELAXED_LOAD (&c->looked_at.launches),
    .compared = RELAXED_LOAD (&c->looked_at.compared), .unreadable = RELAXED_LOAD (&c->looked_at.unreadable), .watched = accscope_simt_watched (),
    .hosted = RELAXED_LOAD (&c->looked_at.hosted), .host = RELAXED_LOAD (&c->looked_at.host)
  };

  for (unsigned n = 0; n < UNCOMPARED; n++)
    at.uncompared[n] = RELAXED_LOAD (&c->looked_at.uncompared[n]);
  return at;
}
