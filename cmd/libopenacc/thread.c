/* The program's host threads: numbering, and telling the Go part of their end. */
#include <pthread.h>
#include <stdlib.h>

#include "library.h"

__thread struct thread accscope_self
  __attribute__ ((tls_model ("initial-exec")));

static pthread_key_t key;
static bool have_key;

static void
thread_end (void *argument)
{
  struct thread *t = argument;

  if (!t->known)		/* called again, and not used since */
    {
      accscope_signals_thread_end (t);
      return;
    }
  if (t->shared.engine != 0 && phase () == phase_ready)
    accscope_engine.thread_end (&t->shared);
  t->shared.engine = 0;
  t->shared.left = NULL;
  t->shared.dispatch.depth = 0;	/* the thread may have ended in a callback */
  t->shared.device = NULL;
  t->known = 0;
  if (t->region != t->region_inline)
    free (t->region);
  t->region = NULL;
  t->regions = t->region_capacity = 0;
  /* The Go part keeps to the thread until its own destructor has run.  */
  if (t->signal_stack != NULL)
    pthread_setspecific (key, t);
}

static void
make_key (void)
{
  have_key = pthread_key_create (&key, thread_end) == 0;
}

/* A destructor of another key may use OpenACC after thread_end: setting the
   value again makes the system call it again.  */
void
accscope_thread_begin (struct thread *t)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  static int32_t threads;

  pthread_once (&once, make_key);
  if (have_key)
    pthread_setspecific (key, t);
  t->shared.dispatch.thread_id = __atomic_fetch_add (&threads, 1,
						     __ATOMIC_RELAXED);
  if (t->region == NULL)
    {
      t->region = t->region_inline;
      t->region_capacity = sizeof t->region_inline
			   / sizeof t->region_inline[0];
    }
  accscope_signals_thread_begin (t);
  t->known = 1;
}
