/* standin_runtime.h - a runtime that loads the library, raises events as its program says,
   and offers accscope_activity.h, or does not.  */
#ifndef STANDIN_RUNTIME_H
#define STANDIN_RUNTIME_H

#include <dlfcn.h>
#include <stdint.h>
#include <string.h>
#include "acc_callback.h"
#include "accscope_activity.h"

static acc_callback callback[acc_ev_last];
static uint64_t learned_times;
static int tells = 1;	/* of devices' activity */
static void (*reports) (void);	/* is called where the runtime is to report; or null */

static void
take (acc_event_t kind, acc_callback cb, acc_register_t info)
{
  (void) info;
  if (kind < acc_ev_last)
    callback[kind] = cb;
}

static int
subscribe (const struct accscope_activity_subscriber *s, uint64_t *subscription)
{
  (void) s;
  *subscription = 1;
  return 0;
}

static uint64_t
correlation (void)
{
  return 0;
}

static uint64_t
learned (void)
{
  return learned_times;
}

static int
flush_for (uint64_t subscription)
{
  (void) subscription;
  if (reports)
    reports ();
  return 0;
}

static int
mappings (int32_t type, int32_t number, accscope_activity_each_mapping each, void *context)
{
  (void) type, (void) number, (void) each, (void) context;
  return 1;
}

static int
device (int32_t type, int32_t number, struct accscope_activity_device *facts)
{
  (void) type, (void) number, (void) facts;
  return 1;
}

static const struct accscope_activity *
activity (void)
{
  static struct accscope_activity table = {
    .size = sizeof table, .version = 1, .subscribe = subscribe,
    .current_correlation = correlation, .mappings = mappings, .device = device,
    .flush_for = flush_for, .learned = learned
  };
  return &table;
}

static acc_query_fn
lookup (const char *name)
{
  if (tells && strcmp (name, ACCSCOPE_ACTIVITY_NAME) == 0)
    return (acc_query_fn) (void *) activity;
  return NULL;
}

static void
event (int kind, int line, int64_t queue, int parent, void *host, size_t bytes)
{
  acc_prof_info profile = {
    .event_type = kind, .valid_bytes = sizeof profile, .version = 202211,
    .device_type = acc_device_nvidia, .async = queue, .async_queue = queue,
    .src_file = "program.c", .line_no = line
  };
  acc_api_info api = { .valid_bytes = sizeof api };
  acc_event_info info;
  memset (&info, 0, sizeof info);
  info.data_event = (acc_data_event_info) {
    .event_type = kind, .valid_bytes = sizeof info.data_event, .parent_construct = parent,
    .bytes = bytes, .host_ptr = host
  };
  callback[kind] (&profile, &info, &api);
}

static void
waits (int64_t queue)
{
  event (acc_ev_wait_start, 0, queue, acc_construct_wait, NULL, 0);
  event (acc_ev_wait_end, 0, queue, acc_construct_wait, NULL, 0);
}

/* Whether the library has been loaded.  */
static int
load (const char *library)
{
  void (*enter) (acc_prof_reg, acc_prof_reg, acc_prof_lookup_func);
  void *handle = dlopen (library, RTLD_NOW);
  if (!handle)
    return 0;
  *(void **) &enter = dlsym (handle, "acc_register_library");
  enter (take, 0, lookup);
  return 1;
}

#endif
