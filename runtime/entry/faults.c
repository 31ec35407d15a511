/* Kernels that fault.  On the sim device a kernel is code of the process: the error is
   raised before the signal does what it would without us.  The handlers here are there
   before the Go part's, which forward faults of C code to the handlers they find, and
   where there are none print the Go part's state.  */
#include <signal.h>

#include "library.h"

static struct sigaction before[NSIG];

/* With the default action in place the instruction faults again, and the process
   ends where its kernel went wrong.  */
static void
take_default (int signal, const siginfo_t *info)
{
  struct sigaction action = { .sa_handler = SIG_DFL };

  sigaction (signal, &action, NULL);
  if (info->si_code <= 0)	/* sent: nothing would happen again */
    raise (signal);
}

static void
handle (int signal, siginfo_t *info, void *context)
{
  const struct sigaction *own = &before[signal];
  const struct thread *t = &accscope_self;

  if (info->si_code > 0 && phase () >= phase_ready && phase () != phase_forked)
    accscope_engine.kernel_signal (t->known ? t->shared.dispatch.thread_id : -1,
				   signal, (uintptr_t) info->si_addr);
  if (own->sa_flags & SA_SIGINFO)
    own->sa_sigaction (signal, info, context);
  else if (own->sa_handler == SIG_DFL)
    take_default (signal, info);
  else
    own->sa_handler (signal);
}

/* Called before the Go part is opened.  */
void
accscope_faults_begin (void)
{
  static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE };
  struct sigaction action;
  size_t i;

  for (i = 0; i < sizeof faults / sizeof faults[0]; i++)
    if (sigaction (faults[i], NULL, &before[faults[i]]) == 0
	&& before[faults[i]].sa_handler != SIG_IGN)
      {
	action = before[faults[i]];
	action.sa_sigaction = handle;
	action.sa_flags |= SA_SIGINFO | SA_ONSTACK;
	sigaction (faults[i], &action, NULL);
      }
}
