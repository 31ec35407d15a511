/* A tool that writes where each event comes from and what it is about: event,
   file, line, end line, function, its first and last line, kernel, variable,
   bytes; tab-separated, "-" for what is unknown or does not apply.  */
#include <acc_callback.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *out;

static const char *
or_dash (const char *text)
{
  return text && *text ? text : "-";
}

static const char *
base (const char *path)
{
  const char *slash = path ? strrchr (path, '/') : NULL;
  return or_dash (slash ? slash + 1 : path);
}

static void
record (acc_callback_info *info, acc_event_info *event, acc_api_info *api)
{
  const char *kernel = "-", *variable = "-";
  char bytes[32] = "-";

  (void) api;
  switch (info->event_type)
    {
    case acc_ev_create: case acc_ev_delete: case acc_ev_alloc: case acc_ev_free:
    case acc_ev_enqueue_upload_start: case acc_ev_enqueue_download_start:
    case acc_ev_enqueue_upload_end: case acc_ev_enqueue_download_end:
      variable = event->data_event.var_name ? event->data_event.var_name : "(none)";
      snprintf (bytes, sizeof bytes, "%zu", event->data_event.bytes);
      break;
    case acc_ev_enqueue_launch_start: case acc_ev_enqueue_launch_end:
      kernel = or_dash (event->launch_event.kernel_name);
      break;
    default:
      break;
    }
  fprintf (out, "%d\t%s\t%d\t%d\t%s\t%d\t%d\t%s\t%s\t%s\n", (int) info->event_type,
	   base (info->src_file), info->line_no, info->end_line_no, or_dash (info->func_name),
	   info->func_line_no, info->func_end_line_no, kernel, variable, bytes);
  fflush (out);
}

void
acc_register_library (acc_prof_reg reg, acc_prof_reg unreg, acc_prof_lookup_func lookup)
{
  const char *path = getenv ("RECORD_FILE");

  (void) unreg;
  (void) lookup;
  out = path ? fopen (path, "w") : NULL;
  if (!out)
    {
      fprintf (stderr, "recorder: cannot write RECORD_FILE\n");
      exit (3);
    }
  for (int event = acc_ev_device_init_start; event <= acc_ev_wait_end; event++)
    reg ((acc_event_t) event, record, acc_reg);
}
