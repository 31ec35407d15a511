/* persistent.c - a tree of requests: there are few, and they are looked up far more often
   than made.  */
#define _GNU_SOURCE
#include "persistent.h"
#include <pthread.h>
#include <search.h>
#include <stdlib.h>

struct kept
{
  intptr_t request;
  int64_t peer;
  uint64_t bytes;
  int32_t tag, communicator;
  int receives;
};
static void *tree;		/* of struct kept */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int
compare (const void *a, const void *b)
{
  const struct kept *one = a, *other = b;
  return (one->request > other->request) - (one->request < other->request);
}

void
persistent_keep (intptr_t request, const struct accscope_annotation *message, int receives)
{
  struct kept *made = malloc (sizeof *made);
  if (!made)
    return;
  *made = (struct kept) { request, message->number, message->bytes, message->tag,
			  message->communicator, receives };
  pthread_mutex_lock (&lock);
  struct kept **there = tsearch (made, &tree, compare);
  if (there && *there != made)
    **there = *made;
  if (!there || *there != made)
    free (made);
  pthread_mutex_unlock (&lock);
}

void
persistent_forget (intptr_t request)
{
  const struct kept key = { .request = request };
  pthread_mutex_lock (&lock);
  struct kept **there = tfind (&key, &tree, compare);
  struct kept *forgotten = there ? *there : NULL;
  if (forgotten)
    tdelete (&key, &tree, compare);
  pthread_mutex_unlock (&lock);
  free (forgotten);
}

int
persistent_find (intptr_t request, struct accscope_annotation *message, int *receives)
{
  const struct kept key = { .request = request };
  pthread_mutex_lock (&lock);
  struct kept **there = tfind (&key, &tree, compare);
  if (there)
    {
      message->number = (*there)->peer;
      message->bytes = (*there)->bytes;
      message->tag = (*there)->tag;
      message->communicator = (*there)->communicator;
      *receives = (*there)->receives;
    }
  pthread_mutex_unlock (&lock);
  return there != NULL;
}
