/* annotate.c - ranges, frames and marks of the program's own (accscope_annotation.h)
   and calls of MPI, as events like those of the runtime: their kinds lie beyond
   acc_event_t's, and their structs are those of a data event.  */
#include "kinds.h"
#include "proflib.h"
#include "unwind.h"
#include "accscope_annotation.h"

#define EXPORTED __attribute__ ((visibility ("default")))

_Static_assert (ACCSCOPE_RANGE_START == CAPTURE_KIND_RANGE_START
		&& ACCSCOPE_RANGE_END == CAPTURE_KIND_RANGE_START + 1
		&& ACCSCOPE_FRAME_START == CAPTURE_KIND_FRAME_START
		&& ACCSCOPE_FRAME_END == CAPTURE_KIND_FRAME_START + 1
		&& ACCSCOPE_MARK == CAPTURE_KIND_MARK
		&& ACCSCOPE_MPI_START == CAPTURE_KIND_MPI_START
		&& ACCSCOPE_MPI_END == CAPTURE_KIND_MPI_START + 1
		&& ACCSCOPE_PROCESS_RANGE_START == CAPTURE_KIND_PROCESS_RANGE_START
		&& ACCSCOPE_PROCESS_RANGE_END == CAPTURE_KIND_PROCESS_RANGE_START + 1,
		"the header's kinds are the format's");

/* A text that begins with the character 1 would be a reference (accscope_names.h).  */
static const char *
plain (const char *text)
{
  while (text && *text == 1)
    text++;
  return text;
}

/* Ranges that were started by number.  */
static uint64_t process_ranges;

EXPORTED uint64_t
accscope_annotate (const struct accscope_annotation *annotation)
{
  int kind = annotation->kind;
  uint64_t range = 0, number = (uint64_t) annotation->number;
  uint64_t third = (uint64_t) (uint32_t) annotation->tag << 32
		   | (uint32_t) annotation->communicator;
  if (annotation->size < sizeof *annotation || !is_kind (annotation_kinds, kind)
      || !(settings.event_mask & event_bit (kind)))
    return 0;
  if (kind == ACCSCOPE_PROCESS_RANGE_START)
    third = range = __atomic_add_fetch (&process_ranges, 1, __ATOMIC_RELAXED);
  else if (kind == ACCSCOPE_PROCESS_RANGE_END)
    {
      if (!number)
	return 0;	/* its start was not recorded */
      third = number;
      number = 0;
    }
  acc_prof_info profile = {
    .event_type = (acc_event_t) kind,
    .valid_bytes = PROFILE_BYTES,
    .version = -1,
    .device_type = acc_device_current,	/* none: as what comes before there is one */
    .device_number = -1,
    .thread_id = -1,
    .async = acc_async_noval,
    .async_queue = acc_async_noval,
    .src_file = plain (annotation->file),
    .func_name = plain (annotation->function),
    .line_no = annotation->line > 0 ? annotation->line : -1,
    .end_line_no = -1,
    .func_line_no = -1,
    .func_end_line_no = -1
  };
  acc_event_info event;
  memset (&event, 0, sizeof event);
  event.data_event = (acc_data_event_info) {
    .event_type = (acc_event_t) kind,
    .valid_bytes = DATA_BYTES,
    .parent_construct = (acc_construct_t) -1,
    .var_name = plain (annotation->name),
    .bytes = annotation->bytes,
    .host_ptr = (void *) (uintptr_t) number,
    .device_ptr = (void *) (uintptr_t) third
  };
  acc_api_info api;
  memset (&api, 0, sizeof api);
  api.valid_bytes = API_BYTES;
  api.device_type = acc_device_current;
  record_caller = annotation->caller;
  if (!annotation->file && !annotation->caller && annotation->callee
      && settings.stack != STACK_OFF)
    record_caller = unwind_caller_of ((uintptr_t) annotation->callee);
  record_callback (&profile, &event, &api);
  record_caller = 0;
  return range;
}
