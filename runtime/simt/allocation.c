/* What is known of allocations, as they come and go.  */
#include "shadow.h"

#include <stdlib.h>
#include <string.h>

static void
release (struct accscope_simt_shadow *s)
{
  free (s->written);
  free (s->read);
  free (s->defined);
  free (s->agreed);
  free (s->by_device);
  free (s->by_host);
  free (s->unread);
  free (s->since);
  free (s->host_sites);
  free (s->tainted);
  free (s);
}

struct accscope_simt_shadow *
accscope_simt_shadow_of (struct accscope_simt_checker *c, uintptr_t begin, size_t bytes)
{
  const size_t granules = (bytes + GRANULE - 1) / GRANULE + 1, blocks = bytes / BLOCK + 1;
  static uint64_t last;
  const int watched = accscope_simt_watched ();
  struct accscope_simt_shadow *s = calloc (1, sizeof *s);

  if (!s)
    return NULL;
  s->checker = c;
  s->serial = __atomic_add_fetch (&last, 1, __ATOMIC_RELAXED);
  s->begin = begin;
  s->bytes = bytes;
  if (!(s->written = calloc (granules, sizeof *s->written)) || !(s->read = calloc (granules, sizeof *s->read))
      || !(s->defined = calloc (bytes / 8 + 1, 1)) || !(s->agreed = calloc (blocks, sizeof *s->agreed))
      || !(s->by_device = calloc (blocks, sizeof *s->by_device)) || !(s->by_host = calloc (blocks, sizeof *s->by_host))
      || !(s->since = calloc (blocks, sizeof *s->since))
      || (watched && (!(s->unread = calloc (blocks, sizeof *s->unread)) || !(s->host_sites = calloc (granules, sizeof *s->host_sites)))))
    {
      release (s);
      return NULL;
    }
  pthread_mutex_lock (&c->lock);
  s->next = c->shadows;
  s->at = &c->shadows;
  if (s->next)
    s->next->at = &s->next;
  c->shadows = s;
  pthread_mutex_unlock (&c->lock);
  return s;
}

/* Its allocation is gone.  Kernels that run may still look at it.  */
void
accscope_simt_shadow_end (struct accscope_simt_shadow *s)
{
  struct accscope_simt_checker *c = s->checker;

  accscope_simt_discard (s);
  accscope_simt_keep_discarded (s);
  accscope_simt_host_forget (c, s);
  pthread_mutex_lock (&c->lock);
  *s->at = s->next;
  if (s->next)
    s->next->at = s->at;
  s->next = c->gone;
  c->gone = s;
  pthread_mutex_unlock (&c->lock);
}

/* Frees those whose allocations are gone: nothing runs.  */
void
accscope_simt_free_gone (struct accscope_simt_checker *c)
{
  struct accscope_simt_shadow *s;

  pthread_mutex_lock (&c->lock);
  s = c->gone;
  c->gone = NULL;
  pthread_mutex_unlock (&c->lock);
  while (s)
    {
      struct accscope_simt_shadow *next = s->next;

      release (s);
      s = next;
    }
}

/* Forgets all accesses: nothing runs, and c->lock is held.  */
void
accscope_simt_forget (struct accscope_simt_checker *c)
{
  for (struct accscope_simt_shadow *s = c->shadows; s; s = s->next)
    {
      const size_t bytes = ((s->bytes + GRANULE - 1) / GRANULE + 1) * sizeof *s->written;

      memset (s->written, 0, bytes);
      memset (s->read, 0, bytes);
    }
  __atomic_add_fetch (&c->forgotten, 1, __ATOMIC_RELAXED);
}
