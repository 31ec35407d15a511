/* Stacks for the program's signal handlers.

   While the Go part runs on a host thread, it is on a stack of a few KB.  It keeps
   the thread's alternate signal stack if there is one, or else makes one of 32
   KB, and has the handlers that the program installed before use it.  Those were
   made for a thread's own stack: so a thread that has none gets a large one before
   it enters the Go part.  */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/mman.h>

#include "library.h"

#define STACK ((size_t) 1 << 20)	/* becomes memory as it is used */
#define GUARD ((size_t) 64 << 10)	/* below it; a multiple of all page sizes */

static char *
make_stack (void)
{
  char *memory = mmap (NULL, GUARD + STACK, PROT_NONE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK,
		       -1, 0);

  if (memory == MAP_FAILED)
    return NULL;
  if (mprotect (memory + GUARD, STACK, PROT_READ | PROT_WRITE) == 0)
    return memory + GUARD;
  munmap (memory, GUARD + STACK);
  return NULL;
}

static void
free_stack (char *stack)
{
  munmap (stack - GUARD, GUARD + STACK);
}

/* Without memory the Go part's has to do.  */
void
accscope_signals_thread_begin (struct thread *t)
{
  stack_t stack;

  if (t->signal_stack != NULL || sigaltstack (NULL, &stack) != 0
      || !(stack.ss_flags & SS_DISABLE))
    return;
  stack = (stack_t) { .ss_sp = make_stack (), .ss_size = STACK };
  if (stack.ss_sp == NULL)
    return;
  if (sigaltstack (&stack, NULL) == 0)
    t->signal_stack = stack.ss_sp;
  else
    free_stack (stack.ss_sp);
}

/* Called when the Go part has left the thread, which may have changed to a stack
   of its own.  */
void
accscope_signals_thread_end (struct thread *t)
{
  const stack_t none = { .ss_flags = SS_DISABLE };
  stack_t now;

  if (t->signal_stack == NULL || sigaltstack (NULL, &now) != 0
      || (now.ss_sp == t->signal_stack && sigaltstack (&none, NULL) != 0))
    return;			/* in use: left to the thread */
  free_stack (t->signal_stack);
  t->signal_stack = NULL;
}
