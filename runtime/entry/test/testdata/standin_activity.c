/* The stand-in's device activity: prints what reaches it.  STANDIN_ACTIVITY=on
   offers it, =refuse refuses every subscription, anything else offers none.  */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "accscope_activity.h"
#include "engine.h"

#define EXPORT __attribute__ ((visibility ("default")))

static int
subscribe (const struct accscope_activity_subscriber *s, uint64_t *subscription)
{
  static uint64_t last = 40;

  printf ("subscribe size %s kinds %u context %s\n",
	  s->size == sizeof *s ? "whole" : "partial", s->kinds,
	  s->context != NULL && s->record != NULL ? "kept" : "lost");
  fflush (stdout);
  if (strcmp (getenv ("STANDIN_ACTIVITY"), "refuse") == 0)
    return ENOMEM;
  *subscription = ++last;
  return 0;
}

static int
unsubscribe (uint64_t subscription)
{
  printf ("unsubscribe %d\n", (int) subscription);
  fflush (stdout);
  return 0;
}

static int
say (const char *what)
{
  printf ("%s\n", what);
  fflush (stdout);
  return 0;
}

static int
flush (void)
{
  return say ("flush");
}

static uint64_t
current_correlation (void)
{
  return 0;
}

static int
clock_point (int32_t type, int32_t number, struct accscope_activity_clock *clock)
{
  (void) type, (void) number, (void) clock;
  return say ("clock");
}

static int
mappings (int32_t type, int32_t number, accscope_activity_each_mapping each,
	  void *context)
{
  (void) type, (void) number, (void) each, (void) context;
  return say ("mappings");
}

static int
queues (int32_t type, int32_t number, accscope_activity_each_queue each,
	void *context)
{
  (void) type, (void) number, (void) each, (void) context;
  return say ("queues");
}

static int
device (int32_t type, int32_t number, struct accscope_activity_device *facts)
{
  (void) type, (void) number, (void) facts;
  return say ("device");
}

static int
flush_for (uint64_t subscription)
{
  (void) subscription;
  return say ("flush_for");
}

static uint64_t
learned (void)
{
  say ("learned");
  return 7;
}

static int
kernel (int32_t type, int32_t number, const char *name, const char **driver_name)
{
  (void) type, (void) number, (void) name, (void) driver_name;
  return say ("kernel");
}

static const struct accscope_activity *
activity (void)
{
  static const struct accscope_activity table
    = { .size = sizeof table, .version = 1, .subscribe = subscribe,
	.unsubscribe = unsubscribe, .flush = flush,
	.current_correlation = current_correlation, .clock = clock_point,
	.mappings = mappings, .queues = queues, .device = device,
	.flush_for = flush_for, .learned = learned, .kernel = kernel };

  return &table;
}

EXPORT void *
accscope_engine_lookup (struct accscope_thread *t, const char *name)
{
  (void) t;
  say ("lookup");
  return getenv ("STANDIN_ACTIVITY") != NULL
	 && strcmp (name, ACCSCOPE_ACTIVITY_NAME) == 0 ? (void *) activity : NULL;
}
