/* detached.c - raises a launch event for each character of input, as a runtime does:
   s its start, e its end, C and c those of the construct around it.
   Usage: detached LIBRARY.  */
#include <dlfcn.h>
#include <stdio.h>
#include "acc_callback.h"

static acc_callback callback;
static void *launch, *construct;

static void
take (acc_event_t kind, acc_callback cb, acc_register_t info)
{
  (void) kind;
  (void) info;
  callback = cb;
}

static void
raise_event (acc_event_t kind, void **tool)
{
  acc_prof_info profile = { .event_type = kind, .valid_bytes = sizeof profile,
			    .version = 202211, .device_type = acc_device_nvidia,
			    .thread_id = -1, .src_file = "detached.c", .line_no = 1 };
  acc_event_info event = { .launch_event = { .event_type = kind, .valid_bytes = 56,
					     .tool_info = *tool } };
  acc_api_info api = { .valid_bytes = sizeof api };

  callback (&profile, &event, &api);
  *tool = event.launch_event.tool_info;
}

int
main (int argc, char **argv)
{
  void *handle = argc > 1 ? dlopen (argv[1], RTLD_NOW) : NULL;
  void (*enter) (acc_prof_reg, acc_prof_reg, acc_prof_lookup_func)
    = handle ? (void (*) (acc_prof_reg, acc_prof_reg, acc_prof_lookup_func))
	dlsym (handle, "acc_register_library") : NULL;
  int c;

  if (!enter)
    return 2;
  enter ((acc_prof_reg) take, (acc_prof_reg) take, NULL);
  while ((c = getchar ()) != EOF)
    {
      if (c == 's')
	launch = NULL, raise_event (acc_ev_enqueue_launch_start, &launch);
      else if (c == 'e')
	raise_event (acc_ev_enqueue_launch_end, &launch);
      else if (c == 'C')
	construct = NULL, raise_event (acc_ev_compute_construct_start, &construct);
      else
	raise_event (acc_ev_compute_construct_end, &construct);
      putchar (c);
      fflush (stdout);
    }
  return 0;
}
