/* Threads of the host that run gangs: kept from launch to launch, for all devices.  */
#define _GNU_SOURCE
#include "threads.h"

#include "../device/pause.h"
#include "../device/signals.h"

#include <pthread.h>

/* A launch soon follows another one: so often an idle thread looks before it sleeps.  */
#define SPINS 2000

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t offers = PTHREAD_COND_INITIALIZER, ends = PTHREAD_COND_INITIALIZER;
static struct work *offered;	/* that more threads may take part in; in turn */
static uint32_t threads, asleep;

static void
take_part (struct work *work)
{
  work->inside++;
  if (--work->wanted == 0)
    __atomic_store_n (&offered, work->next, __ATOMIC_RELAXED);
  pthread_mutex_unlock (&lock);
  work->run (work);
  pthread_mutex_lock (&lock);
  if (--work->inside == 0)
    pthread_cond_broadcast (&ends);
}

static void *
serve (void *unused)
{
  (void) unused;
  pthread_setname_np (pthread_self (), "accscope-gangs");
  pthread_mutex_lock (&lock);
  for (;;)
    {
      if (offered)
	{
	  take_part (offered);
	  continue;
	}
      pthread_mutex_unlock (&lock);
      for (int i = 0; i < SPINS && !__atomic_load_n (&offered, __ATOMIC_RELAXED); i++)
	accscope_pause ();
      pthread_mutex_lock (&lock);
      asleep++;
      while (!offered)
	pthread_cond_wait (&offers, &lock);
      asleep--;
    }
  return NULL;
}

/* One more thread, on which no handler of the program's runs; 0: the system gives none.  */
static int
start (void)
{
  sigset_t blocked, before;
  pthread_attr_t attributes;
  pthread_t thread;
  int failed;

  if (pthread_attr_init (&attributes))
    return 0;
  accscope_asynchronous_signals (&blocked);
  pthread_attr_setdetachstate (&attributes, PTHREAD_CREATE_DETACHED);
  pthread_sigmask (SIG_SETMASK, &blocked, &before);
  failed = pthread_create (&thread, &attributes, serve, NULL);
  pthread_sigmask (SIG_SETMASK, &before, NULL);
  pthread_attr_destroy (&attributes);
  return !failed;
}

void
accscope_simt_together (struct work *work, uint32_t others)
{
  struct work **at = &offered;

  if (others == 0)
    {
      work->run (work);
      return;
    }
  work->wanted = others;
  work->inside = 0;
  work->next = NULL;
  pthread_mutex_lock (&lock);
  while (threads < others && start ())
    threads++;
  while (*at)
    at = &(*at)->next;
  __atomic_store_n (at, work, __ATOMIC_RELAXED);
  if (asleep)
    pthread_cond_broadcast (&offers);
  pthread_mutex_unlock (&lock);
  work->run (work);
  pthread_mutex_lock (&lock);
  for (at = &offered; *at; at = &(*at)->next)
    if (*at == work)
      {
	__atomic_store_n (at, work->next, __ATOMIC_RELAXED);
	break;
      }
  while (work->inside)
    pthread_cond_wait (&ends, &lock);
  pthread_mutex_unlock (&lock);
}
