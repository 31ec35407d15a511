/* foreign.c - an OpenACC runtime that tells nothing of device activity, on the
   CUDA driver's API: one kernel and an upload in enqueue events, a download and a
   fill outside of any, on a queue; then it ends without waiting, if so told.  The
   kernel's name is gone before its records come.
   Usage: foreign LIBRARY [ROUNDS [nowait]].  */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../../../runtime/cuda/driver.h"
#include "acc_callback.h"

static struct accscope_cuda_driver cuda;
static acc_callback callback;

static void
take (acc_event_t kind, acc_callback cb, acc_register_t info)
{
  (void) kind;
  (void) info;
  callback = cb;
}

static acc_query_fn
lookup (const char *name)
{
  (void) name;
  return NULL;
}

static void
raise_event (int kind, const char *name, size_t bytes)
{
  acc_prof_info profile = {
    .event_type = kind, .valid_bytes = sizeof profile, .version = 201711,
    .device_type = acc_device_nvidia, .thread_id = -1, .async = 3, .async_queue = 3,
    .line_no = -1, .end_line_no = -1, .func_line_no = -1, .func_end_line_no = -1,
  };
  acc_event_info event;
  acc_api_info api = { .valid_bytes = sizeof api, .device_api = acc_device_api_cuda };
  memset (&event, 0, sizeof event);
  event.data_event.event_type = kind;
  event.data_event.valid_bytes = 56;
  event.data_event.var_name = name;
  event.data_event.bytes = bytes;
  callback (&profile, &event, &api);
}

static void
kernel (const uintptr_t *slots)
{
  struct { volatile long n; } spin = { 20000 };
  (void) slots;
  while (spin.n-- > 0)
    ;
}

#define TRY(call)				\
  do						\
    if ((call) != 0)				\
      {						\
	fprintf (stderr, "%s failed\n", #call);	\
	exit (1);				\
      }						\
  while (0)

int
main (int argc, char **argv)
{
  void *handle = dlopen (argv[1], RTLD_NOW);
  void (*library) (acc_prof_reg, acc_prof_reg, acc_prof_lookup_func);
  static char text[64], host[4096], name[64];
  int rounds = argc > 2 ? atoi (argv[2]) : 1;
  char reason[256];
  CUdevice device;
  CUcontext context;
  CUlinkState state;
  CUmodule module;
  CUfunction function;
  CUstream stream;
  CUdeviceptr memory, argument = 0;
  void *parameters[] = { &argument }, *image;
  size_t size;

  if (handle == NULL)
    return 2;
  *(void **) &library = dlsym (handle, "acc_register_library");
  library (take, take, lookup);
  raise_event (acc_ev_device_init_start, NULL, 0);
  TRY (accscope_cuda_load (&cuda, "libcuda.so.1", reason, sizeof reason));
  TRY (cuda.cuInit (0));
  TRY (cuda.cuDeviceGet (&device, 0));
  TRY (cuda.cuDevicePrimaryCtxRetain (&context, device));
  TRY (cuda.cuCtxSetCurrent (context));
  raise_event (acc_ev_device_init_end, NULL, 0);
  snprintf (text, sizeof text, "// function main$_omp_fn$0 %#lx 1024\n", (unsigned long) kernel);
  TRY (cuda.cuLinkCreate (0, NULL, NULL, &state));
  TRY (cuda.cuLinkAddData (state, CU_JIT_INPUT_PTX, text, strlen (text) + 1, "text", 0, NULL, NULL));
  TRY (cuda.cuLinkComplete (state, &image, &size));
  TRY (cuda.cuModuleLoadData (&module, image));
  TRY (cuda.cuModuleGetFunction (&function, module, "main$_omp_fn$0"));
  TRY (cuda.cuStreamCreate (&stream, 0));
  TRY (cuda.cuMemAlloc (&memory, sizeof host));
  while (rounds-- > 0)
    {
      raise_event (acc_ev_enqueue_upload_start, "a", 100);
      TRY (cuda.cuMemcpyHtoDAsync (memory, host, 100, stream));
      raise_event (acc_ev_enqueue_upload_end, "a", 100);
      strcpy (name, "main._omp_fn.0");
      raise_event (acc_ev_enqueue_launch_start, name, 0);
      TRY (cuda.cuLaunchKernel (function, 8, 1, 1, 32, 1, 1, 0, stream, parameters, NULL));
      raise_event (acc_ev_enqueue_launch_end, name, 0);
      strcpy (name, "gone");
      TRY (cuda.cuMemcpyDtoHAsync (host, memory, 200, stream));
      TRY (cuda.cuMemsetD8Async (memory, 0, 300, stream));
    }
  if (argc <= 3)
    TRY (cuda.cuStreamSynchronize (stream));
  return 0;
}
