/* lttng_library.c - a profiler library that hands each event to LTTng-UST.  */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "lttng_event.h"

static void
record (acc_prof_info *profile, acc_event_info *event, acc_api_info *api)
{
  lttng_ust_tracepoint (accscope_bench, event, profile, event, api);
}

void
acc_register_library (acc_prof_reg reg, acc_prof_reg unreg,
		      acc_prof_lookup_func lookup)
{
  (void) unreg;
  (void) lookup;
  for (int kind = acc_ev_device_init_start; kind <= acc_ev_wait_end; kind++)
    reg ((acc_event_t) kind, record, acc_reg);
}
