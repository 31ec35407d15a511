/* launching.c - an OpenACC runtime that tells what GCC's does with a GPU: compute
   constructs all as parallel, launches by the linker's names, and of no event where it
   comes from.  It runs kernels on the host.  */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "acc_callback.h"

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

static void __attribute__ ((constructor))
begin (void)
{
  void *handle = dlopen (getenv ("ACC_PROFLIB"), RTLD_NOW);
  void (*library) (acc_prof_reg, acc_prof_reg, acc_prof_lookup_func);

  if (handle == NULL)
    {
      fprintf (stderr, "%s\n", dlerror ());
      exit (2);
    }
  *(void **) &library = dlsym (handle, "acc_register_library");
  library (take, take, lookup);
}

static void
raise_event (int kind, const char *kernel)
{
  acc_prof_info profile = {
    .event_type = kind, .valid_bytes = sizeof profile, .version = 201711,
    .device_type = acc_device_nvidia, .thread_id = -1, .async = acc_async_sync,
    .async_queue = acc_async_sync, .line_no = -1, .end_line_no = -1,
    .func_line_no = -1, .func_end_line_no = -1,
  };
  acc_event_info event;
  acc_api_info api = { .valid_bytes = sizeof api, .device_api = acc_device_api_cuda };

  memset (&event, 0, sizeof event);
  event.launch_event.event_type = kind;
  event.launch_event.valid_bytes = sizeof event.launch_event;
  event.launch_event.parent_construct = acc_construct_parallel;
  event.launch_event.kernel_name = kernel;
  callback (&profile, &event, &api);
}

/* Kernels are numbered in the order of their first launches.  */
void
GOACC_parallel_keyed (int device, void (*kernel) (void **), size_t count,
		      void **addresses, size_t *sizes, unsigned short *kinds, ...)
{
  static void (*known[10]) (void **);
  char name[32];
  int n = 0;

  (void) device;
  (void) count;
  (void) sizes;
  (void) kinds;
  while (known[n] != NULL && known[n] != kernel)
    n++;
  known[n] = kernel;
  snprintf (name, sizeof name, "work$_omp_fn$%d", n);
  raise_event (acc_ev_compute_construct_start, NULL);
  raise_event (acc_ev_enqueue_launch_start, name);
  kernel (addresses);
  raise_event (acc_ev_enqueue_launch_end, name);
  raise_event (acc_ev_compute_construct_end, NULL);
}
