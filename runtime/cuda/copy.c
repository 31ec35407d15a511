/* One thread cannot copy as fast as a device takes data, so large copies are
   shared with a few helper threads.  They start with the first such copy, block
   the program's signals and live as long as the process.  */
#define _GNU_SOURCE
#include "cuda.h"
#include "../device/pause.h"
#include "../device/signals.h"

#include <sched.h>
#include <string.h>
#include <unistd.h>

#define PIECE ((size_t) 256 << 10)
#define MOST_HELPERS 7
/* How often a helper looks for the next copy before it sleeps.  */
#define LOOKS 20000

static struct
{
  pthread_mutex_t use;		/* held by the thread whose copy is shared */
  pthread_mutex_t lock;
  pthread_cond_t work;
  unsigned helpers, sleeping;
  unsigned started;

  /* The copy in progress.  A helper may look at it between adding itself to
     inside and taking itself away.  */
  uint64_t number;		/* atomic: changes with each copy */
  unsigned inside;		/* atomic */
  unsigned open;		/* atomic: what follows describes a copy */
  char *to;
  const char *from;
  size_t bytes, pieces;
  size_t next, done;		/* atomic, in pieces */
} shared = { .use = PTHREAD_MUTEX_INITIALIZER, .lock = PTHREAD_MUTEX_INITIALIZER,
	     .work = PTHREAD_COND_INITIALIZER };

static void
take_pieces (void)
{
  size_t i;

  while ((i = __atomic_fetch_add (&shared.next, 1, __ATOMIC_SEQ_CST))
	 < shared.pieces)
    {
      size_t start = i * PIECE;
      size_t n = shared.bytes - start < PIECE ? shared.bytes - start : PIECE;
      memcpy (shared.to + start, shared.from + start, n);
      __atomic_fetch_add (&shared.done, 1, __ATOMIC_SEQ_CST);
    }
}

static void *
help (void *unused)
{
  uint64_t seen = 0;

  (void) unused;
  pthread_setname_np (pthread_self (), "accscope-copy");
  for (;;)
    {
      int looks;
      for (looks = 0; looks < LOOKS; looks++)
	if (__atomic_load_n (&shared.number, __ATOMIC_SEQ_CST) != seen)
	  break;
	else
	  accscope_pause ();
      if (looks == LOOKS)
	{
	  pthread_mutex_lock (&shared.lock);
	  shared.sleeping++;
	  while (__atomic_load_n (&shared.number, __ATOMIC_SEQ_CST) == seen)
	    pthread_cond_wait (&shared.work, &shared.lock);
	  shared.sleeping--;
	  pthread_mutex_unlock (&shared.lock);
	}
      __atomic_fetch_add (&shared.inside, 1, __ATOMIC_SEQ_CST);
      if (__atomic_load_n (&shared.open, __ATOMIC_SEQ_CST))
	{
	  seen = __atomic_load_n (&shared.number, __ATOMIC_SEQ_CST);
	  take_pieces ();
	}
      __atomic_fetch_sub (&shared.inside, 1, __ATOMIC_SEQ_CST);
    }
  return NULL;
}

static void
start_helpers (void)
{
  cpu_set_t allowed;
  unsigned processors = 1, i, wanted;
  sigset_t blocked, before;

  if (sched_getaffinity (0, sizeof allowed, &allowed) == 0)
    processors = CPU_COUNT (&allowed);
  wanted = processors / 2 > MOST_HELPERS ? MOST_HELPERS : processors / 2;
  accscope_asynchronous_signals (&blocked);
  pthread_sigmask (SIG_SETMASK, &blocked, &before);
  for (i = 0; i < wanted; i++)
    {
      pthread_t thread;
      if (pthread_create (&thread, NULL, help, NULL) != 0)
	break;
      pthread_detach (thread);
      shared.helpers++;
    }
  pthread_sigmask (SIG_SETMASK, &before, NULL);
  shared.started = 1;
}

void
accscope_cuda_parallel_copy (void *to, const void *from, size_t bytes)
{
  if (bytes < 2 * PIECE || pthread_mutex_trylock (&shared.use) != 0)
    {
      memcpy (to, from, bytes);
      return;
    }
  if (!shared.started)
    start_helpers ();
  if (shared.helpers == 0)
    {
      pthread_mutex_unlock (&shared.use);
      memcpy (to, from, bytes);
      return;
    }
  /* No helper may look while the copy is being set up.  */
  __atomic_store_n (&shared.open, 0, __ATOMIC_SEQ_CST);
  while (__atomic_load_n (&shared.inside, __ATOMIC_SEQ_CST) != 0)
    accscope_pause ();
  shared.to = to;
  shared.from = from;
  shared.bytes = bytes;
  __atomic_store_n (&shared.done, 0, __ATOMIC_SEQ_CST);
  __atomic_store_n (&shared.next, 0, __ATOMIC_SEQ_CST);
  shared.pieces = (bytes + PIECE - 1) / PIECE;
  pthread_mutex_lock (&shared.lock);
  __atomic_fetch_add (&shared.number, 1, __ATOMIC_SEQ_CST);
  __atomic_store_n (&shared.open, 1, __ATOMIC_SEQ_CST);
  if (shared.sleeping > 0)
    pthread_cond_broadcast (&shared.work);
  pthread_mutex_unlock (&shared.lock);
  take_pieces ();
  while (__atomic_load_n (&shared.done, __ATOMIC_SEQ_CST)
	 < shared.pieces)
    accscope_pause ();
  pthread_mutex_unlock (&shared.use);
}
