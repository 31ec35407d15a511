/* eventlog: a tool of OpenACC 3.3, chapter 5, that prints every event on
   standard error as it happens.

   Build and use, with any OpenACC runtime:
	gcc -shared -fPIC -I include -o libeventlog.so eventlog.c
	ACC_PROFLIB=./libeventlog.so ./program  */
#include <stdio.h>
#include "acc_callback.h"

static const char *
event_name (int event)
{
  static const char *const names[] = {
    "none", "device_init_start", "device_init_end", "device_shutdown_start",
    "device_shutdown_end", "runtime_shutdown", "create", "delete", "alloc",
    "free", "enter_data_start", "enter_data_end", "exit_data_start",
    "exit_data_end", "update_start", "update_end", "compute_construct_start",
    "compute_construct_end", "enqueue_launch_start", "enqueue_launch_end",
    "enqueue_upload_start", "enqueue_upload_end", "enqueue_download_start",
    "enqueue_download_end", "wait_start", "wait_end"
  };

  if (event == acc_ev_error)
    return "error";
  return event >= 0 && event <= acc_ev_wait_end ? names[event] : "unknown";
}

static const char *
construct_name (int construct)
{
  static const char *const names[] = {
    "parallel", "kernels", "loop", "data", "enter data", "exit data",
    "host_data", "atomic", "declare", "init", "shutdown", "set", "update",
    "routine", "wait", "runtime API", "serial"
  };

  return construct >= 0 && construct <= acc_construct_serial ? names[construct]
	 : "unknown";
}

static void
log_event (acc_callback_info *info, acc_event_info *event, acc_api_info *api)
{
  char line[512];
  int n = 0;

#define ADD(...)							\
  do									\
    {									\
      n += snprintf (line + n, sizeof line - n, __VA_ARGS__);		\
      if (n >= (int) sizeof line)					\
	n = sizeof line - 1;						\
    }									\
  while (0)

  (void) api;
  ADD ("[%d] %-24s device %d:%d", info->thread_id,
       event_name (info->event_type), info->device_type, info->device_number);
  if (info->async >= 0)
    ADD (" async %ld", (long) info->async);
  ADD (" %s%s", event->other_event.implicit ? "implicit in " : "",
       construct_name (event->other_event.parent_construct));
  switch (info->event_type)
    {
    case acc_ev_create:
    case acc_ev_delete:
    case acc_ev_alloc:
    case acc_ev_free:
    case acc_ev_enqueue_upload_start:
    case acc_ev_enqueue_upload_end:
    case acc_ev_enqueue_download_start:
    case acc_ev_enqueue_download_end:
      ADD (" %s %zu bytes host %p device %p",
	   event->data_event.var_name ? event->data_event.var_name : "?",
	   event->data_event.bytes, (void *) event->data_event.host_ptr,
	   (void *) event->data_event.device_ptr);
      break;
    case acc_ev_enqueue_launch_start:
    case acc_ev_enqueue_launch_end:
      ADD (" %s %zu x %zu x %zu",
	   event->launch_event.kernel_name ? event->launch_event.kernel_name
	   : "?", event->launch_event.num_gangs,
	   event->launch_event.num_workers, event->launch_event.vector_length);
      break;
    case acc_ev_error:
      ADD (" %s", event->error_event.error_message);
      break;
    default:
      break;
    }
  if (info->src_file != NULL)
    ADD (" at %s:%d", info->src_file, info->line_no);
  if (info->func_name != NULL)
    ADD (" (%s)", info->func_name);
  fprintf (stderr, "%s\n", line);
}

void
acc_register_library (acc_prof_reg reg, acc_prof_reg unreg,
		      acc_prof_lookup_func lookup)
{
  int event;

  (void) unreg;
  (void) lookup;
  for (event = acc_ev_device_init_start; event <= acc_ev_wait_end; event++)
    reg ((acc_event_t) event, log_event, acc_reg);
  reg (acc_ev_error, log_event, acc_reg);
}
