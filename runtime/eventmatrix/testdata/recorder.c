/* A tool that writes every event it sees as one tab-separated line, with
   addresses replaced by the names that the program gave its variables.

   With RECORD_MANY, the name of a file, it takes many events at once
   (accscope_events.h), sometimes not all that it could, and checks what it has left
   in their memos, and with RECORD_TIMES their times; for each call the file gets a
   line with the number of events, and of those among them that end a launch and have
   a time.

   Columns: section, event, parent, implicit, async, queue, bytes, host, device,
   variable, kernel, gangs, workers, vector, error, device type, device number,
   version, thread known, API, API type.  */
#include <acc_callback.h>
#include <accscope_events.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *out, *taken;
static int times;
static char section[128] = "start-up";
static uint64_t section_ticks;
static struct { char name[32]; uintptr_t start, end, device; } variables[64];
static int count;

void
record_section_ (const char *name)
{
  snprintf (section, sizeof section, "%s", name);
  section_ticks = accscope_ticks ();
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

static uint64_t
mix (uint64_t digest, uint64_t value)
{
  digest = (digest ^ value) * 0xff51afd7ed558ccdu;
  return digest ^ digest >> 29;
}

static uint64_t
mix_text (uint64_t digest, const char *text)
{
  digest = mix (digest, (uintptr_t) text);
  for (; text && *text; text++)
    digest = mix (digest, (unsigned char) *text);
  return digest;
}

/* All that the structs of a construct's event say, other than what belongs to the
   runtime, and what they point to.  */
static uint64_t
digest_of (const struct accscope_event *e)
{
  const acc_callback_info *info = e->info;
  const acc_launch_event_info *launch = &e->event_info->launch_event;
  uint64_t d = mix (1, (uint64_t) e->event);

  d = mix (mix (d, (uint64_t) info->device_type), (uint64_t) info->device_number);
  d = mix (mix (d, (uint64_t) info->async), (uint64_t) info->async_queue);
  d = mix_text (mix_text (d, info->src_file), info->func_name);
  d = mix (mix (d, (uint64_t) info->line_no), (uint64_t) info->end_line_no);
  d = mix (mix (d, (uint64_t) info->func_line_no), (uint64_t) info->func_end_line_no);
  d = mix (mix (d, (uint64_t) e->api->device_api), (uint64_t) e->api->device_type);
  d = mix (mix (d, (uint64_t) e->api->vendor), (uintptr_t) e->api->device_handle);
  d = mix (mix (d, (uintptr_t) e->api->context_handle), (uintptr_t) e->api->async_handle);
  d = mix (mix (d, (uint64_t) launch->parent_construct), (uint64_t) launch->implicit);
  if (e->event == acc_ev_enqueue_launch_start || e->event == acc_ev_enqueue_launch_end)
    {
      d = mix (mix_text (d, launch->kernel_name), launch->num_gangs);
      d = mix (mix (d, launch->num_workers), launch->vector_length);
      for (size_t i = 0; launch->num_gangs_per_dim && i <= launch->num_gangs_per_dim[0]; i++)
	d = mix (d, launch->num_gangs_per_dim[i]);
    }
  return d | 1;
}

static __thread unsigned thread;	/* its number among those that raise events */

static unsigned
record_many (struct accscope_event *events, unsigned most)
{
  static unsigned state, threads;
  unsigned n, timed = 0;

  if (thread == 0)
    thread = ++threads;

  state = state * 1103515245 + 12345;
  if (state >> 16 & 1 && most > (state >> 17 & 7))
    most = state >> 17 & 7;
  for (n = 0; n < most; n++)
    {
      struct accscope_event *e = &events[n];
      acc_callback_info info = *e->info;
      acc_event_info event = *e->event_info;
      acc_api_info api = *e->api;
      uint64_t digest = digest_of (e);

      if (e->memo[0] && (e->memo[0] != digest || e->memo[1] != thread))
	{
	  fprintf (out, "the memo of event %d is stale\n", e->event);
	  fflush (out);
	}
      if (times && e->ticks && (e->ticks > accscope_ticks () || e->ticks < section_ticks))
	{
	  fprintf (out, "event %d has the time of another one\n", e->event);
	  fflush (out);
	}
      if (e->event == acc_ev_enqueue_launch_start && n >= 3 && !events[n - 3].ticks)
	{
	  fprintf (out, "event %d has waited for the launch, and has no time\n",
		   events[n - 3].event);
	  fflush (out);
	}
      timed += e->event == acc_ev_enqueue_launch_end && e->ticks;
      e->memo[0] = digest;
      e->memo[1] = thread;
      info.event_type = event.event_type = (acc_event_t) e->event;
      info.version = 202211;
      info.thread_id = 0;
      record (&info, &event, &api);
    }
  fprintf (taken, "%u %u\n", n, timed);
  fflush (taken);
  return n;
}

void
acc_register_library (acc_prof_reg reg, acc_prof_reg unreg, acc_prof_lookup_func lookup)
{
  (void) unreg;
  const char *path = getenv ("RECORD_FILE");
  out = path ? fopen (path, "w") : NULL;
  if (!out)
    {
      fprintf (stderr, "recorder: cannot write RECORD_FILE\n");
      exit (3);
    }
  const char *many = getenv ("RECORD_MANY");
  times = getenv ("RECORD_TIMES") != NULL;
  accscope_events_function declare
    = (accscope_events_function) (void *) lookup (ACCSCOPE_EVENTS_NAME);
  if (many && (!(taken = fopen (many, "w")) || !declare || declare (record, record_many)))
    {
      fprintf (stderr, "recorder: cannot take many events\n");
      exit (3);
    }
  for (int event = acc_ev_device_init_start; event <= acc_ev_wait_end; event++)
    reg ((acc_event_t) event, record, acc_reg);
  reg (acc_ev_error, record, acc_reg);
}
