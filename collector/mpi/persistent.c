/* persistent.c - an array in order of requests: there are few, and they are looked up far
   more often than made.  */
#include "persistent.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static struct kept
{
  intptr_t request;
  int64_t peer;
  uint64_t bytes;
  int32_t tag, communicator;
  int receives;
} *list;
static size_t count, room;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The first whose request is not less; LOCK is held.  */
static size_t
place_of (intptr_t request)
{
  size_t low = 0, high = count;
  while (low < high)
    {
      size_t middle = low + (high - low) / 2;
      if (list[middle].request < request)
	low = middle + 1;
      else
	high = middle;
    }
  return low;
}

void
persistent_keep (intptr_t request, const struct accscope_annotation *message, int receives)
{
  pthread_mutex_lock (&lock);
  size_t at = place_of (request);
  if (at == count || list[at].request != request)
    {
      if (count == room)
	{
	  size_t larger = room ? room * 2 : 16;
	  struct kept *more = realloc (list, larger * sizeof *more);
	  if (!more)
	    {
	      pthread_mutex_unlock (&lock);
	      return;
	    }
	  list = more;
	  room = larger;
	}
      memmove (list + at + 1, list + at, (count++ - at) * sizeof *list);
    }
  list[at] = (struct kept) { request, message->number, message->bytes, message->tag,
			     message->communicator, receives };
  pthread_mutex_unlock (&lock);
}

void
persistent_forget (intptr_t request)
{
  pthread_mutex_lock (&lock);
  size_t at = place_of (request);
  if (at < count && list[at].request == request)
    memmove (list + at, list + at + 1, (--count - at) * sizeof *list);
  pthread_mutex_unlock (&lock);
}

int
persistent_find (intptr_t request, struct accscope_annotation *message, int *receives)
{
  pthread_mutex_lock (&lock);
  size_t at = place_of (request);
  int found = at < count && list[at].request == request;
  if (found)
    {
      message->number = list[at].peer;
      message->bytes = list[at].bytes;
      message->tag = list[at].tag;
      message->communicator = list[at].communicator;
      *receives = list[at].receives;
    }
  pthread_mutex_unlock (&lock);
  return found;
}
