/* kinds.h - kinds of events and what their structs hold (OpenACC 3.3 §5.2).  */
#ifndef ACCSCOPE_KINDS_H
#define ACCSCOPE_KINDS_H

#include <stddef.h>
#include <stdint.h>
#include "acc_callback.h"
#include "format.h"

/* valid_bytes of structs with all the fields that are recorded */
#define PROFILE_BYTES \
  (int) (offsetof (acc_prof_info, func_end_line_no) + sizeof (int))
#define SOURCE_BYTES \
  (int) (offsetof (acc_prof_info, func_name) + sizeof (const char *))
#define API_BYTES (int) (offsetof (acc_api_info, async_handle) + sizeof (void *))
#define OTHER_BYTES \
  (int) (offsetof (acc_other_event_info, tool_info) + sizeof (void *))
#define DATA_BYTES \
  (int) (offsetof (acc_data_event_info, device_ptr) + sizeof (void *))
#define LAUNCH_BYTES \
  (int) (offsetof (acc_launch_event_info, vector_length) + sizeof (size_t))
#define DIMENSION_BYTES \
  (int) (offsetof (acc_launch_event_info, num_gangs_per_dim) + sizeof (size_t *))
#define ERROR_BYTES \
  (int) (offsetof (acc_error_event_info, runtime_info) + sizeof (size_t))
/* A larger valid_bytes than any version's struct is garbage.  */
#define PLAUSIBLE_BYTES 1024

#define BIT(kind) ((uint64_t) 1 << (kind))
static const uint64_t start_kinds
  = BIT (acc_ev_device_init_start) | BIT (acc_ev_device_shutdown_start)
  | BIT (acc_ev_enter_data_start) | BIT (acc_ev_exit_data_start)
  | BIT (acc_ev_update_start) | BIT (acc_ev_compute_construct_start)
  | BIT (acc_ev_enqueue_launch_start) | BIT (acc_ev_enqueue_upload_start)
  | BIT (acc_ev_enqueue_download_start) | BIT (acc_ev_wait_start)
  | BIT (CAPTURE_KIND_RANGE_START) | BIT (CAPTURE_KIND_FRAME_START)
  | BIT (CAPTURE_KIND_MPI_START);
static const uint64_t end_kinds
  = BIT (acc_ev_device_init_end) | BIT (acc_ev_device_shutdown_end)
  | BIT (acc_ev_enter_data_end) | BIT (acc_ev_exit_data_end)
  | BIT (acc_ev_update_end) | BIT (acc_ev_compute_construct_end)
  | BIT (acc_ev_enqueue_launch_end) | BIT (acc_ev_enqueue_upload_end)
  | BIT (acc_ev_enqueue_download_end) | BIT (acc_ev_wait_end)
  | BIT (CAPTURE_KIND_RANGE_START + 1) | BIT (CAPTURE_KIND_FRAME_START + 1)
  | BIT (CAPTURE_KIND_MPI_START + 1);
static const uint64_t data_kinds
  = BIT (acc_ev_create) | BIT (acc_ev_delete) | BIT (acc_ev_alloc)
  | BIT (acc_ev_free) | BIT (acc_ev_enqueue_upload_start)
  | BIT (acc_ev_enqueue_upload_end) | BIT (acc_ev_enqueue_download_start)
  | BIT (acc_ev_enqueue_download_end);
/* Of the program's own, with the words of a data event.  */
static const uint64_t annotation_kinds
  = BIT (CAPTURE_KIND_RANGE_START) | BIT (CAPTURE_KIND_RANGE_START + 1)
  | BIT (CAPTURE_KIND_FRAME_START) | BIT (CAPTURE_KIND_FRAME_START + 1)
  | BIT (CAPTURE_KIND_MARK) | BIT (CAPTURE_KIND_MPI_START)
  | BIT (CAPTURE_KIND_MPI_START + 1) | BIT (CAPTURE_KIND_PROCESS_RANGE_START)
  | BIT (CAPTURE_KIND_PROCESS_RANGE_START + 1);
static const uint64_t launch_kinds
  = BIT (acc_ev_enqueue_launch_start) | BIT (acc_ev_enqueue_launch_end);

static const uint64_t enqueue_kinds
  = (BIT (acc_ev_enqueue_download_end + 1)) - BIT (acc_ev_enqueue_launch_start);
/* Kinds where the device begins, or is known to have begun, or ends.  */
static const uint64_t device_kinds
  = BIT (acc_ev_device_init_end) | BIT (acc_ev_enqueue_launch_end)
  | BIT (acc_ev_device_shutdown_start) | BIT (acc_ev_runtime_shutdown);

static inline int
is_kind (uint64_t kinds, int kind)
{
  return (unsigned) kind < 64 && kinds >> kind & 1;
}

static inline unsigned
group_of (int kind)
{
  if (is_kind (data_kinds | annotation_kinds, kind))
    return CAPTURE_SITE_DATA;
  if (is_kind (launch_kinds, kind))
    return CAPTURE_SITE_LAUNCH;
  return kind == acc_ev_error ? CAPTURE_SITE_ERROR : 0;
}

static inline int
group_bytes (unsigned group)
{
  if (group & CAPTURE_SITE_DATA)
    return DATA_BYTES;
  if (group & CAPTURE_SITE_LAUNCH)
    return LAUNCH_BYTES;
  return group ? ERROR_BYTES : OTHER_BYTES;
}

_Static_assert (offsetof (acc_launch_event_info, num_gangs)
		== offsetof (acc_data_event_info, bytes)
		&& offsetof (acc_launch_event_info, kernel_name)
		== offsetof (acc_data_event_info, var_name),
		"data and launch events share their layout");

#endif
