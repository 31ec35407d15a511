/* Writes to address 0 in a kernel, an asynchronous kernel or host code, as
   argv[1] says, after a first kernel.  With argv[2] "before" or "after", the
   program handles that itself, from before or after its first use of OpenACC; with
   "exit", its error callback ends it.  Prints what error events say.  */
#define _GNU_SOURCE
#include "../../include/acc_prof.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

int *nowhere;
static const char *handles;

static void
handler (int signal)
{
  (void) signal;
  _exit (42);
}

static void
error (acc_prof_info *profile, acc_event_info *event, acc_api_info *api)
{
  acc_error_event_info *e = (acc_error_event_info *) event;

  (void) api;
  fprintf (stderr, "%s:%d in %s, construct %d: device %d, thread %d, error %d: %s\n",
	   profile->src_file ? basename (profile->src_file) : "?", profile->line_no,
	   profile->func_name ? profile->func_name : "?", e->parent_construct,
	   profile->device_type, profile->thread_id, e->error_code, e->error_message);
  if (strcmp (handles, "exit") == 0)
    exit (42);
}

int
main (int argc, char **argv)
{
  const struct rlimit no_core = { 0, 0 };
  int x = 0;

  handles = argc > 2 ? argv[2] : "";
  setrlimit (RLIMIT_CORE, &no_core);
  acc_prof_register (acc_ev_error, error, acc_reg);
  if (strcmp (handles, "before") == 0)
    signal (SIGSEGV, handler);
#pragma acc parallel copy(x)
  x++;
  if (strcmp (handles, "after") == 0)
    signal (SIGSEGV, handler);
  if (strcmp (argv[1], "kernel") == 0)
    {
#pragma acc serial copyin(nowhere) copy(x)
      *nowhere = x;
    }
  else if (strcmp (argv[1], "asynchronous") == 0)
    {
#pragma acc serial copyin(nowhere) copy(x) async
      *nowhere = x;
#pragma acc wait
    }
  else
    *nowhere = x;
  return 0;
}
