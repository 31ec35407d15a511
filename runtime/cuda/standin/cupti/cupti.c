/* A stand-in for CUPTI's library on the stand-in driver: activity records of what
   the driver's streams ran, in the layout of CUDA 12, whose records are longer
   than the parts that cupti.h declares.

   ACCSCOPE_STANDIN_CUPTI_FAIL in the environment names a function that fails.  If
   that is cuptiSubscribe, another tool has subscribed, and what it has registered
   must be left alone; "timestamp" makes records without times.
   ACCSCOPE_STANDIN_CUPTI_CALLS says how many calls are numbered for each one that
   enqueues something, as there are others.  */
#define _GNU_SOURCE
#include "../../cupti.h"
#include "../standin.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define KERNEL_BYTES 208
#define COPY_BYTES 96
#define FILL_BYTES 88
#define EXTERNAL_BYTES 24
#define CALL_BYTES 40

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static cupti_request request;
static cupti_complete complete;
static cupti_timestamp timestamp;
static unsigned enabled;	/* bit per kind below 32; 39 is bit 31 */
static uint32_t correlations;
static cupti_callback callback;	/* atomic: null without a subscriber */
static void *callback_context;
static unsigned char called_back[512];	/* by the number of the function */
static uint8_t *buffer;
static size_t size, used;

/* A stack for each kind of external correlation number.  */
#define EXTERNAL_KINDS 8
#define MOST_DEPTH 16
static _Thread_local uint64_t external[EXTERNAL_KINDS][MOST_DEPTH];
static _Thread_local unsigned depth[EXTERNAL_KINDS];

static unsigned
bit (int kind)
{
  return 1u << (kind == CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION ? 31 : kind);
}

static int
fails (const char *function)
{
  const char *name = getenv ("ACCSCOPE_STANDIN_CUPTI_FAIL");
  return name != NULL && strcmp (name, function) == 0;
}

static void
leave_alone (void)
{
  if (fails ("cuptiSubscribe"))
    abort ();
}

/* Without the tool's own clock, times are those of a clock of CUPTI's.  */
static uint64_t
now (void)
{
  struct timespec t;
  if (timestamp != NULL)
    return timestamp ();
  clock_gettime (CLOCK_REALTIME, &t);
  return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static void
hand_over (void)
{
  uint8_t *full = buffer;
  size_t length = used, room = size;
  buffer = NULL;
  used = size = 0;
  pthread_mutex_unlock (&lock);
  if (full != NULL)
    complete (NULL, 0, full, room, length);
  pthread_mutex_lock (&lock);
}

static void
append (const void *record, size_t bytes, size_t whole)
{
  size_t most = 0;
  if (buffer != NULL && size - used < whole)
    hand_over ();
  if (buffer == NULL)
    request (&buffer, &size, &most);
  if (buffer == NULL || size < whole)
    return;
  memset (buffer + used, 0xee, whole);
  memcpy (buffer + used, record, bytes);
  used += whole;
}

/* The driver's function that enqueues operations of a kind.  */
static uint32_t
function_of (enum standin_kind kind)
{
  switch (kind)
    {
    case STANDIN_KERNEL: return CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel;
    case STANDIN_UPLOAD: return CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync;
    case STANDIN_DOWNLOAD: return CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoHAsync;
    case STANDIN_COPY: return CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoDAsync;
    case STANDIN_FILL: return CUPTI_DRIVER_TRACE_CBID_cuMemsetD8Async;
    default: return 0;
    }
}

/* A callback at the beginning and at the end of the call.  */
static void
call_back (uint32_t function, uint32_t number)
{
  cupti_callback to = __atomic_load_n (&callback, __ATOMIC_ACQUIRE);
  struct cupti_call call = { .site = CUPTI_API_ENTER, .correlation = number };
  if (to == NULL || !called_back[function])
    return;
  to (callback_context, CUPTI_CB_DOMAIN_DRIVER_API, function, &call);
  call.site = !CUPTI_API_ENTER;
  to (callback_context, CUPTI_CB_DOMAIN_DRIVER_API, function, &call);
}

static uint32_t
enqueued (enum standin_kind what)
{
  const char *calls = getenv ("ACCSCOPE_STANDIN_CUPTI_CALLS");
  uint32_t number, kind;
  pthread_mutex_lock (&lock);
  number = correlations += calls != NULL ? (uint32_t) atoi (calls) : 1;
  /* External correlation numbers come before the record of a call.  */
  for (kind = 0; kind < EXTERNAL_KINDS; kind++)
    if (depth[kind] > 0 && enabled & bit (CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION)
	&& enabled & bit (CUPTI_ACTIVITY_KIND_DRIVER))
      {
	struct cupti_external e = { CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION, kind,
				    external[kind][depth[kind] - 1], number, 0 };
	append (&e, sizeof e, EXTERNAL_BYTES);
      }
  if (enabled & bit (CUPTI_ACTIVITY_KIND_DRIVER))
    {
      struct cupti_activity call = { CUPTI_ACTIVITY_KIND_DRIVER };
      append (&call, sizeof call, CALL_BYTES);
    }
  pthread_mutex_unlock (&lock);
  call_back (function_of (what), number);
  return number;
}

static void
ran (const struct standin_ran *o, uint64_t start, uint64_t end)
{
  if (fails ("timestamp"))
    start = end = 0;
  pthread_mutex_lock (&lock);
  if (o->kind == STANDIN_KERNEL && enabled & bit (CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL))
    {
      struct cupti_kernel k = { .kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, .start = start, .end = end,
	.device = o->device, .context = 1 + o->device, .stream = o->stream, .correlation = o->correlation, .name = o->name };
      append (&k, sizeof k, KERNEL_BYTES);
    }
  else if (o->kind == STANDIN_FILL && enabled & bit (CUPTI_ACTIVITY_KIND_MEMSET))
    {
      struct cupti_memset m = { CUPTI_ACTIVITY_KIND_MEMSET, 0, o->bytes, start, end, o->device, 1 + o->device, o->stream, o->correlation };
      append (&m, sizeof m, FILL_BYTES);
    }
  else if (o->kind != STANDIN_KERNEL && enabled & bit (CUPTI_ACTIVITY_KIND_MEMCPY))
    {
      struct cupti_memcpy m = { .kind = CUPTI_ACTIVITY_KIND_MEMCPY,
	.copy_kind = o->kind == STANDIN_UPLOAD ? CUPTI_ACTIVITY_MEMCPY_KIND_HTOD
		     : o->kind == STANDIN_DOWNLOAD ? CUPTI_ACTIVITY_MEMCPY_KIND_DTOH : 8,
	.bytes = o->bytes, .start = start, .end = end, .device = o->device, .context = 1 + o->device, .stream = o->stream,
	.correlation = o->correlation };
      append (&m, sizeof m, COPY_BYTES);
    }
  pthread_mutex_unlock (&lock);
}

static const struct standin_observer observer = { enqueued, now, ran };

#define FAILS if (fails (__func__)) return 999

EXPORT CUptiResult
cuptiGetVersion (uint32_t *version)
{
  *version = 26;
  return CUPTI_SUCCESS;
}

EXPORT CUptiResult
cuptiGetResultString (CUptiResult result, const char **text)
{
  *text = result == CUPTI_SUCCESS ? "CUPTI_SUCCESS" : "CUPTI_ERROR_UNKNOWN";
  return CUPTI_SUCCESS;
}

EXPORT CUptiResult
cuptiGetTimestamp (uint64_t *value)
{
  *value = now ();
  return CUPTI_SUCCESS;
}

EXPORT CUptiResult
cuptiActivityRegisterTimestampCallback (cupti_timestamp function)
{
  FAILS;
  leave_alone ();
  timestamp = function;
  return CUPTI_SUCCESS;
}

EXPORT CUptiResult
cuptiActivityRegisterCallbacks (cupti_request r, cupti_complete c)
{
  FAILS;
  leave_alone ();
  request = r;
  complete = c;
  return CUPTI_SUCCESS;
}

EXPORT CUptiResult
cuptiSubscribe (void **subscriber, cupti_callback function, void *context)
{
  FAILS;
  if (callback != NULL)
    return 39;			/* CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED */
  callback_context = context;
  __atomic_store_n (&callback, function, __ATOMIC_RELEASE);
  *subscriber = &callback;
  return CUPTI_SUCCESS;
}

EXPORT CUptiResult
cuptiUnsubscribe (void *subscriber)
{
  if (subscriber != &callback)
    return 1;
  memset (called_back, 0, sizeof called_back);
  __atomic_store_n (&callback, NULL, __ATOMIC_RELEASE);
  return CUPTI_SUCCESS;
}

EXPORT CUptiResult
cuptiEnableCallback (uint32_t enable, void *subscriber, int domain, uint32_t function)
{
  FAILS;
  if (subscriber != &callback || domain != CUPTI_CB_DOMAIN_DRIVER_API
      || function >= sizeof called_back)
    return 1;
  called_back[function] = enable != 0;
  return CUPTI_SUCCESS;
}

EXPORT CUptiResult
cuptiActivityEnable (int kind)
{
  void (*observe) (const struct standin_observer *);
  void *driver = dlopen ("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  FAILS;
  if (driver == NULL || (*(void **) &observe = dlsym (driver, "standin_observe")) == NULL)
    return 15;			/* CUPTI_ERROR_NOT_INITIALIZED */
  enabled |= bit (kind);
  observe (&observer);
  return CUPTI_SUCCESS;
}

EXPORT CUptiResult
cuptiActivityDisable (int kind)
{
  enabled &= ~bit (kind);
  return CUPTI_SUCCESS;
}

EXPORT CUptiResult
cuptiActivityFlushAll (uint32_t flags)
{
  (void) flags;
  pthread_mutex_lock (&lock);
  hand_over ();
  pthread_mutex_unlock (&lock);
  return CUPTI_SUCCESS;
}

EXPORT CUptiResult
cuptiActivityGetNextRecord (uint8_t *from, size_t valid, struct cupti_activity **record)
{
  uint8_t *next = from;
  if (*record != NULL)
    {
      uint32_t kind = (*record)->kind;
      next = (uint8_t *) *record
	+ (kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL ? KERNEL_BYTES : kind == CUPTI_ACTIVITY_KIND_MEMSET ? FILL_BYTES
	   : kind == CUPTI_ACTIVITY_KIND_MEMCPY ? COPY_BYTES
	   : kind == CUPTI_ACTIVITY_KIND_DRIVER ? CALL_BYTES : EXTERNAL_BYTES);
    }
  if (next >= from + valid)
    return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = (struct cupti_activity *) next;
  return CUPTI_SUCCESS;
}

EXPORT CUptiResult
cuptiActivityPushExternalCorrelationId (int kind, uint64_t id)
{
  if (kind < 0 || kind >= EXTERNAL_KINDS || depth[kind] == MOST_DEPTH)
    return 1;
  external[kind][depth[kind]++] = id;
  return CUPTI_SUCCESS;
}

EXPORT CUptiResult
cuptiActivityPopExternalCorrelationId (int kind, uint64_t *last)
{
  if (kind < 0 || kind >= EXTERNAL_KINDS || depth[kind] == 0)
    return 1;
  *last = external[kind][--depth[kind]];
  return CUPTI_SUCCESS;
}
