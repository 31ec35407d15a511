/* What the ways of timing operations cost, through the driver alone: CUDA events
   around or between launches, and CUPTI's activity records.  The argument is the
   path of libcupti.so; without it only events are measured.  */
#include "../cupti.h"
#include "../driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct accscope_cuda_driver cuda;
static struct
{
#define X(name, parameters) CUptiResult (*name) parameters;
  ACCSCOPE_CUPTI_FUNCTIONS (X)
  ACCSCOPE_CUPTI_LATER (X)
#undef X
} cupti;
static CUfunction function;
static CUstream stream;
static CUevent event[4096];
static CUdeviceptr argument;
static void *parameters[] = { &argument };
static unsigned long kernels, externals, others, matched, buffers;
static uint64_t spans;

static uint64_t
monotonic (void)
{
  struct timespec t;
  clock_gettime (CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000ull + t.tv_nsec;
}

#define TRY(call)							\
  do									\
    {									\
      int result = (call);						\
      if (result != 0)							\
	{								\
	  printf ("%s: error %d\n", #call, result);			\
	  exit (1);							\
	}								\
    }									\
  while (0)

#define LAUNCH TRY (cuda.cuLaunchKernel (function, 8, 1, 1, 32, 1, 1, 0, stream, parameters, NULL))

enum { SYNC, EVENTS, END_EVENT, EVENT_SYNC, QUERY, EVENTS_SPIN, PUSH };

static void
body (int way, int pipelined)
{
  int i;
  uint64_t id;
  for (i = 0; i < 1024; i++)
    {
      CUevent *e = &event[2 * i];
      if (way == EVENTS || way == EVENTS_SPIN)
	TRY (cuda.cuEventRecord (e[0], stream));
      if (way == PUSH)
	cupti.cuptiActivityPushExternalCorrelationId (CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, i + 1);
      LAUNCH;
      if (way == PUSH)
	cupti.cuptiActivityPopExternalCorrelationId (CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, &id);
      if (way == EVENTS || way == END_EVENT || way == EVENT_SYNC || way == EVENTS_SPIN)
	TRY (cuda.cuEventRecord (e[1], stream));
      if (pipelined && i % 64 != 63)
	continue;
      if (way == EVENT_SYNC)
	TRY (cuda.cuEventSynchronize (e[1]));
      else if (way == EVENTS_SPIN)
	while (cuda.cuEventQuery (e[1]) != 0)
	  ;
      else if (way == QUERY)
	while (cuda.cuStreamQuery (stream) != 0)
	  ;
      else
	TRY (cuda.cuStreamSynchronize (stream));
    }
}

static int
compare (const void *x, const void *y)
{
  double p = *(const double *) x, q = *(const double *) y;
  return (p > q) - (p < q);
}

static void
report (const char *name, int way)
{
  int pipelined, round;
  double times[2][9];
  for (pipelined = 0; pipelined < 2; pipelined++)
    {
      for (round = 0; round < 9; round++)
	{
	  uint64_t start = monotonic ();
	  body (way, pipelined);
	  times[pipelined][round] = (monotonic () - start) / 1e3 / 1024;
	}
      qsort (times[pipelined], 9, sizeof (double), compare);
    }
  printf ("%-44s %8.3f us synchronous %8.3f us of 64\n", name, times[0][4], times[1][4]);
  fflush (stdout);
}

static void
call_cost (const char *name, int what)
{
  uint64_t start;
  int i;
  float milliseconds;
  TRY (cuda.cuStreamSynchronize (stream));
  start = monotonic ();
  for (i = 0; i < 512; i++)
    switch (what)
      {
      case 0: TRY (cuda.cuEventRecord (event[i], stream)); break;
      case 1: cuda.cuEventQuery (event[i]); break;
      case 2: cuda.cuEventElapsedTime (&milliseconds, event[i], event[i + 1]); break;
      case 3: cuda.cuStreamQuery (stream); break;
      case 4: LAUNCH; break;
      }
  printf ("  call of %-34s %8.3f us\n", name, (monotonic () - start) / 1e3 / 512);
  TRY (cuda.cuStreamSynchronize (stream));
}

static void
request (uint8_t **buffer, size_t *size, size_t *most)
{
  *size = 1 << 20;
  *buffer = aligned_alloc (8, *size);
  *most = 0;
}

static uint32_t last_external;
static unsigned long again, calls;
static uint32_t called;

/* CUPTI's callback API, which tells the number of a call while it is made.  */
static void
callback (void *user, int domain, uint32_t id, const struct cupti_call *data)
{
  (void) user;
  (void) domain;
  (void) id;
  calls++;
  called = data->correlation;
  if (calls <= 2)
    printf ("  callback: domain %d id %u site %d %s correlation %u\n", domain, id, data->site, data->function, data->correlation);
}

static void
complete (void *context, uint32_t unused, uint8_t *buffer, size_t size, size_t valid)
{
  struct cupti_activity *record = NULL;
  (void) context;
  (void) unused;
  (void) size;
  buffers++;
  while (cupti.cuptiActivityGetNextRecord (buffer, valid, &record) == 0)
    if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL
	|| record->kind == CUPTI_ACTIVITY_KIND_KERNEL)
      {
	struct cupti_kernel *k = (struct cupti_kernel *) record;
	kernels++;
	spans += k->end - k->start;
	if (k->correlation == last_external)
	  matched++;
	if (kernels % 40000 == 1)
	  printf ("  record: kernel %s stream %u device %u grid %d block %d correlation %u %llu..%llu, now %llu\n",
		  k->name, k->stream, k->device, k->grid[0], k->block[0], k->correlation,
		  (unsigned long long) k->start, (unsigned long long) k->end, (unsigned long long) monotonic ());
      }
    else if (record->kind == CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION)
      {
	struct cupti_external *e = (struct cupti_external *) record;
	last_external = e->correlation;
	externals++;
      }
    else
      others++;
  record = NULL;
  while (cupti.cuptiActivityGetNextRecord (buffer, valid, &record) == 0)
    again++;
  free (buffer);
}

static void
count (const char *name)
{
  uint64_t start = monotonic ();
  TRY (cupti.cuptiActivityFlushAll (0));
  printf ("  %lu records in a second reading, last call's number %u;", again, called);
  again = 0;
  printf ("  %s: flush %.3f ms; %lu buffers, %lu kernels (%lu right after their external), %lu externals, %lu others, mean span %llu ns\n", name,
	  (monotonic () - start) / 1e6, buffers, kernels, matched, externals, others, (unsigned long long) (kernels ? spans / kernels : 0));
  kernels = externals = others = matched = buffers = 0;
  spans = 0;
}

static const char ptx[] = ".version 6.0\n.target sm_30\n.address_size 64\n"
  ".visible .entry nothing (.param .u64 p) { ret; }\n";

int
main (int argc, char **argv)
{
  char reason[256];
  CUdevice device;
  CUcontext context;
  CUmodule module;
  uint64_t start;
  uint32_t version = 0;
  void *library;
  int i;

  TRY (accscope_cuda_load (&cuda, "libcuda.so.1", reason, sizeof reason));
  start = monotonic ();
  TRY (cuda.cuInit (0));
  TRY (cuda.cuDeviceGet (&device, 0));
  TRY (cuda.cuDevicePrimaryCtxRetain (&context, device));
  TRY (cuda.cuCtxSetCurrent (context));
  printf ("context after %.1f ms\n", (monotonic () - start) / 1e6);
  TRY (cuda.cuModuleLoadData (&module, ptx));
  TRY (cuda.cuModuleGetFunction (&function, module, "nothing"));
  TRY (cuda.cuStreamCreate (&stream, 0));
  for (i = 0; i < 4096; i++)
    TRY (cuda.cuEventCreate (&event[i], 0));
  report ("bare", SYNC);
  report ("bare, stream queried", QUERY);
  report ("events around", EVENTS);
  report ("events around, the second queried", EVENTS_SPIN);
  report ("an event after", END_EVENT);
  report ("an event after, waited for", EVENT_SYNC);
  report ("bare", SYNC);
  call_cost ("cuEventRecord", 0);
  call_cost ("cuEventQuery", 1);
  call_cost ("cuEventElapsedTime", 2);
  call_cost ("cuStreamQuery", 3);
  call_cost ("cuLaunchKernel", 4);
  if (argc < 2)
    return 0;
  start = monotonic ();
  library = dlopen (argv[1], RTLD_NOW | RTLD_LOCAL);
  if (library == NULL)
    {
      printf ("%s\n", dlerror ());
      return 1;
    }
#define X(name, parameters) *(void **) &cupti.name = dlsym (library, #name);
  ACCSCOPE_CUPTI_FUNCTIONS (X)
  ACCSCOPE_CUPTI_LATER (X)
#undef X
  TRY (cupti.cuptiGetVersion (&version));
  printf ("CUPTI API version %u, opened in %.1f ms\n", version, (monotonic () - start) / 1e6);
  start = monotonic ();
  if (cupti.cuptiActivityRegisterTimestampCallback != NULL)
    printf ("timestamp callback: %d\n", cupti.cuptiActivityRegisterTimestampCallback (monotonic));
  TRY (cupti.cuptiActivityRegisterCallbacks (request, complete));
  TRY (cupti.cuptiActivityEnable (CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
  printf ("enabled in %.1f ms\n", (monotonic () - start) / 1e6);
  report ("CUPTI, kernels", SYNC);
  count ("kernels");
  TRY (cupti.cuptiActivityEnable (CUPTI_ACTIVITY_KIND_MEMCPY));
  TRY (cupti.cuptiActivityEnable (CUPTI_ACTIVITY_KIND_MEMSET));
  report ("CUPTI, kernels, copies, fills", SYNC);
  count ("all");
  TRY (cupti.cuptiActivityEnable (CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION));
  report ("CUPTI, and external, none pushed", SYNC);
  count ("external unused");
  report ("CUPTI, external", PUSH);
  count ("external");
  {
    int (*subscribe) (void **, void *, void *) = (int (*) (void **, void *, void *)) dlsym (library, "cuptiSubscribe");
    int (*enable) (uint32_t, void *, int, uint32_t) = (int (*) (uint32_t, void *, int, uint32_t)) dlsym (library, "cuptiEnableCallback");
    int (*unsubscribe) (void *) = (int (*) (void *)) dlsym (library, "cuptiUnsubscribe");
    int (*api) (uint32_t, uint8_t) = (int (*) (uint32_t, uint8_t)) dlsym (library, "cuptiActivityEnableDriverApi");
    void *subscriber = NULL;
    printf ("  push: %d\n", cupti.cuptiActivityPushExternalCorrelationId (CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, 77));
    cupti.cuptiActivityPopExternalCorrelationId (CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, &start);
    if (subscribe != NULL)
      {
	printf ("  subscribe: %d", subscribe (&subscriber, (void *) callback, NULL));
	printf (" enable: %d\n", enable (1, subscriber, 1, 307));
	report ("CUPTI, launches called back", SYNC);
	count ("called back");
	enable (0, subscriber, 1, 307);
      }
    if (api != NULL)
      {
	printf ("  enable the launch's API records: %d\n", api (307, 1));
	report ("CUPTI, external, launch API", PUSH);
	count ("external and launch API");
	printf ("  disable: %d\n", api (307, 0));
      }
    TRY (cupti.cuptiActivityEnable (CUPTI_ACTIVITY_KIND_DRIVER));
    report ("CUPTI, external, all API", PUSH);
    count ("external and API");
    TRY (cupti.cuptiActivityDisable (CUPTI_ACTIVITY_KIND_DRIVER));
    if (subscriber != NULL)
      printf ("  unsubscribe: %d\n", unsubscribe (subscriber));
  }
  TRY (cupti.cuptiActivityDisable (CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
  TRY (cupti.cuptiActivityDisable (CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION));
  TRY (cupti.cuptiActivityEnable (CUPTI_ACTIVITY_KIND_KERNEL));
  report ("CUPTI, kernels serialised", SYNC);
  count ("serialised");
  TRY (cupti.cuptiActivityDisable (CUPTI_ACTIVITY_KIND_KERNEL));
  TRY (cupti.cuptiActivityDisable (CUPTI_ACTIVITY_KIND_MEMCPY));
  TRY (cupti.cuptiActivityDisable (CUPTI_ACTIVITY_KIND_MEMSET));
  report ("CUPTI, nothing enabled", SYNC);
  return 0;
}
