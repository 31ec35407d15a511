/* Blocks signals in its only thread that it has handlers for and sends them to itself:
   they wait until it lets them through, and no thread of the runtime takes them.  */
#include <openacc.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static const int number[] = { SIGUSR1, SIGUSR2, SIGALRM, SIGIO, SIGPIPE };
enum { COUNT = sizeof number / sizeof *number };
static pthread_t own;
static volatile sig_atomic_t elsewhere, here;

static void
handle (int unused)
{
  (void) unused;
  if (pthread_equal (pthread_self (), own))
    here++;
  else
    elsewhere++;
}

static int a[1000];

static void
use (void)
{
#pragma acc parallel loop copy(a) async(1)
  for (int i = 0; i < 1000; i++)
    a[i]++;
#pragma acc wait
}

int
main (void)
{
  struct sigaction action = { .sa_handler = handle };
  sigset_t set;
  int i;

  own = pthread_self ();
  sigemptyset (&set);
  for (i = 0; i < COUNT; i++)
    {
      sigaction (number[i], &action, NULL);
      sigaddset (&set, number[i]);
    }
  use ();
  pthread_sigmask (SIG_BLOCK, &set, NULL);
  for (i = 0; i < COUNT; i++)
    kill (getpid (), number[i]);
  use ();
  usleep (200000);
  if (here != 0)
    printf ("%d came before\n", here);
  pthread_sigmask (SIG_UNBLOCK, &set, NULL);
  use ();
  printf ("%d here, %d elsewhere\n", here, elsewhere);
  return 0;
}
