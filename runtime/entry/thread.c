/* The program's host threads: numbering, and telling the Go part of their end. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "library.h"

__thread struct thread accscope_self __attribute__ ((tls_model ("initial-exec")))
  = { .shared.place.return_address = ACCSCOPE_NO_THREAD };

#define MAIN_STACK_AT_MOST ((uintptr_t) 1 << 30)

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool have_key;

static void
thread_end (void *argument)
{
  struct thread *t = argument;
  struct passage passage;

  if (!t->known)		/* called again, and not used since */
    {
      accscope_signals_thread_end (t);
      return;
    }
  if (t->shared.engine != 0 && phase () == phase_ready)
    {
      if (accscope_has_left (t))
	accscope_abandoned ();
      if (accscope_enter (t, &passage, NULL))
	{
	  accscope_engine.thread_end (T);
	  accscope_leave (&passage);
	}
    }
  t->shared.engine = 0;
  t->shared.dispatch.depth = 0;	/* the thread may have ended in a callback */
  t->shared.place.return_address = ACCSCOPE_NO_THREAD;
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

/* The main thread's stack grows down from what the kernel has put on it.  Elsewhere
   the system's word for it is a file.  */
static void
find_stack (struct thread *t)
{
  pthread_attr_t attributes;
  struct rlimit limit;
  uintptr_t top;
  void *low;

  if (syscall (SYS_gettid) == getpid ())
    {
      top = getauxval (AT_RANDOM);
      t->stack_bytes = MAIN_STACK_AT_MOST;
      if (getrlimit (RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < t->stack_bytes)
	t->stack_bytes = limit.rlim_cur;
      t->stack_low = top - t->stack_bytes;
    }
  else if (pthread_getattr_np (pthread_self (), &attributes) == 0)
    {
      if (pthread_attr_getstack (&attributes, &low, &t->stack_bytes) == 0)
	t->stack_low = (uintptr_t) low;
      pthread_attr_destroy (&attributes);
    }
}

void
accscope_stack_too_small (size_t left)
{
  accscope_complain ("the calling thread has %zu KiB of its stack left, and OpenACC "
		     "needs %zu: give it a larger one (pthread_attr_setstacksize, "
		     "ulimit -s)", left >> 10, (size_t) ACCSCOPE_LEAST_STACK >> 10);
  exit (1);
}

static void
make_key (void)
{
  have_key = pthread_key_create (&key, thread_end) == 0;
}

/* Called early, so that no signal handler finds its own thread at it.  */
void
accscope_threads_begin (void)
{
  pthread_once (&once, make_key);
}

/* A destructor of another key may use OpenACC after thread_end: setting the
   value again makes the system call it again.  */
void
accscope_thread_begin (struct thread *t)
{
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
  find_stack (t);
  accscope_signals_thread_begin (t);
  t->shared.place.return_address = NULL;
  t->known = 1;
}
