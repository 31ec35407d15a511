/* signals.h - which signals the runtime's own threads leave to the program's.  */
#ifndef ACCSCOPE_SIGNALS_H
#define ACCSCOPE_SIGNALS_H 1

#include <signal.h>

/* Those that threads do not raise themselves, by a crash: the others are the program's
   business wherever they happen.  */
static inline void
accscope_asynchronous_signals (sigset_t *set)
{
  static const int raised[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT,
				SIGSYS };

  sigfillset (set);
  for (unsigned i = 0; i < sizeof raised / sizeof *raised; i++)
    sigdelset (set, raised[i]);
}

#endif
