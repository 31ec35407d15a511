/* A tool that is told of constructs, and does nothing with it.  */
#include <acc_callback.h>

static void
listen (acc_callback_info *info, acc_event_info *event, acc_api_info *api)
{
  (void) info;
  (void) event;
  (void) api;
}

void
acc_register_library (acc_prof_reg reg, acc_prof_reg unreg, acc_prof_lookup_func lookup)
{
  (void) unreg;
  (void) lookup;
  reg (acc_ev_compute_construct_start, listen, acc_reg);
}
