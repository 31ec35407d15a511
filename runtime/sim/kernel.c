/* Runs kernels, and reports those that fault (SIGSEGV and its like): the signal handler
   of the thread whose kernel it was waits here while a thread of the Go side, which can
   name the kernel and call callbacks, reports it; then the handler goes on to what the
   signal does.  */
#define _GNU_SOURCE
#include "queue.h"

#include <errno.h>
#include <semaphore.h>
#include <time.h>

/* Milliseconds: reporting takes that long only if it needs what the kernel holds, a
   lock of malloc for one.  */
#define PATIENCE 2000

/* The kernel that the calling thread is inside of; device null: none.  */
static __thread struct
{
  const struct accscope_sim_device *device;
  uintptr_t function;
} inside __attribute__ ((tls_model ("initial-exec")));

void
accscope_sim_run (const struct accscope_sim_device *device, uintptr_t function,
		  void *block)
{
  void (*kernel) (void *) = (void (*) (void *)) function;
  __typeof__ (inside) before = inside;

  inside.device = device;
  inside.function = function;
  if (device->configuration.call)
    device->configuration.call (kernel, block);
  else
    kernel (block);
  inside = before;
}

int
accscope_sim_inside (const struct accscope_sim_device *device)
{
  return inside.device == device;
}

enum { NONE, BEGUN, TO_REPORT };

static int state;		/* atomic */
static struct accscope_sim_crash crash;
static sem_t reportable;

void
accscope_sim_crashed (int thread, int signal, uintptr_t address)
{
  const struct timespec millisecond = { 0, 1000000 };
  int none = NONE;

  if (!inside.device)
    return;
  if (__atomic_compare_exchange_n (&state, &none, BEGUN, 0, __ATOMIC_ACQUIRE,
				   __ATOMIC_RELAXED))
    {
      crash = (struct accscope_sim_crash) {
	.device = inside.device->configuration.number, .thread = thread,
	.signal = signal, .function = inside.function, .address = address
      };
      __atomic_store_n (&state, TO_REPORT, __ATOMIC_RELEASE);
      sem_post (&reportable);
    }
  for (int i = 0; i < PATIENCE && __atomic_load_n (&state, __ATOMIC_ACQUIRE) != NONE; i++)
    nanosleep (&millisecond, NULL);
}

static void __attribute__ ((constructor))
begin (void)
{
  sem_init (&reportable, 0, 0);
}

void
accscope_sim_next_crash (struct accscope_sim_crash *next)
{
  static int reported;		/* the one before */

  if (reported)
    __atomic_store_n (&state, NONE, __ATOMIC_RELEASE);
  while (sem_wait (&reportable) != 0 && errno == EINTR)
    continue;
  *next = crash;
  reported = 1;
}
