/* Kernels that fault.  On the sim device a kernel may run on the caller's thread,
   called by the Go part, whose handlers of faults forward those of C code to the
   handlers that were there before, and where there were none print the Go part's
   state.  So where there is none, one is left that does what the system does.  */
#include <signal.h>

#include "library.h"

/* With the default action in place the instruction faults again, and the process
   ends where its kernel went wrong.  */
static void
take_default (int signal, siginfo_t *info, void *context)
{
  struct sigaction action = { .sa_handler = SIG_DFL };

  (void) context;
  sigaction (signal, &action, NULL);
  if (info->si_code <= 0)	/* sent: nothing would happen again */
    raise (signal);
}

/* Called before the Go part is opened.  */
void
accscope_faults_begin (void)
{
  static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE };
  struct sigaction now, action = { .sa_sigaction = take_default,
				   .sa_flags = SA_SIGINFO | SA_ONSTACK };
  size_t i;

  for (i = 0; i < sizeof faults / sizeof faults[0]; i++)
    if (sigaction (faults[i], NULL, &now) == 0 && now.sa_handler == SIG_DFL)
      sigaction (faults[i], &action, NULL);
}
