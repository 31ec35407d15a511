/* load.c - raises events from several threads as a runtime does, and counts
   those that the profiler library has taken.
   Usage: load LIBRARY THREADS ITERATIONS COUNTERS.  COUNTERS is a file of 4096
   bytes; ITERATIONS 0 goes on until killed, at a
   measured pace.  */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "acc_callback.h"

static acc_callback callback;
static volatile unsigned long *counters;
static long iterations;

static void
take (acc_event_t kind, acc_callback cb, acc_register_t info)
{
  (void) kind;
  (void) info;
  callback = cb;
}

static void *
raise_event (unsigned long *counter, int kind, void *tool, const char *name,
	     size_t bytes)
{
  acc_prof_info profile = {
    .event_type = kind, .valid_bytes = sizeof profile, .version = 202211,
    .device_type = acc_device_nvidia, .thread_id = -1, .async = 1,
    .async_queue = 1, .src_file = "load.c", .func_name = "work",
    .line_no = kind, .end_line_no = -1, .func_line_no = 1,
    .func_end_line_no = 99,
  };
  acc_event_info event;
  acc_api_info api = { .valid_bytes = sizeof api };
  memset (&event, 0, sizeof event);
  event.data_event.event_type = kind;
  event.data_event.valid_bytes = 56;
  event.data_event.tool_info = tool;
  if (name)
    event.data_event.var_name = name;
  event.data_event.bytes = bytes;
  if (kind == acc_ev_alloc || kind == acc_ev_free)
    {
      event.data_event.host_ptr = counter;
      event.data_event.device_ptr = (char *) counter + (1L << 32);
    }
  callback (&profile, &event, &api);
  ++*counter;
  return event.data_event.tool_info;
}

static void *
work (void *argument)
{
  unsigned long *counter = argument;
  for (long i = 0; i < iterations || iterations == 0; i++)
    {
      void *outer = raise_event (counter, acc_ev_compute_construct_start, 0, 0, 0);
      raise_event (counter, acc_ev_alloc, 0, "a", 4096);
      void *launch = raise_event (counter, acc_ev_enqueue_launch_start, 0, "kernel", 0);
      raise_event (counter, acc_ev_enqueue_launch_end, launch, "kernel", 0);
      void *wait = raise_event (counter, acc_ev_wait_start, 0, 0, 0);
      raise_event (counter, acc_ev_wait_end, wait, 0, 0);
      raise_event (counter, acc_ev_free, 0, "a", 4096);
      raise_event (counter, acc_ev_compute_construct_end, outer, 0, 0);
      if (iterations == 0)
	usleep (100);
    }
  return 0;
}

int
main (int argc, char **argv)
{
  if (argc != 5)
    return 2;
  void *handle = dlopen (argv[1], RTLD_NOW);
  void (*enter) (acc_prof_reg, acc_prof_reg, acc_prof_lookup_func)
    = handle ? (void (*) (acc_prof_reg, acc_prof_reg, acc_prof_lookup_func))
      dlsym (handle, "acc_register_library") : 0;
  if (!enter)
    {
      fprintf (stderr, "load: %s\n", dlerror ());
      return 1;
    }
  enter (take, take, 0);
  int file = open (argv[4], O_RDWR);
  counters = mmap (0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (counters == MAP_FAILED || !callback)
    return 1;
  int count = atoi (argv[2]);
  iterations = atol (argv[3]);
  pthread_t threads[64];
  for (int i = 0; i < count; i++)
    if (pthread_create (&threads[i], 0, work, (void *) &counters[8 * i]))
      return 1;
  for (int i = 0; i < count; i++)
    pthread_join (threads[i], 0);
  return 0;
}
