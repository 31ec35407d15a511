/* capture.c - the cost of one event: calls callbacks as an OpenACC runtime does
   and prints the nanoseconds that each call takes.

   usage: capture [-l FILE] [-r ROUNDS] [-v] [events]
   With -v the bytes and addresses of transfers are never those of the last one.
   The callbacks are those that the profiler library registers; without a
   library in ACC_PROFLIB's place (argument -l FILE), an empty one.  */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "acc_callback.h"

static acc_callback callback;
static void empty (acc_prof_info *p, acc_event_info *e, acc_api_info *a)
{
  __asm__ volatile ("" : : "r" (p), "r" (e), "r" (a) : "memory");
}

static void take (acc_event_t kind, acc_callback cb, acc_register_t info)
{
  if (info == acc_reg && kind == acc_ev_enqueue_upload_start)
    callback = cb;
}

static acc_query_fn lookup (const char *name)
{
  (void) name;
  return 0;
}

static double now (void)
{
  struct timespec t;
  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &t);
  return (double) t.tv_sec * 1e9 + (double) t.tv_nsec;
}

int main (int argc, char **argv)
{
  long events = 20000000;
  int rounds = 3, vary = 0;
  const char *library = 0;
  for (int i = 1; i < argc; i++)
    if (strcmp (argv[i], "-l") == 0 && i + 1 < argc)
      library = argv[++i];
    else if (strcmp (argv[i], "-v") == 0)
      vary = 1;
    else if (strcmp (argv[i], "-r") == 0 && i + 1 < argc)
      rounds = atoi (argv[++i]);
    else
      events = atol (argv[i]);
  callback = empty;
  if (library)
    {
      void *handle = dlopen (library, RTLD_NOW);
      void (*enter) (acc_prof_reg, acc_prof_reg, acc_prof_lookup_func)
	= handle ? (void (*) (acc_prof_reg, acc_prof_reg, acc_prof_lookup_func))
	  dlsym (handle, "acc_register_library") : 0;
      if (!enter)
	{
	  fprintf (stderr, "capture: %s\n", dlerror ());
	  return 1;
	}
      enter (take, take, lookup);
    }
  acc_prof_info profile = {
    .valid_bytes = sizeof profile, .version = 202211,
    .device_type = acc_device_nvidia, .thread_id = 0, .async = 1,
    .async_queue = 1, .src_file = "examples/jacobi/jacobi.c",
    .func_name = "relax", .line_no = 42, .end_line_no = 51,
    .func_line_no = 30, .func_end_line_no = 70,
  };
  acc_event_info event;
  acc_api_info api = { .valid_bytes = sizeof api, .device_type = acc_device_nvidia };
  memset (&event, 0, sizeof event);
  event.data_event.var_name = "temperature";
  event.data_event.bytes = 1 << 20;
  /* a construct with its data and kernel, at one of four places; each pair of
     events has its tool_info */
  static const struct { int kind, bytes, pair, start; } steps[] = {
    { acc_ev_compute_construct_start, 24, 0, 1 },
    { acc_ev_enter_data_start, 24, 1, 1 },
    { acc_ev_enqueue_upload_start, 56, 2, 1 },
    { acc_ev_enqueue_upload_end, 56, 2, 0 },
    { acc_ev_enter_data_end, 24, 1, 0 },
    { acc_ev_enqueue_launch_start, 56, 1, 1 },
    { acc_ev_enqueue_launch_end, 56, 1, 0 },
    { acc_ev_compute_construct_end, 24, 0, 0 },
  };
  void *tool_info[3];
  for (int round = 0; round < rounds; round++)
    {
      double start = now ();
      for (long i = 0; i < events; i++)
	{
	  int step = (int) (i & 7), pair = steps[step].pair;
	  profile.event_type = event.event_type = steps[step].kind;
	  profile.line_no = 42 + (int) (i >> 3 & 3) * 100;
	  event.data_event.valid_bytes = steps[step].bytes;
	  event.data_event.tool_info = steps[step].start ? 0 : tool_info[pair];
	  if (vary)
	    {
	      event.data_event.bytes += 8;
	      event.data_event.host_ptr = (char *) event.data_event.host_ptr + 64;
	      event.data_event.device_ptr = (char *) event.data_event.device_ptr + 64;
	    }
	  callback (&profile, &event, &api);
	  tool_info[pair] = event.data_event.tool_info;
	}
      printf ("%.1f\n", (now () - start) / (double) events);
    }
  return 0;
}
