/* CUPTI's client: its library, being its subscriber, and its buffers of records.  */
#include "cupti.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

#define BUFFER ((size_t) 512 << 10)

static struct
{
#define X(name, parameters) CUptiResult (*name) parameters;
  ACCSCOPE_CUPTI_FUNCTIONS (X)
  ACCSCOPE_CUPTI_LATER (X)
#undef X
} cupti;

static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;
static int opened;		/* guarded by it */
static const struct accscope_cupti_use *use;
static int registered;		/* clock and buffers, which stay */
static int64_t offset;
static void *subscriber;
static uint64_t enabled;	/* a bit for each kind of records */

/* Where buffers are taken apart, by one thread at a time.  */
static pthread_mutex_t records = PTHREAD_MUTEX_INITIALIZER;

int
accscope_cupti_open (const char *path)
{
  static const char *const names[] = {
    "libcupti.so", "libcupti.so.13", "libcupti.so.12", "libcupti.so.11.8",
    "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so",
    "/usr/local/cuda/lib64/libcupti.so",
    "/opt/cuda/extras/CUPTI/lib64/libcupti.so",
  };
  void *library = NULL;
  int there;

  pthread_mutex_lock (&opening);
  if (!opened && path != NULL && *path != '\0')
    library = dlopen (path, RTLD_NOW | RTLD_LOCAL);
  else if (!opened)
    for (size_t i = 0; library == NULL && i < sizeof names / sizeof *names; i++)
      library = dlopen (names[i], RTLD_NOW | RTLD_LOCAL);
  if (library != NULL)
    {
#define X(name, parameters)				\
      *(void **) &cupti.name = dlsym (library, #name);
      ACCSCOPE_CUPTI_FUNCTIONS (X)
      ACCSCOPE_CUPTI_LATER (X)
#undef X
#define X(name, parameters) && cupti.name != NULL
      opened = 1 ACCSCOPE_CUPTI_FUNCTIONS (X);
#undef X
    }
  there = opened;
  pthread_mutex_unlock (&opening);
  return there;
}

/* -- records */

static void
request (uint8_t **buffer, size_t *size, size_t *most)
{
  *buffer = malloc (BUFFER);
  *size = *buffer != NULL ? BUFFER : 0;
  *most = 0;
}

/* What a record says of an operation; one of kind 0 if nothing.  */
static struct accscope_cupti_operation
operation_of (const struct cupti_activity *activity)
{
  switch (activity->kind)
    {
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      {
	const struct cupti_kernel *k = (const void *) activity;
	return (struct accscope_cupti_operation) {
	  accscope_activity_kernel, 0, k->start, k->end, k->device, k->context,
	  k->stream, k->correlation, k->name, 0
	};
      }
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      {
	const struct cupti_memcpy *m = (const void *) activity;
	return (struct accscope_cupti_operation) {
	  m->copy_kind == CUPTI_ACTIVITY_MEMCPY_KIND_HTOD ? accscope_activity_upload
	  : m->copy_kind == CUPTI_ACTIVITY_MEMCPY_KIND_DTOH ? accscope_activity_download
	  : accscope_activity_copy, m->bytes, m->start, m->end, m->device, m->context,
	  m->stream, m->correlation, NULL,
	  (m->copy_kind == CUPTI_ACTIVITY_MEMCPY_KIND_HTOD ? m->from_kind
	   : m->copy_kind == CUPTI_ACTIVITY_MEMCPY_KIND_DTOH ? m->to_kind : 0)
	  == CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE
	};
      }
    case CUPTI_ACTIVITY_KIND_MEMSET:
      {
	const struct cupti_memset *m = (const void *) activity;
	return (struct accscope_cupti_operation) {
	  accscope_activity_fill, m->bytes, m->start, m->end, m->device, m->context,
	  m->stream, m->correlation, NULL, 0
	};
      }
    }
  return (struct accscope_cupti_operation) { .kind = 0 };
}

static void
complete (void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid)
{
  struct cupti_activity *activity = NULL;

  (void) context;
  (void) stream;
  (void) size;
  pthread_mutex_lock (&records);
  while (use->external != NULL
	 && cupti.cuptiActivityGetNextRecord (buffer, valid, &activity) == CUPTI_SUCCESS)
    if (activity->kind == CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION)
      {
	const struct cupti_external *e = (const void *) activity;
	if (e->external_kind == CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0)
	  use->external (e->correlation, e->external);	/* else somebody else's */
      }
  activity = NULL;
  while (cupti.cuptiActivityGetNextRecord (buffer, valid, &activity) == CUPTI_SUCCESS)
    {
      const struct accscope_cupti_operation operation = operation_of (activity);
      if (operation.kind != 0)
	use->operation (&operation);
    }
  pthread_mutex_unlock (&records);
  free (buffer);
}

void
accscope_cupti_pause (void)
{
  pthread_mutex_lock (&records);
}

void
accscope_cupti_resume (void)
{
  pthread_mutex_unlock (&records);
}

void
accscope_cupti_flush (int forced)
{
  cupti.cuptiActivityFlushAll (forced ? CUPTI_ACTIVITY_FLAG_FLUSH_FORCED
			       : CUPTI_ACTIVITY_FLAG_FLUSH_NONE);
}

/* -- beginning and end */

static int
set_clock (void)
{
  uint64_t before, now;

  if (use->clock == NULL
      || (cupti.cuptiActivityRegisterTimestampCallback != NULL
	  && cupti.cuptiActivityRegisterTimestampCallback (use->clock) == CUPTI_SUCCESS))
    return 1;
  before = use->clock ();
  if (cupti.cuptiGetTimestamp (&now) != CUPTI_SUCCESS)
    return 0;
  offset = (int64_t) (before + (use->clock () - before) / 2 - now);
  return 1;
}

int64_t
accscope_cupti_offset (void)
{
  return offset;
}

static int
register_all (void)
{
  if (registered)
    return 1;
  if (!set_clock ()
      || cupti.cuptiActivityRegisterCallbacks (request, complete) != CUPTI_SUCCESS)
    return 0;
  if (cupti.cuptiActivityFlushPeriod != NULL)
    cupti.cuptiActivityFlushPeriod (use->period);
  registered = 1;
  return 1;
}

int
accscope_cupti_add (const struct accscope_cupti_kinds *kinds)
{
  for (size_t i = 0; i < kinds->call_count; i++)
    if (cupti.cuptiEnableCallback (1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API,
				   kinds->calls[i]) != CUPTI_SUCCESS)
      return 0;
  for (size_t i = 0; i < kinds->record_count; i++)
    {
      if (cupti.cuptiActivityEnable (kinds->records[i]) != CUPTI_SUCCESS)
	return 0;
      enabled |= (uint64_t) 1 << kinds->records[i];
    }
  return 1;
}

int
accscope_cupti_begin (const struct accscope_cupti_use *what)
{
  use = what;
  if (cupti.cuptiSubscribe (&subscriber, use->called, NULL) != CUPTI_SUCCESS)
    return 0;
  if (register_all () && accscope_cupti_add (&use->kinds))
    return 1;
  accscope_cupti_end ();
  return 0;
}

void
accscope_cupti_end (void)
{
  for (int kind = 0; enabled != 0; kind++)
    if (enabled & (uint64_t) 1 << kind)
      {
	cupti.cuptiActivityDisable (kind);
	enabled &= ~((uint64_t) 1 << kind);
      }
  cupti.cuptiUnsubscribe (subscriber);
}

/* -- regions */

void
accscope_cupti_push (uint64_t number)
{
  cupti.cuptiActivityPushExternalCorrelationId (CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, number);
}

void
accscope_cupti_pop (void)
{
  uint64_t last;

  cupti.cuptiActivityPopExternalCorrelationId (CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, &last);
}
