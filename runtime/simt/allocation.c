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
  free (s->changed);
  free (s);
}

struct accscope_simt_shadow *
accscope_simt_shadow_of (struct accscope_simt_checker *c, uintptr_t begin, size_t bytes)
{
  const size_t granules = (bytes + GRANULE - 1) / GRANULE + 1;
  struct accscope_simt_shadow *s = calloc (1, sizeof *s);

  if (!s)
    return NULL;
  s->checker = c;
  s->begin = begin;
  s->bytes = bytes;
  if (!(s->written = calloc (granules, sizeof *s->written)) || !(s->read = calloc (granules, sizeof *s->read))
      || !(s->defined = calloc (bytes / 8 + 1, 1)) || !(s->agreed = calloc (bytes / BLOCK + 1, sizeof *s->agreed))
      || !(s->changed = calloc (bytes / BLOCK + 1, 1)))
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
}
