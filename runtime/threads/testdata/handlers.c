/* A signal comes while the main thread is inside OpenACC calls, or beside them, and
   its handler calls OpenACC or jumps out, as argv[1] says.  Prints what is wrong, and
   at the end "went on".
   The handler is there before the first use of OpenACC, or, with argv[2], after it
   on an alternate signal stack.  */
#define _GNU_SOURCE
#include <openacc.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#define N 1024
#define SIGNALS 300

static const char *what;
static int data[N], more[N];
static volatile sig_atomic_t handled, in_kernel, sent;
static sigjmp_buf place;

static void
handler (int signal)
{
  (void) signal;
  handled++;
  if (strcmp (what, "inquire") == 0)
    {
      acc_get_num_devices (acc_device_host);
      acc_get_device_type ();
      acc_async_test (1);
      if (!acc_on_device (acc_device_host))
	_exit (3);
      acc_is_present (data, sizeof data);
      acc_deviceptr (data);
    }
  else if (strcmp (what, "copy") == 0)
    {
      acc_copyin (more, sizeof more);
      acc_copyout (more, sizeof more);
    }
  else if (strcmp (what, "construct") == 0)
    {
#pragma acc parallel loop copy(more)
      for (int i = 0; i < N; i++)
	more[i]++;
    }
  else if (strcmp (what, "exit") == 0 && handled == 20)
    exit (7);
  else if (strcmp (what, "jump") == 0 && handled == 20)
    siglongjmp (place, 1);
  else if (strcmp (what, "jump from kernel") == 0 && in_kernel)
    {
      in_kernel = 0;
      siglongjmp (place, 1);
    }
}

/* Sends so many signals to the main thread, one after the other.  */
static void *
send_signals (void *thread)
{
  for (int i = 0; i < SIGNALS; i++)
    {
      pthread_kill (*(pthread_t *) thread, SIGUSR1);
      while (handled == i)
	usleep (100);
    }
  sent = 1;
  return NULL;
}

static void
use (void)
{
#pragma acc parallel loop copy(data)
  for (int i = 0; i < N; i++)
    data[i]++;
#pragma acc parallel loop copy(data) async(1)
  for (int i = 0; i < N; i++)
    data[i]--;
#pragma acc wait(1)
}

/* A kernel that ends when a handler jumps out of it.  */
static void
work (volatile sig_atomic_t *in)
{
#pragma acc parallel deviceptr(in)
  {
    *in = 1;
    while (*in)
      ;
  }
}

int
main (int argc, char **argv)
{
  struct sigaction action = { .sa_handler = handler };
  stack_t stack = { .ss_sp = malloc (1 << 18), .ss_size = 1 << 18 };
  pthread_t self = pthread_self (), sender;

  what = argv[1];
  if (argc > 2)
    {
      use ();
      sigaltstack (&stack, NULL);
      action.sa_flags = SA_ONSTACK;
    }
  sigaction (SIGUSR1, &action, NULL);
  use ();
  pthread_create (&sender, NULL, send_signals, &self);
  if (sigsetjmp (place, 1) == 0)
    {
      if (strcmp (what, "jump from kernel") == 0)
	work (&in_kernel);
      while (!sent)
	use ();
    }
  pthread_join (sender, NULL);
  if (strncmp (what, "jump", 4) == 0)
    memset (data, 0, sizeof data);
  for (int i = 0; i < 100; i++)
    use ();
  for (int i = 0; i < N; i++)
    if (data[i] != 0)
      {
	printf ("data[%d] is %d\n", i, data[i]);
	return 1;
      }
  printf ("went on\n");
  return 0;
}
