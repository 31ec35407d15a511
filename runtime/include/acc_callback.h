/* acc_callback.h - the profiling and error callback interface of OpenACC 3.3,
   chapter 5.  C89, C99 and C++.  */
#ifndef _ACC_CALLBACK_H
#define _ACC_CALLBACK_H 1

#include <stddef.h>		/* size_t */
#include <sys/types.h>		/* ssize_t */
#include "openacc.h"		/* acc_device_t */

#ifdef __cplusplus
extern "C" {
#endif

/* 5.1: events */
typedef enum acc_event_t
{
  acc_ev_none = 0,
  acc_ev_device_init_start = 1,
  acc_ev_device_init_end = 2,
  acc_ev_device_shutdown_start = 3,
  acc_ev_device_shutdown_end = 4,
  acc_ev_runtime_shutdown = 5,
  acc_ev_create = 6,
  acc_ev_delete = 7,
  acc_ev_alloc = 8,
  acc_ev_free = 9,
  acc_ev_enter_data_start = 10,
  acc_ev_enter_data_end = 11,
  acc_ev_exit_data_start = 12,
  acc_ev_exit_data_end = 13,
  acc_ev_update_start = 14,
  acc_ev_update_end = 15,
  acc_ev_compute_construct_start = 16,
  acc_ev_compute_construct_end = 17,
  acc_ev_enqueue_launch_start = 18,
  acc_ev_enqueue_launch_end = 19,
  acc_ev_enqueue_upload_start = 20,
  acc_ev_enqueue_upload_end = 21,
  acc_ev_enqueue_download_start = 22,
  acc_ev_enqueue_download_end = 23,
  acc_ev_wait_start = 24,
  acc_ev_wait_end = 25,
  acc_ev_error = 100,
  acc_ev_last = 101
} acc_event_t;

/* 5.2.2: what emitted an event */
typedef enum acc_construct_t
{
  acc_construct_parallel = 0,
  acc_construct_serial = 16,
  acc_construct_kernels = 1,
  acc_construct_loop = 2,
  acc_construct_data = 3,
  acc_construct_enter_data = 4,
  acc_construct_exit_data = 5,
  acc_construct_host_data = 6,
  acc_construct_atomic = 7,
  acc_construct_declare = 8,
  acc_construct_init = 9,
  acc_construct_shutdown = 10,
  acc_construct_set = 11,
  acc_construct_update = 12,
  acc_construct_routine = 13,
  acc_construct_wait = 14,
  acc_construct_runtime_api = 15
} acc_construct_t;

/* 5.2.2: error codes */
typedef enum acc_error_t
{
  acc_error_none = 0,
  acc_error_other = 1,
  acc_error_system = 2,
  acc_error_execution = 3,
  acc_error_device_init = 4,
  acc_error_device_shutdown = 5,
  acc_error_device_unavailable = 6,
  acc_error_device_type_unavailable = 7,
  acc_error_wrong_device_type = 8,
  acc_error_out_of_memory = 9,
  acc_error_not_present = 10,
  acc_error_partly_present = 11,
  acc_error_present = 12,
  acc_error_invalid_argument = 13,
  acc_error_invalid_async = 14,
  acc_error_invalid_null_pointer = 15,
  acc_error_invalid_data_section = 16,
  acc_error_implementation_defined = 100
} acc_error_t;

/* 5.2.3: driver interface behind a device.  acc_device_api_coi is a name of
   OpenACC 2.5, kept so that tools written for it compile; never delivered.  */
typedef enum acc_device_api
{
  acc_device_api_none = 0,
  acc_device_api_cuda = 1,
  acc_device_api_opencl = 2,
  acc_device_api_coi = 3,
  acc_device_api_other = 4,
  acc_device_api_implementation_defined = 1000
} acc_device_api;

/* 5.3: third argument of registration and unregistration */
typedef enum acc_register_t
{
  acc_reg = 0,
  acc_toggle = 1,
  acc_toggle_per_thread = 2
} acc_register_t;

/* 5.2.1: first argument of a callback.  Strings belong to the runtime and are
   valid during the callback; copy what must last.  */
typedef struct acc_prof_info
{
  acc_event_t event_type;
  int valid_bytes;
  int version;			/* the value of _OPENACC */
  acc_device_t device_type;
  int device_number;
  int thread_id;
  ssize_t async;
  ssize_t async_queue;
  const char *src_file;
  const char *func_name;
  int line_no, end_line_no;
  int func_line_no, func_end_line_no;
} acc_callback_info;
typedef struct acc_prof_info acc_prof_info;

/* 5.2.2: second argument of a callback.  The first five members of each struct
   are the same.  */
typedef struct acc_data_event_info
{
  acc_event_t event_type;
  int valid_bytes;
  acc_construct_t parent_construct;
  int implicit;
  void *tool_info;
  const char *var_name;
  size_t bytes;
  const void *host_ptr;
  const void *device_ptr;
} acc_data_event_info;

typedef struct acc_launch_event_info
{
  acc_event_t event_type;
  int valid_bytes;
  acc_construct_t parent_construct;
  int implicit;
  void *tool_info;
  const char *kernel_name;
  size_t num_gangs, num_workers, vector_length;
  size_t *num_gangs_per_dim;	/* [0] dimensions, then gangs along each */
} acc_launch_event_info;

typedef struct acc_error_event_info
{
  acc_event_t event_type;
  int valid_bytes;
  acc_construct_t parent_construct;
  int implicit;
  void *tool_info;
  acc_error_t error_code;
  const char *error_message;
  size_t runtime_info;
} acc_error_event_info;

typedef struct acc_other_event_info
{
  acc_event_t event_type;
  int valid_bytes;
  acc_construct_t parent_construct;
  int implicit;
  void *tool_info;
} acc_other_event_info;

/* The specification's union has no member for error events; error_event is an
   addition that changes neither size nor layout.  */
typedef union acc_event_info
{
  acc_event_t event_type;
  acc_data_event_info data_event;
  acc_launch_event_info launch_event;
  acc_error_event_info error_event;
  acc_other_event_info other_event;
} acc_event_info;

/* 5.2.3: third argument of a callback */
typedef struct acc_api_info
{
  acc_device_api device_api;
  int valid_bytes;
  acc_device_t device_type;
  int vendor;
  const void *device_handle;
  const void *context_handle;
  const void *async_handle;
} acc_api_info;

/* 5.2: a callback */
typedef void (*acc_callback) (acc_callback_info *, acc_event_info *,
			      acc_api_info *);
typedef acc_callback acc_prof_callback;

/* 5.3, 5.4: registration.  A null callback with acc_toggle means the whole
   event; acc_ev_none with a null callback means all events.  */
typedef void (*acc_prof_reg) (acc_event_t event_type, acc_callback cb,
			      acc_register_t info);
extern void acc_callback_register (acc_event_t event_type, acc_callback cb,
				   acc_register_t info);
extern void acc_callback_unregister (acc_event_t event_type, acc_callback cb,
				     acc_register_t info);
/* the same routines under the names of OpenACC 2.5 */
extern void acc_prof_register (acc_event_t event_type, acc_callback cb,
			       acc_register_t info);
extern void acc_prof_unregister (acc_event_t event_type, acc_callback cb,
				 acc_register_t info);

/* 5.3.1: inquiry functions, by name; null for an unknown name.
   accscope_activity.h describes the one that there is.  The specification gives
   their type no parameters to check, which compilers warn of.  */
#if defined __GNUC__ && !defined __cplusplus
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#endif
typedef void (*acc_query_fn) ();
#if defined __GNUC__ && !defined __cplusplus
#pragma GCC diagnostic pop
#endif
typedef acc_query_fn (*acc_prof_lookup_func) (const char *acc_query_fn_name);

/* Tools written for NVHPC call the type acc_prof_lookup, which the specification
   has as a routine, and give acc_register_library a look-up function of various
   types.  With this macro the header lets them.  */
#ifdef ACCSCOPE_LOOKUP_TYPE
typedef acc_prof_lookup_func acc_prof_lookup;
#else
extern acc_query_fn acc_prof_lookup (const char *acc_query_fn_name);
#endif

/* 5.3.1: defined by a tools library, called by the runtime when it starts */
#if !defined ACCSCOPE_LOOKUP_TYPE || defined __cplusplus
extern void acc_register_library (acc_prof_reg reg, acc_prof_reg unreg,
				  acc_prof_lookup_func lookup);
#endif

#ifdef __cplusplus
}
#endif

#endif
