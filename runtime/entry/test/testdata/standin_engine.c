/* A stand-in for the Go part of libopenacc: prints what the thin library hands
   over.  STANDIN_SHARED=1 gives every thread an open device with shared memory
   at its first call.  STANDIN_MASK=1 prints which signals are blocked at the start.  */
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "engine.h"

#define EXPORT __attribute__ ((visibility ("default")))
#define T struct accscope_thread *

static struct accscope_host host;
static struct accscope_device device = { .type = 2 };

static void
say (const char *format, ...)
{
  va_list arguments;
  va_start (arguments, format);
  vprintf (format, arguments);
  va_end (arguments);
  fflush (stdout);
}

static void
seen (T t)
{
  t->engine = 1;
  t->device = &device;
}

EXPORT int
accscope_engine_start (const struct accscope_host *h)
{
  host = *h;
  device.open = device.shared_memory = getenv ("STANDIN_SHARED") != NULL;
  say ("start\n");
  if (getenv ("STANDIN_MASK") != NULL)
    {
      sigset_t mask;
      pthread_sigmask (SIG_SETMASK, NULL, &mask);
      say ("blocked SIGUSR1 %d SIGSEGV %d SIGABRT %d\n", sigismember (&mask, SIGUSR1),
	   sigismember (&mask, SIGSEGV), sigismember (&mask, SIGABRT));
    }
  return 0;
}

static void
construct (const char *name, T t, const struct accscope_construct *c)
{
  int i;

  seen (t);
  say ("%s flags=%d entries=%zu dims=%u,%u,%u async=%d waits=", name, c->flags,
       c->entries, c->gangs, c->workers, c->vector, c->async);
  for (i = 0; i < c->waits; i++)
    say ("%s%d", i ? "," : "", c->wait_list[i]);
  say ("\n");
}

#define CONSTRUCT(name)							\
  EXPORT void accscope_engine_##name (T t,				\
				      const struct accscope_construct *c) \
  { construct (#name, t, c); }
CONSTRUCT (data_start)
CONSTRUCT (enter_data)
CONSTRUCT (exit_data)
CONSTRUCT (update)
CONSTRUCT (declare)
CONSTRUCT (wait)

/* STANDIN_PLACES=1: the registers of where the program called.  */
static void
place (T t)
{
  const struct accscope_registers *r = &t->place.registers;

  if (getenv ("STANDIN_PLACES") != NULL)
    say ("registers %d %d %d %d %d\n", (int) r->value[0], (int) r->value[1],
	 (int) r->value[2], (int) r->value[3], (int) r->value[4]);
}

EXPORT void
accscope_engine_parallel (T t, const struct accscope_construct *c)
{
  construct ("parallel", t, c);
  place (t);
  host.call (c->function, c->hostaddrs);
  place (t);
}

/* The registry: enough for the quick path's events.  */
static struct acc_dispatch_entry entries[ACC_DISPATCH_EVENTS][16];
static unsigned counts[ACC_DISPATCH_EVENTS];

EXPORT void
accscope_engine_callback_register (T t, int event, void *callback, int mode)
{
  int i = acc_dispatch_index (event);

  (void) t;
  say ("register %d mode %d\n", event, mode);
  entries[i][counts[i]]
    = (struct acc_dispatch_entry) { counts[i] + 1, (uintptr_t) callback, 1 };
  counts[i]++;
  acc_dispatch_reserve (host.dispatch, i, counts[i]);
  acc_dispatch_publish (host.dispatch, i, entries[i], counts[i]);
}

EXPORT int
accscope_engine_attribute (T t, const struct accscope_construct *c, int as, void *prof_info)
{
  acc_callback_info *info = prof_info;

  (void) c;
  info->func_name = "somewhere";
  say ("attribute %d\n", t->place.return_address != NULL);
  return as;
}

EXPORT void
accscope_engine_error (T t, int code, const char *routine, const char *message)
{
  (void) t;
  say ("error %d in %s: %s\n", code, routine, message);
  host.exit (1);
}

EXPORT int
accscope_engine_get_num_devices (T t, int type)
{
  seen (t);
  say ("get_num_devices %d\n", type);
  place (t);
  return type + 40;
}

EXPORT void *
accscope_engine_copyin (T t, void *address, size_t bytes, int async)
{
  seen (t);
  say ("copyin %zu bytes async %d\n", bytes, async);
  return address;
}

EXPORT void
accscope_engine_attach_described (T t, const void *target, int async)
{
  seen (t);
  say ("attach, first of it %g, async %d\n", **(float *const *) target, async);
}

EXPORT int
accscope_engine_wait_any (T t, int count, const int *list, long number)
{
  seen (t);
  say ("wait_any %d [%d] on %ld\n", count, list[0], number);
  return count - 1;
}

EXPORT const char *
accscope_engine_get_property_string (T t, int number, int type, int property)
{
  seen (t);
  say ("get_property_string %d %d %#x\n", number, type, property);
  return "a name";
}

EXPORT int
accscope_engine_async_test (T t, int async, long number)
{
  seen (t);
  say ("async_test %d on %ld\n", async, number);
  return 1;
}
