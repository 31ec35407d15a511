/* Which operations are over before which others begin.  */
#include "shadow.h"

#include <stdlib.h>
#include <string.h>

struct accscope_simt_checker *
accscope_simt_checker_open (void)
{
  struct accscope_simt_checker *c = calloc (1, sizeof *c);

  if (!c)
    return NULL;
  pthread_rwlock_init (&c->running, NULL);
  pthread_mutex_init (&c->lock, NULL);
  pthread_mutex_init (&c->finding, NULL);
  c->next = 1;
  return c;
}

void
accscope_simt_checker_end (struct accscope_simt_checker *c)
{
  accscope_simt_host_forget (c, NULL);
  c->ended = 1;
}

void
accscope_simt_checker_close (struct accscope_simt_checker *c)
{
  if (!c)
    return;
  accscope_simt_host_forget (c, NULL);
  accscope_simt_forget_discarded (c);
  accscope_simt_free_gone (c);
  accscope_simt_free_kept (c);
  pthread_rwlock_destroy (&c->running);
  pthread_mutex_destroy (&c->lock);
  pthread_mutex_destroy (&c->finding);
  free (c);
}

static void
learn (struct accscope_simt_stamp *s, const struct accscope_simt_stamp *of)
{
  for (unsigned q = 0; q < CHECKED_QUEUES; q++)
    if (of->clock[q] > s->clock[q])
      s->clock[q] = of->clock[q];
}

static struct accscope_simt_stamp *
copy (const struct accscope_simt_stamp *s)
{
  struct accscope_simt_stamp *made = malloc (sizeof *made);

  if (made)
    *made = *s;
  return made;
}

static uint32_t
queue (struct accscope_simt_checker *c)
{
  uint32_t number;

  pthread_mutex_lock (&c->lock);
  number = c->queue_count < CHECKED_QUEUES ? c->queue_count++ : CHECKED_QUEUES;
  if (number < CHECKED_QUEUES)
    c->queues[number].queue = number;
  pthread_mutex_unlock (&c->lock);
  return number;
}

static struct accscope_simt_stamp *
submit (struct accscope_simt_checker *c, uint32_t queue)
{
  struct accscope_simt_stamp *s, *made;

  if (queue >= CHECKED_QUEUES)
    return NULL;
  s = &c->queues[queue];
  pthread_mutex_lock (&c->lock);
  learn (s, &c->host);
  made = copy (s);
  if (made)
    made->launch = RELAXED_LOAD (&c->looked_at.launches);
  s->clock[queue] = ++s->sequence;
  if (made)
    made->sequence = s->sequence;
  pthread_mutex_unlock (&c->lock);
  return made;
}

static struct accscope_simt_stamp *
mark (struct accscope_simt_checker *c, uint32_t queue)
{
  struct accscope_simt_stamp *made;

  if (queue >= CHECKED_QUEUES)
    return NULL;
  pthread_mutex_lock (&c->lock);
  made = copy (&c->queues[queue]);
  pthread_mutex_unlock (&c->lock);
  return made;
}

static void
wait_for (struct accscope_simt_checker *c, uint32_t queue, const struct accscope_simt_stamp *s)
{
  if (queue >= CHECKED_QUEUES || !s)
    return;
  pthread_mutex_lock (&c->lock);
  learn (&c->queues[queue], s);
  pthread_mutex_unlock (&c->lock);
}

static void
heard (struct accscope_simt_checker *c, const struct accscope_simt_stamp *s)
{
  if (!s)
    return;
  pthread_mutex_lock (&c->lock);
  learn (&c->host, s);
  pthread_mutex_unlock (&c->lock);
}

static void
idle (struct accscope_simt_checker *c, uint32_t queue)
{
  if (queue < CHECKED_QUEUES)
    heard (c, &c->queues[queue]);
}

int
accscope_simt_heard (struct accscope_simt_checker *c, uint32_t queue, uint64_t sequence)
{
  int is;

  pthread_mutex_lock (&c->lock);
  is = sequence <= c->host.clock[queue];
  pthread_mutex_unlock (&c->lock);
  return is;
}

/* The lowest number of an operation that may run beside this one: all that have begun are
   looked at, from the last one, until as many were found as this one does not know to be
   over.  c->lock is held.  */
static uint32_t
settled (const struct accscope_simt_checker *c, const struct accscope_simt_stamp *s)
{
  enum { LOOKED_AT = 1024 };
  uint64_t open = 0, last = c->known_count > KNOWN ? c->known_count - KNOWN : 0, n = c->known_count;
  uint32_t lowest = c->next;

  for (unsigned q = 0; q < c->queue_count; q++)
    if (q != s->queue && c->begun[q] > s->clock[q])
      open += c->begun[q] - s->clock[q];
  for (; open && n > last; n--)
    {
      const struct known *k = &c->known[(n - 1) % KNOWN];

      if (c->known_count - n == LOOKED_AT)
	return 0;
      if (k->sequence > s->clock[k->queue])
	{
	  lowest = k->first;
	  open--;
	}
    }
  return lowest;
}

/* Cells tell operations by numbers of NUMBERS; when these are used up all are forgotten,
   while nothing runs.  */
static void
begin (struct accscope_simt_operation *o, uint32_t count)
{
  struct accscope_simt_checker *c = o->checker;
  const uint32_t numbers = count < NUMBERS / 2 ? count : NUMBERS / 2;

  for (;;)
    {
      int fits;

      pthread_rwlock_rdlock (&c->running);
      pthread_mutex_lock (&c->lock);
      fits = c->next + numbers < NUMBERS;
      if (fits)
	{
	  o->settled = settled (c, o->stamp);
	  c->begun[o->stamp->queue] = o->stamp->sequence;
	  o->first = c->next;
	  o->count = numbers;
	  c->next += numbers;
	  c->known[c->known_count++ % KNOWN] = (struct known) { o->first, o->count, o->stamp->queue, o->kind, o->stamp->sequence, o->correlation, o->kernel };
	}
      pthread_mutex_unlock (&c->lock);
      if (fits)
	{
	  o->begun = accscope_simt_nanoseconds ();
	  return;
	}
      pthread_rwlock_unlock (&c->running);
      pthread_rwlock_wrlock (&c->running);
      pthread_mutex_lock (&c->lock);
      if (c->next + numbers >= NUMBERS)
	{
	  accscope_simt_forget (c);
	  c->next = 1;
	  c->known_count = 0;
	}
      pthread_mutex_unlock (&c->lock);
      pthread_rwlock_unlock (&c->running);
    }
}

static void
end (struct accscope_simt_operation *o)
{
  struct accscope_simt_checker *c = o->checker;

  __atomic_fetch_add (&c->ran, accscope_simt_nanoseconds () - o->begun, __ATOMIC_RELAXED);
  pthread_rwlock_unlock (&c->running);
  if (__atomic_load_n (&c->gone, __ATOMIC_RELAXED) && pthread_rwlock_trywrlock (&c->running) == 0)
    {
      accscope_simt_free_gone (c);
      pthread_rwlock_unlock (&c->running);
    }
}

/* The operation that has a number: zeros where it is too long ago.  */
struct known
accscope_simt_known (struct accscope_simt_checker *c, uint32_t number)
{
  struct known found = { 0 };
  uint64_t low, high;

  pthread_mutex_lock (&c->lock);
  high = c->known_count;
  low = high > KNOWN ? high - KNOWN : 0;
  while (low < high)
    {
      uint64_t middle = (low + high) / 2;
      const struct known *k = &c->known[middle % KNOWN];

      if (k->first + k->count <= number)
	low = middle + 1;
      else
	high = middle;
    }
  if (low < c->known_count && c->known[low % KNOWN].first <= number)
    found = c->known[low % KNOWN];
  pthread_mutex_unlock (&c->lock);
  return found;
}

/* Whether another operation is over before this one.  */
int
accscope_simt_before (const struct known *other, const struct accscope_simt_operation *o)
{
  return other->count == 0 || other->sequence <= o->stamp->clock[other->queue];
}

const struct accscope_simt_checks accscope_simt_checks
  = { queue, submit, mark, wait_for, heard, idle, begin, end, accscope_simt_transfer, accscope_simt_same, accscope_simt_moves,
      accscope_simt_launched, accscope_simt_host_begin, accscope_simt_host_end };
