/* The part of CUPTI's activity API that accscope uses: what a GPU did and when,
   under whatever runtime.  Declared here so that no CUDA is needed to build; the
   library is opened when a program runs.  Names, numbers and layouts are those of
   NVIDIA's CUPTI reference.  Of records only the part is declared that all
   versions since CUDA 9 begin with.  */
#ifndef ACCSCOPE_CUPTI_H
#define ACCSCOPE_CUPTI_H

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
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

struct accscope_cupti
{
#define X(name, parameters) CUptiResult (*name) parameters;
  ACCSCOPE_CUPTI_FUNCTIONS (X)
  ACCSCOPE_CUPTI_LATER (X)
#undef X
};

/* Opens the library at PATH, or if that is null or empty the one that is
   installed, and fills TABLE.  Returns 0, or -1 if there is none.  */
static inline int
accscope_cupti_open (struct accscope_cupti *table, const char *path)
{
  static const char *const names[] = {
    "libcupti.so", "libcupti.so.13", "libcupti.so.12", "libcupti.so.11.8",
    "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so",
    "/usr/local/cuda/lib64/libcupti.so",
    "/opt/cuda/extras/CUPTI/lib64/libcupti.so",
  };
  void *library = NULL;
  size_t i;

  if (path != NULL && *path != '\0')
    library = dlopen (path, RTLD_NOW | RTLD_LOCAL);
  else
    for (i = 0; library == NULL && i < sizeof names / sizeof *names; i++)
      library = dlopen (names[i], RTLD_NOW | RTLD_LOCAL);
  if (library == NULL)
    return -1;
#define X(name, parameters)				\
  *(void **) &table->name = dlsym (library, #name);
  ACCSCOPE_CUPTI_FUNCTIONS (X)
  ACCSCOPE_CUPTI_LATER (X)
#undef X
#define X(name, parameters) && table->name != NULL
  return 1 ACCSCOPE_CUPTI_FUNCTIONS (X) ? 0 : -1;
#undef X
}

/* What a record says that the device did.  */
struct accscope_cupti_operation
{
  int kind;			/* enum accscope_activity_kind; 0: the record says nothing of it */
  uint64_t bytes, start, end;	/* by CUPTI's clock; end 0: it could not tell */
  uint32_t device, context, stream, correlation;
  const char *name;		/* of a kernel, else null */
  int pageable;			/* a transfer's memory of the host is */
};

static inline struct accscope_cupti_operation
accscope_cupti_operation (const struct cupti_activity *activity)
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

/* Gives CUPTI a buffer for records; its user frees it.  */
static inline void
accscope_cupti_request (uint8_t **buffer, size_t *size, size_t *most)
{
  *size = (size_t) 512 << 10;
  *buffer = malloc (*size);
  if (*buffer == NULL)
    *size = 0;
  *most = 0;
}

/* Has records of all of these kinds come, or of none; whether they do.  */
static inline int
accscope_cupti_enable (const struct accscope_cupti *table, const int *kinds, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (table->cuptiActivityEnable (kinds[i]) != CUPTI_SUCCESS)
      {
	while (i-- > 0)
	  table->cuptiActivityDisable (kinds[i]);
	return 0;
      }
  return 1;
}

#endif
