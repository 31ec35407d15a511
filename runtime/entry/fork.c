/* A Go runtime does not survive fork: its threads are gone and its locks are
   as they were.  A child of a process that had opened the Go part never enters
   it; it may exec, _exit and exit as it likes.  A child forked earlier is a
   process like any other.  */
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "library.h"

/* Where the Go part's code is: signal handlers in there are its own.  */
static uintptr_t engine_low, engine_high;
static struct sigaction before[NSIG];
static bool saved[NSIG];

static void
in_child (void)
{
  struct sigaction now;
  int signal;

  if (phase () == phase_none)
    {
      accscope_load_in_child ();
      accscope_early_in_child ();
      accscope_activity_in_child ();
      return;
    }
  __atomic_store_n (&accscope_phase, phase_forked, __ATOMIC_RELEASE);
  accscope_self.shared.device = NULL;
  accscope_self.shared.engine = 0;
  for (signal = 1; signal < NSIG; signal++)
    if (saved[signal] && sigaction (signal, NULL, &now) == 0
	&& (uintptr_t) now.sa_handler >= engine_low
	&& (uintptr_t) now.sa_handler < engine_high)
      sigaction (signal, &before[signal], NULL);
}

void
accscope_fork_begin (void)
{
  pthread_atfork (NULL, NULL, in_child);
}

/* Called with null before the Go part is opened, when the program's signal
   handlers are still in place, then with an address inside of it.  */
void
accscope_fork_engine (const void *address)
{
  struct objects all;
  size_t i;
  int signal;

  if (address == NULL)
    {
      for (signal = 1; signal < NSIG; signal++)
	saved[signal] = sigaction (signal, NULL, &before[signal]) == 0;
      return;
    }
  if (!accscope_objects (&all))
    return;
  for (i = 0; i < all.count; i++)
    if ((uintptr_t) address >= all.object[i].low
	&& (uintptr_t) address < all.object[i].high)
      {
	engine_low = all.object[i].low;
	engine_high = all.object[i].high;
      }
  accscope_objects_free (&all);
}

void
accscope_forked_call (void)
{
  accscope_complain ("OpenACC was used in a process that was forked from one "
		     "already using it; fork before the first use, or exec");
  _exit (1);
}
