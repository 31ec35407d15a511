/* Says which signals its thread takes while the Go part is opened, as the stand-in does,
   and in an exit handler.  */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include "openacc.h"

static void
leave (void)
{
  sigset_t mask;

  pthread_sigmask (SIG_SETMASK, NULL, &mask);
  printf ("at the end SIGUSR1 %d SIGUSR2 %d SIGSEGV %d\n", sigismember (&mask, SIGUSR1),
	  sigismember (&mask, SIGUSR2), sigismember (&mask, SIGSEGV));
}

int
main (void)
{
  sigset_t mask;

  sigemptyset (&mask);
  sigaddset (&mask, SIGUSR2);
  pthread_sigmask (SIG_SETMASK, &mask, NULL);
  atexit (leave);
  acc_get_num_devices (acc_device_host);
  return 0;
}
