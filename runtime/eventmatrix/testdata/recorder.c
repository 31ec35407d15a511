/* A tool that writes every event it sees as one tab-separated line, with
   addresses replaced by the names that the program gave its variables.

   Columns: section, event, parent, implicit, async, queue, bytes, host, device,
   variable, kernel, gangs, workers, vector, error, device type, device number,
   version, thread known, API, API type.  */
#include <acc_callback.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *out;
static char section[128] = "start-up";
static struct { char name[32]; uintptr_t start, end, device; } variables[64];
static int count;

void
record_section_ (const char *name)
{
  snprintf (section, sizeof section, "%s", name);
}

void
record_variable_ (const char *name, const void *address, const int64_t *bytes)
{
  snprintf (variables[count].name, sizeof variables[count].name, "%s", name);
  variables[count].start = (uintptr_t) address;
  variables[count].end = (uintptr_t) address + (uintptr_t) *bytes;
  count++;
}

static void
host_name (char *text, size_t size, uintptr_t host)
{
  if (!host)
    {
      snprintf (text, size, "-");
      return;
    }
  for (int i = count - 1; i >= 0; i--)
    if (host >= variables[i].start && host < variables[i].end)
      {
	if (host == variables[i].start)
	  snprintf (text, size, "%s", variables[i].name);
	else
	  snprintf (text, size, "%s+%zu", variables[i].name, (size_t) (host - variables[i].start));
	return;
      }
  snprintf (text, size, "(other)");
}

/* What a device address belongs to: the variable that a create event tied to
   it, until it is deleted, and in the free event that may follow.  */
static void
device_name (char *text, size_t size, uintptr_t device, uintptr_t host, acc_event_t event)
{
  static int deleted = -1;

  if (deleted >= 0 && event != acc_ev_free)
    variables[deleted].device = 0;
  deleted = -1;
  if (!device)
    {
      snprintf (text, size, "-");
      return;
    }
  for (int i = count - 1; i >= 0 && event == acc_ev_create; i--)
    if (host >= variables[i].start && host < variables[i].end)
      {
	variables[i].device = device - (host - variables[i].start);
	break;
      }
  snprintf (text, size, "set");
  for (int i = count - 1; i >= 0; i--)
    {
      uintptr_t bytes = variables[i].end - variables[i].start;
      if (!variables[i].device || device < variables[i].device || device >= variables[i].device + bytes)
	continue;
      if (device == variables[i].device)
	snprintf (text, size, "d(%s)", variables[i].name);
      else
	snprintf (text, size, "d(%s)+%zu", variables[i].name, (size_t) (device - variables[i].device));
      if (event == acc_ev_free)
	variables[i].device = 0;
      else if (event == acc_ev_delete)
	deleted = i;
      return;
    }
}

static void
record (acc_callback_info *info, acc_event_info *event, acc_api_info *api)
{
  char host[64] = "", device[64] = "", bytes[32] = "";
  const char *variable = "", *kernel = "", *error = "";
  char geometry[64] = "\t\t", code[16] = "";
  switch (info->event_type)
    {
    case acc_ev_create: case acc_ev_delete: case acc_ev_alloc: case acc_ev_free:
    case acc_ev_enqueue_upload_start: case acc_ev_enqueue_upload_end:
    case acc_ev_enqueue_download_start: case acc_ev_enqueue_download_end:
      {
	acc_data_event_info *data = &event->data_event;
	host_name (host, sizeof host, (uintptr_t) data->host_ptr);
	device_name (device, sizeof device, (uintptr_t) data->device_ptr, (uintptr_t) data->host_ptr,
		     info->event_type);
	snprintf (bytes, sizeof bytes, "%zu", data->bytes);
	variable = data->var_name ? data->var_name : "";
	break;
      }
    case acc_ev_enqueue_launch_start: case acc_ev_enqueue_launch_end:
      kernel = event->launch_event.kernel_name ? event->launch_event.kernel_name : "";
      snprintf (geometry, sizeof geometry, "%zu\t%zu\t%zu", event->launch_event.num_gangs,
		event->launch_event.num_workers, event->launch_event.vector_length);
      break;
    case acc_ev_error:
      snprintf (code, sizeof code, "%d", (int) event->error_event.error_code);
      error = event->error_event.error_message ? code : "(no message)";
      break;
    default:
      break;
    }
  fprintf (out, "%s\t%d\t%d\t%d\t%ld\t%ld\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\n", section,
	   (int) info->event_type, (int) event->other_event.parent_construct, event->other_event.implicit,
	   (long) info->async, (long) info->async_queue, bytes, host, device, variable, kernel, geometry, error,
	   (int) info->device_type, info->device_number, info->version, info->thread_id >= 0,
	   (int) api->device_api, (int) api->device_type);
  fflush (out);
}

void
acc_register_library (acc_prof_reg reg, acc_prof_reg unreg, acc_prof_lookup_func lookup)
{
  (void) unreg;
  (void) lookup;
  const char *path = getenv ("RECORD_FILE");
  out = path ? fopen (path, "w") : NULL;
  if (!out)
    {
      fprintf (stderr, "recorder: cannot write RECORD_FILE\n");
      exit (3);
    }
  for (int event = acc_ev_device_init_start; event <= acc_ev_wait_end; event++)
    reg ((acc_event_t) event, record, acc_reg);
  reg (acc_ev_error, record, acc_reg);
}
