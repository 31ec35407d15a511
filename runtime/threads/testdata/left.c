/* left BEFORE HOW: leaves kernels that the host runs, in three rounds for each kind of
   construct, each time after BEFORE: "nothing", a "shutdown" of the device, a switch of the
   device "type", or in a new "thread".  HOW: "jump" by longjmp, "signal" by siglongjmp out
   of a handler, "end" of the thread by pthread_exit, or "exit".  Then uses OpenACC as ever.
   With ON_HOST set another device than the host is the current one, and an if clause is
   false.  */
#define _GNU_SOURCE
#include <openacc.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 3

static const char *before, *how;
static __thread sigjmp_buf out;
static int on_host;
static const acc_device_t sim = (acc_device_t) 100;

static void
handler (int signal)
{
  (void) signal;
  siglongjmp (out, 1);
}

static void
leave (void)
{
  if (strcmp (how, "jump") == 0)
    siglongjmp (out, 1);
  if (strcmp (how, "signal") == 0)
    raise (SIGUSR1);
  if (strcmp (how, "end") == 0)
    pthread_exit (NULL);
  exit (3);
}

static void (*leaving) (void) = leave;

static void parallel (void)
{
#pragma acc parallel if (!on_host)
  leaving ();
}

static void serial (void)
{
#pragma acc serial if (!on_host)
  leaving ();
}

static void kernels (void)
{
#pragma acc kernels if (!on_host)
  leaving ();
}

static void asynchronous (void)
{
#pragma acc parallel async (1) if (!on_host)
  leaving ();
}

static void waiting (void)
{
#pragma acc parallel wait (1) if (!on_host)
  leaving ();
}

static void inside_data (void)
{
  int x = 0;

#pragma acc data copy (x)
  {
#pragma acc parallel present (x) if (!on_host)
    {
      x++;
      leaving ();
    }
  }
}

static void (*const construct[]) (void)
  = { parallel, serial, kernels, asynchronous, waiting, inside_data };
#define CONSTRUCTS (sizeof construct / sizeof construct[0])

/* Not null: the construct came back.  */
static void *
call (void *number)
{
  if (strcmp (before, "shutdown") == 0)
    {
      acc_init (acc_device_current);
      acc_shutdown (acc_get_device_type ());
    }
  else if (strcmp (before, "type") == 0)
    {
      acc_device_t type = acc_get_device_type ();
      acc_set_device_type (type == acc_device_host ? sim : acc_device_host);
#pragma acc parallel
      on_host = on_host;
      acc_set_device_type (type);
    }
  if (sigsetjmp (out, 1) != 0)
    return NULL;
  construct[*(volatile int *) number] ();
  return "";
}

static void *
in_thread (int *number)
{
  pthread_t thread;
  void *result;

  if (strcmp (before, "thread") != 0 && strcmp (how, "end") != 0)
    return call (number);
  pthread_create (&thread, NULL, call, number);
  pthread_join (thread, &result);
  return result;
}

static void
ended (void)
{
  int x = 1;

#pragma acc parallel copy (x) if (!on_host)
  x++;
  printf ("x is %d\n", x);
}

int
main (int argc, char **argv)
{
  struct sigaction action = { .sa_handler = handler, .sa_flags = SA_ONSTACK };
  int left = 0;

  if (argc != 3)
    return 2;
  before = argv[1];
  how = argv[2];
  on_host = getenv ("ON_HOST") != NULL;
  sigaction (SIGUSR1, &action, NULL);
  atexit (ended);
  for (int round = 0; round < ROUNDS; round++)
    for (int number = 0; number < (int) CONSTRUCTS; number++)
      left += in_thread (&number) == NULL;
  printf ("left %d times\n", left);
  return 0;
}
