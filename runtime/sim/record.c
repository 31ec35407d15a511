/* The records of finished operations, from the threads that run them to the Go
   side.  See queue.h.  */
#include "queue.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

unsigned
accscope_sim_append (struct accscope_sim_device *d,
		     const struct accscope_sim_record *r)
{
  for (;;)
    {
      pthread_mutex_lock (&d->recording);
      if (d->record_count == d->record_capacity && d->record_first > 0)
	{
	  d->record_count -= d->record_first;
	  memmove (d->records, d->records + d->record_first,
		   d->record_count * sizeof *r);
	  d->record_first = 0;
	}
      /* At least half of it free, so that moving costs little for each.  */
      if (2 * d->record_count >= d->record_capacity)
	{
	  size_t capacity = d->record_capacity ? 2 * d->record_capacity : 1024;
	  void *more = realloc (d->records, capacity * sizeof *r);
	  if (more)
	    {
	      d->records = more;
	      d->record_capacity = capacity;
	    }
	}
      if (d->record_count < d->record_capacity)
	break;
      /* No memory: no record may be lost, so wait for the reader.  */
      pthread_mutex_unlock (&d->recording);
      sched_yield ();
    }
  d->records[d->record_count++] = *r;
  /* In one order with the reader's falling asleep and looking once more.  */
  __atomic_store_n (&d->appended, d->appended + 1, __ATOMIC_SEQ_CST);
  pthread_mutex_unlock (&d->recording);
  return __atomic_load_n (&d->asleep, __ATOMIC_SEQ_CST)
	 && __atomic_exchange_n (&d->asleep, 0, __ATOMIC_SEQ_CST);
}

size_t
accscope_sim_drain (struct accscope_sim_device *d,
		    struct accscope_sim_record *where, size_t room)
{
  pthread_mutex_lock (&d->recording);
  size_t n = d->record_count - d->record_first;
  if (n > room)
    n = room;
  if (n)
    memcpy (where, d->records + d->record_first, n * sizeof *where);
  d->record_first += n;
  if (d->record_first == d->record_count)
    d->record_first = d->record_count = 0;
  pthread_mutex_unlock (&d->recording);
  return n;
}
