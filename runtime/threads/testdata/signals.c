/* A handler with a large frame runs on threads that use OpenACC: installed
   before or after the first use, as argv[1] says.  Prints what is wrong.  */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FRAME (200 << 10)

static volatile int handled;
static pthread_key_t late;

static void
check (int right, const char *what)
{
  if (!right)
    printf ("%s\n", what);
}

static void
handler (int signal)
{
  volatile char frame[FRAME];
  stack_t stack;

  (void) signal;
  for (int i = 0; i < FRAME; i++)
    frame[i] = 1;
  sigaltstack (NULL, &stack);
  check (stack.ss_flags & SS_ONSTACK, "the frame does not fit the alternate stack");
  handled++;
}

static void
install (int flags)
{
  struct sigaction action = { .sa_handler = handler, .sa_flags = flags };
  sigaction (SIGUSR1, &action, NULL);
}

static void
use (void)
{
  int x = 1;
#pragma acc parallel copy(x)
  x++;
  check (x == 2, "a wrong result");
}

static void
use_late (void *rounds)
{
  use ();
  raise (SIGUSR1);
  if ((intptr_t) rounds > 1)
    pthread_setspecific (late, (void *) ((intptr_t) rounds - 1));
}

static void *
plain (void *rounds)
{
  use ();
  raise (SIGUSR1);
  pthread_setspecific (late, rounds);
  return NULL;
}

static void *
own_stack (void *memory)
{
  stack_t stack = { .ss_sp = memory, .ss_size = 2 * FRAME }, now;

  sigaltstack (&stack, NULL);
  use ();
  raise (SIGUSR1);
  sigaltstack (NULL, &now);
  check (now.ss_sp == memory && now.ss_size == stack.ss_size && !(now.ss_flags & SS_DISABLE),
	 "a thread's own stack is replaced");
  return NULL;
}

int
main (int argc, char **argv)
{
  int before = argc > 1 && strcmp (argv[1], "before") == 0;
  pthread_t thread;

  pthread_key_create (&late, use_late);
  if (before)
    install (0);
  use ();
  if (!before)
    install (SA_ONSTACK);
  raise (SIGUSR1);
  for (intptr_t rounds = 1; rounds <= 4; rounds++)
    if (pthread_create (&thread, NULL, plain, (void *) rounds) == 0)
      pthread_join (thread, NULL);
  if (pthread_create (&thread, NULL, own_stack, malloc (2 * FRAME)) == 0)
    pthread_join (thread, NULL);
  check (handled == 1 + 4 + 1 + 2 + 3 + 4 + 1, "a signal was not handled");
  return 0;
}
