/* acc_prof.h - the name under which OpenACC before 3.3 delivered the interface
   of acc_callback.h (OpenACC 3.3, 5.1).  */
#ifndef _ACC_PROF_H
#define _ACC_PROF_H 1

#include <stddef.h>

#include "acc_callback.h"

/* Names of other vendors' headers for types of the specification.  */
typedef int _acc_prof_int_t;
typedef size_t _acc_prof_size_t;
typedef ssize_t _acc_prof_ssize_t;
typedef acc_prof_callback acc_prof_callback_t;

/* GCC's acc_prof.h computes valid_bytes (5.2) and the version by macros of these
   names, which programs written for it use.  */
#define _ACC_PROF_VALID_BYTES_STRUCT(type, last, bytes)	\
  (offsetof (type, last) + (bytes))
#define _ACC_PROF_VALID_BYTES_BASICTYPE(type) (sizeof (type))

#define _ACC_PROF_INFO_VERSION 202211
#define _ACC_PROF_INFO_VALID_BYTES					\
  ((int) _ACC_PROF_VALID_BYTES_STRUCT (acc_prof_info, func_end_line_no,	\
				       _ACC_PROF_VALID_BYTES_BASICTYPE (int)))
#define _ACC_DATA_EVENT_INFO_VALID_BYTES				\
  ((int) _ACC_PROF_VALID_BYTES_STRUCT (acc_data_event_info, device_ptr,	\
				       _ACC_PROF_VALID_BYTES_BASICTYPE (void *)))
#define _ACC_LAUNCH_EVENT_INFO_VALID_BYTES				\
  ((int) _ACC_PROF_VALID_BYTES_STRUCT (acc_launch_event_info,		\
				       num_gangs_per_dim,		\
				       _ACC_PROF_VALID_BYTES_BASICTYPE (size_t *)))
#define _ACC_OTHER_EVENT_INFO_VALID_BYTES				\
  ((int) _ACC_PROF_VALID_BYTES_STRUCT (acc_other_event_info, tool_info,	\
				       _ACC_PROF_VALID_BYTES_BASICTYPE (void *)))
#define _ACC_API_INFO_VALID_BYTES					\
  ((int) _ACC_PROF_VALID_BYTES_STRUCT (acc_api_info, async_handle,	\
				       _ACC_PROF_VALID_BYTES_BASICTYPE (void *)))

#endif
