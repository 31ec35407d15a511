/* See caches.h.  Threads of the host run gangs beside each other: what they note of a sector at once
   may be counted once or twice, which changes nothing that matters.  */
#define _GNU_SOURCE
#include "caches.h"
#include "warp.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct accscope_simt_caches *
accscope_simt_caches_open (uintptr_t begin, uint64_t bytes, uint64_t second_level)
{
  struct accscope_simt_caches *c = calloc (1, sizeof *c);

  if (!c)
    return NULL;
  c->begin = begin;
  c->sectors = (bytes >> SECTOR_SHIFT) + 1;
  c->epoch_sectors = (second_level >> SECTOR_SHIFT) / EPOCHS + 1;
  c->used = mmap (NULL, c->sectors * sizeof *c->used, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (c->used == MAP_FAILED)
    {
      free (c);
      return NULL;
    }
  return c;
}

void
accscope_simt_caches_close (struct accscope_simt_caches *c)
{
  if (!c)
    return;
  munmap (c->used, c->sectors * sizeof *c->used);
  free (c);
}

void
accscope_simt_caches_begin (struct accscope_simt_caches *c, uint64_t first_level)
{
  const uint64_t sectors = first_level >> SECTOR_SHIFT;

  for (c->tags = 2, c->tag_bits = 1; 2 * c->tags <= sectors && c->tags < MOST_TAGS; c->tag_bits++)
    c->tags *= 2;
  memset (c->met, 0, sizeof c->met);
}

uint32_t
accscope_simt_caches_met (const struct accscope_simt_caches *c)
{
  uint32_t most = 0;

  for (unsigned n = 0; n < MEETINGS; n++)
    most = c->met[n] > most ? c->met[n] : most;
  return most;
}

void
accscope_simt_empty_cache (struct gang *g)
{
  if (!g->tags && !(g->tags = malloc (MOST_TAGS * sizeof *g->tags)))
    return;
  memset (g->tags, 0, g->launch->caches->tags * sizeof *g->tags);
}

void
accscope_simt_cache (struct warp *w, struct accscope_simt_requests *r, uint64_t first, unsigned count, const uint64_t *list, int store)
{
  struct accscope_simt_caches *c = w->gang->launch->caches;
  uint32_t *tags = w->gang->tags;
  unsigned passed = 0, fetched = 0, touched = 0, lines = 0;
  uint64_t line = 0;
  const uint64_t now = __atomic_load_n (&c->touched, __ATOMIC_RELAXED) / c->epoch_sectors;
  const uint16_t epoch = (uint16_t) (now % UINT16_MAX + 1);

  for (unsigned n = 0; n < count; n++)
    {
      const uint64_t sector = list ? list[n] : first + n, at = sector - (c->begin >> SECTOR_SHIFT);

      lines += sector >> 2 != line;
      line = sector >> 2;
      if (tags && store != ATOMICALLY)
	{
	  uint32_t *tag = &tags[(uint32_t) sector * 0x9e3779b1u >> (32 - c->tag_bits)];

	  if (*tag == (uint32_t) sector && !store)
	    continue;
	  *tag = (uint32_t) sector;
	}
      passed++;
      if (at >= c->sectors || c->used[at] == epoch)
	continue;
      /* Behind the last of the numbers the first comes again.  */
      fetched += c->used[at] == 0 || (uint16_t) (epoch - c->used[at] - (epoch < c->used[at])) > EPOCHS;
      c->used[at] = epoch;
      touched++;
    }
  r->passed += passed;
  r->fetched += fetched;
  r->lines += lines;
  r->passing += passed > 0;
  r->fetching += fetched > 0;
  if (touched)
    __atomic_fetch_add (&c->touched, touched, __ATOMIC_RELAXED);
}
