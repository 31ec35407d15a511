/* The way into the Go part.  Every function of engine.h is called through one of
   the same type here, which opens the Go part if that has not happened, and does
   what Go code and the C code under it need on a thread of the program's:

   - The thread cannot be cancelled inside, where locks are held; a request acts
     at the program's next cancellation point.
   - A signal handler that interrupted the Go part cannot enter it: its call does
     nothing, and answers 0.
   - A call that is left by longjmp leaves the Go part's frames behind.  From a
     callback that is harmless: later calls are made as if from there.  Where the Go
     part or a kernel was interrupted, locks are held and queues are never done, and
     the program ends with a message when that is noticed.  */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "library.h"

/* In place of a call that cannot be made.  */
static uintptr_t
nothing (void)
{
  return 0;
}

const struct engine accscope_nothing = {
#define REFUSE(result, name, parameters, arguments) .name = (void *) nothing,
  ACCSCOPE_ENGINE_FUNCTIONS (REFUSE, struct accscope_thread *)
#undef REFUSE
};

static bool
refuse (const char *call, const char *why)
{
  static int said;

  if (call != NULL && !__atomic_exchange_n (&said, 1, __ATOMIC_RELAXED))
    accscope_complain ("a call (%s) was made %s: it does nothing, nor will further "
		       "ones; let handlers set a flag", call, why);
  return false;
}

void
accscope_abandoned (void)
{
  if (__atomic_exchange_n (&accscope_phase, phase_abandoned, __ATOMIC_ACQ_REL)
      == phase_abandoned)
    _exit (1);			/* said; a handler has left exit, too */
  accscope_complain ("an OpenACC call was left by longjmp, siglongjmp or an "
		     "exception: devices cannot be used any more; let handlers "
		     "and callbacks return, and check a flag after the call");
  exit (1);
}

/* What lies where the call at P has put its return address.  */
static const void *
kept_at (const struct accscope_place *p)
{
#if defined __aarch64__
  /* Without its signature, if there is one (xpaclri).  */
  register const void *address __asm__ ("x30") = *p->kept;
  __asm__ ("hint 7" : "+r" (address));
  return address;
#else
  return ((const void *const *) p->stack_pointer)[-1];
#endif
}

/* Whether the call that was made at P is over without having returned, as seen from
   a stack pointer now.  */
static bool
is_gone (const struct accscope_place *p, const void *now)
{
  const char *then = p->stack_pointer;
  bool was_on = false, is_on = false;
  stack_t stack;

  if (sigaltstack (NULL, &stack) == 0 && !(stack.ss_flags & SS_DISABLE))
    {
      is_on = stack.ss_flags & SS_ONSTACK;
      was_on = then > (char *) stack.ss_sp
	       && then <= (char *) stack.ss_sp + stack.ss_size;
    }
  if (is_on != was_on)
    return was_on;
  return (const char *) now >= then
	 || kept_at (p) != p->return_address;
}

/* Whether the call in progress cannot be left: it is not in a callback.  */
static bool
is_stuck (const struct thread *t)
{
  return t->shared.place.entered
	 && (t->shared.dispatch.inside || t->kernels != 0);
}

void
accscope_call_inside (struct thread *t, const void *stack_pointer,
		      struct accscope_place *outer)
{
  struct accscope_place *p = &t->shared.place;

  if (!t->known)
    accscope_thread_begin (t);
  else if (is_gone (p, stack_pointer))
    {
      if (is_stuck (t))
	accscope_abandoned ();
      if (!p->entered)
	p->return_address = NULL;	/* only C was left, which holds nothing */
    }
  *outer = *p;
  p->registers = accscope_registers;
  p->entered = 0;
}

bool
accscope_has_left (const struct thread *t)
{
  const struct accscope_place *p = &t->shared.place;

  return p->return_address != NULL && is_stuck (t)
	 && is_gone (p, __builtin_frame_address (0));
}

/* A call from elsewhere than the thread's own stack, or with little left of it.
   Go code runs on stacks of its own, and the kernel would have the next handler begin
   on a signal stack that is in use: so all signals wait.  */
static __attribute__ ((noinline)) bool
enter_elsewhere (struct thread *t, struct passage *p, const char *call,
		 uintptr_t here)
{
  uintptr_t low = t->stack_low;
  sigset_t all;
  stack_t stack;

  if (here - low >= t->stack_bytes)
    {
      if (sigaltstack (NULL, &stack) != 0 || !(stack.ss_flags & SS_ONSTACK))
	return true;		/* a coroutine's */
      if (t->passages > 0)
	return refuse (call, "by a signal handler that interrupted another one, in "
		       "a kernel or a callback");
      low = (uintptr_t) stack.ss_sp;
      if (here - low < ACCSCOPE_LEAST_STACK)
	return refuse (call, "by a signal handler whose stack is too small for it");
      sigfillset (&all);
      p->masked = sigprocmask (SIG_SETMASK, &all, &p->mask) == 0;
      return true;
    }
  if (call != NULL)
    accscope_stack_too_small (here - low);
  return false;
}

bool
accscope_enter (struct thread *t, struct passage *p, const char *call)
{
  uintptr_t here = (uintptr_t) __builtin_frame_address (0);

  p->thread = NULL;
  if (UNLIKELY (t->shared.dispatch.inside))
    return refuse (call, "while the same thread was inside of another one, by a "
		   "signal handler that interrupted it or after siglongjmp");
  p->masked = false;
  if (UNLIKELY (here - t->stack_low - ACCSCOPE_LEAST_STACK
		>= t->stack_bytes - ACCSCOPE_LEAST_STACK)
      && !enter_elsewhere (t, p, call, here))
    return false;
  pthread_setcancelstate (PTHREAD_CANCEL_DISABLE, &p->cancel);
  p->thread = t;
  p->entered = t->shared.place.entered;
  t->passages++;
  t->shared.place.entered = 1;
  t->shared.dispatch.inside = 1;
  return true;
}

void
accscope_leave (const struct passage *p)
{
  struct thread *t = p->thread;

  if (UNLIKELY (t == NULL))
    return;
  t->shared.dispatch.inside = 0;
  t->shared.place.entered = p->entered;
  t->passages--;
  if (UNLIKELY (p->masked))
    sigprocmask (SIG_SETMASK, &p->mask, NULL);
  pthread_setcancelstate (p->cancel, NULL);
}

/* The thread is the calling one; its place is empty where the program is in no call, as
   at its end: the stack ends there then.  */
int
accscope_carry_out (struct acc_dispatch *d, struct acc_dispatch_thread *thread,
		    struct acc_dispatch_plan *plan)
{
  return accscope_outward (&((struct accscope_thread *) thread)->place,
			   (uintptr_t) acc_dispatch_carry_out, d, thread, plan);
}

/* The functions that are called: those of the Go part, or what does nothing.  */
static const struct engine *
begin (struct passage *p, const char *call)
{
  if (UNLIKELY (!accscope_enter (self (), p, call)))
    return &accscope_nothing;
  if (UNLIKELY (phase () != phase_ready))
    accscope_load ();
  return &accscope_engine;
}

#define PASS(result, name, parameters, arguments)			\
static result								\
pass_##name parameters							\
{									\
  struct passage passage __attribute__ ((cleanup (accscope_leave)));	\
									\
  return begin (&passage, #name)->name arguments;			\
}
ACCSCOPE_ENGINE_FUNCTIONS (PASS, struct accscope_thread *)

const struct engine accscope_passages = {
#define MEMBER(result, name, parameters, arguments) .name = pass_##name,
  ACCSCOPE_ENGINE_FUNCTIONS (MEMBER, struct accscope_thread *)
};
