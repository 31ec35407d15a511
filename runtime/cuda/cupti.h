/* What a GPU did and when, under whatever runtime: the part of CUPTI's activity API
   that accscope uses, and its client.  The API is declared here so that no CUDA is
   needed to build; the library is opened when a program runs.  Names, numbers and layouts are those of
   NVIDIA's CUPTI reference.  Of records only the part is declared that all
   versions since CUDA 9 begin with.  */
#ifndef ACCSCOPE_CUPTI_H
#define ACCSCOPE_CUPTI_H

#include <stddef.h>
#include <stdint.h>
#include "../include/accscope_activity.h"

typedef int CUptiResult;

enum
{
  CUPTI_SUCCESS = 0,
  CUPTI_ERROR_MAX_LIMIT_REACHED = 12,

  CUPTI_ACTIVITY_KIND_MEMCPY = 1,
  CUPTI_ACTIVITY_KIND_MEMSET = 2,
  CUPTI_ACTIVITY_KIND_KERNEL = 3,
  CUPTI_ACTIVITY_KIND_DRIVER = 4,
  CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL = 10,
  CUPTI_ACTIVITY_KIND_MEMCPY2 = 22,
  CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION = 39,

  CUPTI_ACTIVITY_MEMCPY_KIND_HTOD = 1,
  CUPTI_ACTIVITY_MEMCPY_KIND_DTOH = 2,

  CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE = 1,

  CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0 = 3,

  CUPTI_ACTIVITY_FLAG_FLUSH_NONE = 0,
  CUPTI_ACTIVITY_FLAG_FLUSH_FORCED = 1,

  /* Callbacks on calls of the driver.  */
  CUPTI_CB_DOMAIN_DRIVER_API = 1,
  CUPTI_API_ENTER = 0,
  CUPTI_DRIVER_TRACE_CBID_cuMemsetD8Async = 216,
  CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync = 277,
  CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoHAsync = 279,
  CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoDAsync = 281,
  CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel = 307
};

#pragma pack(push, 8)

struct cupti_activity
{
  uint32_t kind;
};

struct cupti_kernel
{
  uint32_t kind;
  uint8_t cache_config, shared_config;
  uint16_t registers;
  uint32_t cache_requested, cache_executed;
  uint64_t start, end, completed;
  uint32_t device, context, stream;
  int32_t grid[3], block[3];
  int32_t static_shared, dynamic_shared;
  uint32_t local_per_thread, local_total;
  uint32_t correlation;
  int64_t grid_id;
  const char *name;
};

struct cupti_memcpy
{
  uint32_t kind;
  uint8_t copy_kind, from_kind, to_kind, flags;
  uint64_t bytes, start, end;
  uint32_t device, context, stream, correlation;
};

struct cupti_memset
{
  uint32_t kind;
  uint32_t value;
  uint64_t bytes, start, end;
  uint32_t device, context, stream, correlation;
};

struct cupti_external
{
  uint32_t kind;
  uint32_t external_kind;
  uint64_t external;
  uint32_t correlation;
  uint32_t reserved;
};

#pragma pack(pop)

/* What a callback is told; the correlation is that of the records of what the
   call enqueues.  */
struct cupti_call
{
  int site;
  const char *function;
  const void *parameters;
  void *result;
  const char *symbol;
  void *context;
  uint32_t context_number;
  uint64_t *data;
  uint32_t correlation;
};

_Static_assert (offsetof (struct cupti_kernel, start) == 16
		&& offsetof (struct cupti_kernel, correlation) == 92
		&& offsetof (struct cupti_kernel, name) == 104
		&& offsetof (struct cupti_memcpy, correlation) == 44
		&& offsetof (struct cupti_memset, correlation) == 44
		&& offsetof (struct cupti_external, correlation) == 16
		&& offsetof (struct cupti_call, correlation) == 64,
		"the layouts are CUPTI's");

typedef void (*cupti_request) (uint8_t **buffer, size_t *size, size_t *most);
typedef void (*cupti_complete) (void *context, uint32_t stream, uint8_t *buffer,
				size_t size, size_t valid);
typedef uint64_t (*cupti_timestamp) (void);
typedef void (*cupti_callback) (void *context, int domain, uint32_t function,
				const struct cupti_call *call);

/* X (name, parameters).  */
#define ACCSCOPE_CUPTI_FUNCTIONS(X)						\
  X (cuptiGetVersion, (uint32_t *version))					\
  X (cuptiGetResultString, (CUptiResult result, const char **text))		\
  X (cuptiActivityRegisterCallbacks, (cupti_request request, cupti_complete complete)) \
  X (cuptiActivityEnable, (int kind))						\
  X (cuptiActivityDisable, (int kind))						\
  X (cuptiActivityFlushAll, (uint32_t flags))					\
  X (cuptiActivityGetNextRecord, (uint8_t *buffer, size_t valid, struct cupti_activity **record)) \
  X (cuptiActivityPushExternalCorrelationId, (int kind, uint64_t id))		\
  X (cuptiActivityPopExternalCorrelationId, (int kind, uint64_t *last))	\
  X (cuptiGetTimestamp, (uint64_t *timestamp))				\
  X (cuptiSubscribe, (void **subscriber, cupti_callback callback, void *context)) \
  X (cuptiUnsubscribe, (void *subscriber))					\
  X (cuptiEnableCallback, (uint32_t enable, void *subscriber, int domain, uint32_t function))

/* Functions that came later (CUDA 11), null where they are not there.  */
#define ACCSCOPE_CUPTI_LATER(X)							\
  X (cuptiActivityRegisterTimestampCallback, (cupti_timestamp timestamp))	\
  X (cuptiActivityFlushPeriod, (uint32_t milliseconds))

#pragma GCC visibility push(hidden)

/* -- The client (cupti.c), one for each of our libraries: the runtime's backend says
   by it what its own operations took, the profiler library what other runtimes'
   did.  Records come to one user, on threads of CUPTI's.  */

/* What a record says that the device did.  */
struct accscope_cupti_operation
{
  int kind;			/* enum accscope_activity_kind */
  uint64_t bytes, start, end;	/* by CUPTI's clock; end 0: it could not tell */
  uint32_t device, context, stream, correlation;
  const char *name;		/* of a kernel, else null */
  int pageable;			/* a transfer's memory of the host is */
};

/* What records are told of, and the driver's calls that are called back.  */
struct accscope_cupti_kinds
{
  const int *records;
  size_t record_count;
  const uint32_t *calls;
  size_t call_count;
};

/* What CUPTI does for its user.  */
struct accscope_cupti_use
{
  struct accscope_cupti_kinds kinds;
  uint32_t period;		/* milliseconds, after which records come at the latest */
  cupti_callback called;
  cupti_timestamp clock;	/* what records are timed by, null: CUPTI's own clock */
  /* One call at a time of both: of the correlation numbers in a buffer, since they
     may stand behind what they belong to, and then of its operations.  The former
     may be null.  */
  void (*external) (uint32_t correlation, uint64_t number);
  void (*operation) (const struct accscope_cupti_operation *operation);
};

/* Opens the library at PATH, or if that is null or empty the one that is
   installed; whether there is one.  The first that was found stays.  */
int accscope_cupti_open (const char *path);

/* Has CUPTI, which is open, do what USE says, until the end; whether it does.  It
   does not where another tool uses CUPTI, which has one subscriber at a time: being
   it keeps us from taking the place of that tool's clock and buffers, and another
   tool from taking ours.  USE is the same each time.  Beginning, adding and ending
   are for one thread at a time.  */
int accscope_cupti_begin (const struct accscope_cupti_use *use);
/* These kinds, too, until the end; whether they do.  */
int accscope_cupti_add (const struct accscope_cupti_kinds *kinds);
void accscope_cupti_end (void);

/* What is to be added to the times of records for those of the user's clock.  */
int64_t accscope_cupti_offset (void);
/* Has what is complete come, on this thread; what is not, too, if that is FORCED.  */
void accscope_cupti_flush (int forced);
/* Keeps records from being told of, for what the user's functions read.  */
void accscope_cupti_pause (void);
void accscope_cupti_resume (void);

/* A region of this thread, whose operations have this number.  */
void accscope_cupti_push (uint64_t number);
void accscope_cupti_pop (void);

#pragma GCC visibility pop

#endif
