/* lttng_event.h - an LTTng-UST tracepoint that carries what the profiler library
   records of an event.  */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER accscope_bench
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./lttng_event.h"
#if !defined LTTNG_EVENT_H || defined LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ
#define LTTNG_EVENT_H
#include <lttng/tracepoint.h>
#include "acc_callback.h"

LTTNG_UST_TRACEPOINT_EVENT (accscope_bench, event,
  LTTNG_UST_TP_ARGS (const acc_prof_info *, p, const acc_event_info *, e,
		     const acc_api_info *, a),
  LTTNG_UST_TP_FIELDS (
    lttng_ust_field_array (char, profile, (const char *) p, 40)
    lttng_ust_field_array (int, lines, &p->line_no, 4)
    lttng_ust_field_string (file, p->src_file ? p->src_file : "")
    lttng_ust_field_string (function, p->func_name ? p->func_name : "")
    lttng_ust_field_string (name, e->data_event.var_name)
    lttng_ust_field_array (char, event, (const char *) e, 56)
    lttng_ust_field_array (char, api, (const char *) a, 40)))
#endif
#include <lttng/tracepoint-event.h>
