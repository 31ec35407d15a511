/* Included before a program: it registers a callback itself, before main.  */
#include <stdio.h>
#include "acc_prof.h"

static void
own_callback (acc_callback_info *info, acc_event_info *event, acc_api_info *api)
{
  (void) event;
  (void) api;
  printf ("own event %d thread %d in %s version %d\n", info->event_type,
	  info->thread_id, info->func_name, info->version);
  fflush (stdout);
}

__attribute__ ((constructor)) static void
register_own (void)
{
  printf ("own called\n");
  fflush (stdout);
  acc_prof_register (acc_ev_compute_construct_start, own_callback, acc_reg);
}
