/* The row start of ACCSCOPE_ENGINE_FUNCTIONS, the first crossing, is C: it waits until
   Go has initialised its packages.  Go would let the thread in before, which asks the
   C library for its stack; on a process's first thread that opens a file, whose
   number comes free while runtime/poller looks for high ones: Go's poller would
   have a number that programs close.  */
#include <pthread.h>
#include "_cgo_export.h"
#include "start.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int initialised;

void
accscope_engine_initialised (int all)
{
  pthread_mutex_lock (&mutex);
  initialised = all;
  pthread_cond_broadcast (&changed);
  pthread_mutex_unlock (&mutex);
}

__attribute__ ((visibility ("default"))) int
accscope_engine_start (const struct accscope_host *host)
{
  pthread_mutex_lock (&mutex);
  while (!initialised)
    pthread_cond_wait (&changed, &mutex);
  pthread_mutex_unlock (&mutex);
  return accscope_engine_begin ((struct accscope_host *) host);
}
