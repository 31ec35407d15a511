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

static void
release_all (struct accscope_simt_shadow *s)
{
  while (s)
    {
      struct accscope_simt_shadow *next = s->next;

      release (s);
      s = next;
    }
}

/* One of the same size that is kept.  Its cells stay as they are: their operations have lower numbers
   than those to come.  */
static struct accscope_simt_shadow *
kept (struct accscope_simt_checker *c, size_t bytes)
{
  struct accscope_simt_shadow *s, *spare = NULL, **place = &c->kept;

  pthread_mutex_lock (&c->lock);
  c->live += bytes;
  if (c->live > c->most)
    c->most = c->live;
  while (*place && (*place)->bytes != bytes)
    place = &(*place)->next;
  if ((s = *place))
    {
      c->kept_bytes -= bytes;
      *place = s->next;
      s->born = c->next;
    }
  while (c->kept && c->live + c->kept_bytes > c->most)
    {
      struct accscope_simt_shadow *other = c->kept;

      c->kept_bytes -= other->bytes;
      c->kept = other->next;
      other->next = spare;
      spare = other;
    }
  pthread_mutex_unlock (&c->lock);
  release_all (spare);
  return s;
}

/* As if it had just been made.  */
static void
clear (struct accscope_simt_shadow *s)
{
  const size_t granules = (s->bytes + GRANULE - 1) / GRANULE + 1, blocks = s->bytes / BLOCK + 1;
  const struct accscope_simt_shadow made = {
    .bytes = s->bytes, .written = s->written, .read = s->read, .born = s->born, .defined = s->defined, .agreed = s->agreed,
    .by_device = s->by_device, .by_host = s->by_host, .unread = s->unread, .since = s->since, .host_sites = s->host_sites
  };

  free (s->tainted);
  *s = made;
  memset (s->defined, 0, blocks * (BLOCK / 8));
  memset (s->agreed, 0, blocks * sizeof *s->agreed);
  memset (s->by_device, 0, blocks * sizeof *s->by_device);
  memset (s->by_host, 0, blocks * sizeof *s->by_host);
  memset (s->since, 0, blocks * sizeof *s->since);
  if (s->unread)
    memset (s->unread, 0, blocks * sizeof *s->unread);
  if (s->host_sites)
    memset (s->host_sites, 0, granules * sizeof *s->host_sites);
}

static struct accscope_simt_shadow *
fresh (size_t bytes)
{
  const size_t granules = (bytes + GRANULE - 1) / GRANULE + 1, blocks = bytes / BLOCK + 1;
  const int watched = accscope_simt_watched ();
  struct accscope_simt_shadow *s = calloc (1, sizeof *s);

  if (!s)
    return NULL;
  s->bytes = bytes;
  if (!(s->written = calloc (granules, sizeof *s->written)) || !(s->read = calloc (granules, sizeof *s->read))
      || !(s->defined = calloc (blocks, BLOCK / 8)) || !(s->agreed = calloc (blocks, sizeof *s->agreed))
      || !(s->by_device = calloc (blocks, sizeof *s->by_device)) || !(s->by_host = calloc (blocks, sizeof *s->by_host))
      || !(s->since = calloc (blocks, sizeof *s->since))
      || (watched && (!(s->unread = calloc (blocks, sizeof *s->unread)) || !(s->host_sites = calloc (granules, sizeof *s->host_sites)))))
    {
      release (s);
      return NULL;
    }
  return s;
}

struct accscope_simt_shadow *
accscope_simt_shadow_of (struct accscope_simt_checker *c, uintptr_t begin, size_t bytes)
{
  static uint64_t last;
  struct accscope_simt_shadow *s = kept (c, bytes);

  if (s)
    clear (s);
  else if (!(s = fresh (bytes)))
    {
      pthread_mutex_lock (&c->lock);
      c->live -= bytes;
      pthread_mutex_unlock (&c->lock);
      return NULL;
    }
  s->checker = c;
  s->serial = __atomic_add_fetch (&last, 1, __ATOMIC_RELAXED);
  s->begin = begin;
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
  c->live -= s->bytes;
  pthread_mutex_unlock (&c->lock);
}

/* Frees those whose allocations are gone, but for as many as do not take more than there were at
   most: nothing runs.  */
void
accscope_simt_free_gone (struct accscope_simt_checker *c)
{
  struct accscope_simt_shadow *spare = NULL;

  pthread_mutex_lock (&c->lock);
  for (struct accscope_simt_shadow *s; (s = c->gone);)
    {
      struct accscope_simt_shadow **to = c->live + c->kept_bytes + s->bytes > c->most ? &spare : &c->kept;

      if (to == &c->kept)
	c->kept_bytes += s->bytes;
      c->gone = s->next;
      s->next = *to;
      *to = s;
    }
  pthread_mutex_unlock (&c->lock);
  release_all (spare);
}

/* Frees those that are kept.  */
void
accscope_simt_free_kept (struct accscope_simt_checker *c)
{
  release_all (c->kept);
  c->kept = NULL;
  c->kept_bytes = 0;
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
      s->moved[0] = s->moved[1] = s->newest = s->born = 0;
      if (s->first_change)
	s->first_change = 1;
    }
  accscope_simt_free_kept (c);
  __atomic_add_fetch (&c->forgotten, 1, __ATOMIC_RELAXED);
}
