/* A profiling library that counts how often it is called and registers one
   callback.  TOOL names it.  */
#include <stdio.h>
#include "acc_callback.h"

static void
callback (acc_callback_info *info, acc_event_info *event, acc_api_info *api)
{
  (void) event;
  (void) api;
  printf (TOOL " event %d thread %d in %s version %d\n", info->event_type,
	  info->thread_id, info->func_name, info->version);
  fflush (stdout);
}

__attribute__ ((visibility ("default"))) void
acc_register_library (acc_prof_reg reg, acc_prof_reg unreg,
		      acc_prof_lookup_func lookup)
{
  (void) unreg;
  (void) lookup;
  printf (TOOL " called\n");
  fflush (stdout);
  reg (acc_ev_compute_construct_start, callback, acc_reg);
}
