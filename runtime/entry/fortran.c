/* The routines under the names that gfortran's module and ours give them:
   integers by reference, logical results of four bytes, arrays by descriptor.  */
#include <string.h>

#include "memory.h"
#include "routine.h"

#define CURRENT ACCSCOPE_CURRENT_DEVICE

/* gfortran's array descriptor.  */
struct descriptor
{
  void *base;
  size_t offset;
  size_t element_length;
  int version;
  signed char rank;
  signed char type;
  short attribute;
  ptrdiff_t span;
  struct { ptrdiff_t stride, lower, upper; } dimension[];
};

#define LOGICAL(name, parameters, call)					\
  ROUTINE (int32_t, name, parameters, (call) != 0)

/* 3.2.1 to 3.2.8 */
ROUTINE (int32_t, acc_get_num_devices_h_, (const int32_t *type),
	 engine ()->get_num_devices (T, *type))
PROCEDURE (acc_set_device_type_h_, (const int32_t *type),
	   engine ()->set_device_type (T, *type))
ROUTINE (int32_t, acc_get_device_type_h_, (void), engine ()->get_device_type (T))
PROCEDURE (acc_set_device_num_h_, (const int32_t *number, const int32_t *type),
	   engine ()->set_device_num (T, *number, *type))
ROUTINE (int32_t, acc_get_device_num_h_, (const int32_t *type),
	 engine ()->get_device_num (T, *type))
PROCEDURE (acc_init_h_, (const int32_t *type), engine ()->init (T, *type))
PROCEDURE (acc_init_device_h_, (const int32_t *number, const int32_t *type),
	   engine ()->init_device (T, *number, *type))
LAST_PROCEDURE (acc_shutdown_h_, (const int32_t *type),
		engine ()->shutdown (T, *type))
LAST_PROCEDURE (acc_shutdown_device_h_,
		(const int32_t *number, const int32_t *type),
		engine ()->shutdown_device (T, *number, *type))

/* These take their arguments by value, as 3.2.6 has it.  */
ROUTINE (size_t, acc_get_property_h_, (int number, int type, int property),
	 engine ()->get_property (T, number, type, property))

void
ENTRY (acc_get_property_string_h_) (int number, int type, int property,
				    char *string, size_t length)
{
  BEGIN;
  const char *value = engine ()->get_property_string (T, number, type,
						      property);
  size_t used = value == NULL ? 0 : strlen (value);

  if (used > length)
    used = length;
  if (used > 0)
    memcpy (string, value, used);
  memset (string + used, ' ', length - used);
  END;
}

/* 3.2.9 to 3.2.15 */
LOGICAL (acc_async_test_h_, (const int32_t *async),
	 engine ()->async_test (T, *async, CURRENT))
LOGICAL (acc_async_test_device_h_,
	 (const int32_t *async, const int32_t *number),
	 engine ()->async_test (T, *async, *number))
LOGICAL (acc_async_test_all_h_, (void), engine ()->async_test_all (T, CURRENT))
LOGICAL (acc_async_test_all_device_h_, (const int32_t *number),
	 engine ()->async_test_all (T, *number))
LAST_PROCEDURE (acc_wait_h_, (const int32_t *async),
		engine ()->wait_for (T, *async, CURRENT))
LAST_PROCEDURE (acc_wait_device_h_,
		(const int32_t *async, const int32_t *number),
		engine ()->wait_for (T, *async, *number))
LAST_PROCEDURE (acc_wait_all_h_, (void), engine ()->wait_all (T, CURRENT))
LAST_PROCEDURE (acc_wait_all_device_h_, (const int32_t *number),
		engine ()->wait_all (T, *number))
LAST_PROCEDURE (acc_wait_async_h_,
		(const int32_t *wait_for, const int32_t *async),
		engine ()->wait_async (T, *wait_for, *async, CURRENT))
LAST_PROCEDURE (acc_wait_device_async_h_,
		(const int32_t *wait_for, const int32_t *async,
		 const int32_t *number),
		engine ()->wait_async (T, *wait_for, *async,
				       *number))
LAST_PROCEDURE (acc_wait_all_async_h_, (const int32_t *async),
		engine ()->wait_all_async (T, *async, CURRENT))
LAST_PROCEDURE (acc_wait_all_device_async_h_,
		(const int32_t *async, const int32_t *number),
		engine ()->wait_all_async (T, *async,
					   *number))

/* Fortran counts from 1; -1 stays what it is.  */
static int32_t
from_one (int index)
{
  return index < 0 ? index : index + 1;
}

ROUTINE (int32_t, acc_wait_any_h_, (const int32_t *count, const int32_t *list),
	 from_one (engine ()->wait_any (T, *count, list, CURRENT)))
ROUTINE (int32_t, acc_wait_any_device_h_,
	 (const int32_t *count, const int32_t *list, const int32_t *number),
	 from_one (engine ()->wait_any (T, *count, list,
					*number)))
ROUTINE (int32_t, acc_get_default_async_h_, (void),
	 engine ()->get_default_async (T))
PROCEDURE (acc_set_default_async_h_, (const int32_t *async),
	   engine ()->set_default_async (T, *async))
LOGICAL (acc_on_device_h_, (const int32_t *type), accscope_on_device (t, *type))

/* The length of what is no data section: a negative one is an invalid argument
   (3.2.25).  Those of data sections the Go part looks at.  */
static size_t
length (struct thread *t, const char *routine, int64_t bytes)
{
  if (bytes < 0)
    {
      accscope_error (t, acc_error_invalid_argument, routine,
		      "bytes is %lld; give a length of 0 or more",
		      (long long) bytes);
      return 0;
    }
  return bytes;
}

/* The length in bytes of an array section, which must be contiguous.  GCC's
   module has its compiler pack others into a temporary; ours passes them as
   they are, so that they can be told.  */
static size_t
section (struct thread *t, const char *routine, const struct descriptor *a)
{
  ptrdiff_t elements = 1;
  int i;

  for (i = 0; i < a->rank; i++)
    {
      ptrdiff_t extent = a->dimension[i].upper - a->dimension[i].lower + 1;
      if (extent <= 0)
	return 0;
      if (extent > 1 && a->dimension[i].stride != elements)
	{
	  accscope_error (t, acc_error_invalid_data_section, routine,
			  "data_arg is not contiguous in dimension %d; "
			  "pass a contiguous section", i + 1);
	  return 0;
	}
      elements *= extent;
    }
  return elements * a->element_length;
}

/* The three forms of a routine: the call may use host, bytes, async.  last is what
   comes first, with the routine's name, its data and whether there is any.  */
#define FORM(result, entry, name, parameters, data, any, length_of_data,	\
	     async_value, last, give, call)				\
result									\
ENTRY (entry) parameters						\
{									\
  last (name, data, any);						\
  BEGIN;								\
  const int async = async_value;					\
  void *const host = data;						\
  size_t bytes = length_of_data;					\
  give call;								\
}
#define FORMS(result, name, async_parameter, ...)			\
  FORM (result, name##_32_h_, #name, (void *data, const int32_t *l async_parameter), \
	data, *l != 0, *l, __VA_ARGS__)					\
  FORM (result, name##_64_h_, #name, (void *data, const int64_t *l async_parameter), \
	data, *l != 0, *l, __VA_ARGS__)					\
  FORM (result, name##_array_h_, #name,					\
	(const struct descriptor *a async_parameter), a->base, true,	\
	section (t, #name, a), __VA_ARGS__)

#define ASYNC_PARAMETER , const int32_t *async_argument
#define ALWAYS(name, host, any) (void) 0
#define UNLESS_ENDED(name, host, any) if (ended ()) return
#define UNLESS_ENDED_COPY(name, host, any)				\
  if (ended_copy (name, host, any)) return
#define DO(...) (void) async; __VA_ARGS__; END
#define RETURN(...) (void) async; int32_t value = (__VA_ARGS__) != 0; END; return value

#define SYNCHRONOUS(name, last, call)					\
  FORMS (void, name, , ACCSCOPE_ASYNC_SYNC, last, DO, (call))
#define WITH_ASYNC(name, last, call)					\
  SYNCHRONOUS (name, last, call)					\
  FORMS (void, name##_async, ASYNC_PARAMETER, *async_argument, last, DO, (call))

/* 3.2.18 to 3.2.25 */
WITH_ASYNC (acc_copyin, ALWAYS, accscope_copyin (t, host, bytes, async))
WITH_ASYNC (acc_create, ALWAYS, accscope_create (t, host, bytes, async))
SYNCHRONOUS (acc_present_or_copyin, ALWAYS, accscope_copyin (t, host, bytes, async))
SYNCHRONOUS (acc_present_or_create, ALWAYS, accscope_create (t, host, bytes, async))
WITH_ASYNC (acc_update_device, ALWAYS, accscope_update_device (t, host, bytes, async))
WITH_ASYNC (acc_update_self, UNLESS_ENDED_COPY,
	    accscope_update_self (t, host, bytes, async))
WITH_ASYNC (acc_copyout, UNLESS_ENDED_COPY,
	    accscope_copyout (t, host, bytes, async, false))
WITH_ASYNC (acc_copyout_finalize, UNLESS_ENDED_COPY,
	    accscope_copyout (t, host, bytes, async, true))
WITH_ASYNC (acc_delete, UNLESS_ENDED, accscope_delete (t, host, bytes, async, false))
WITH_ASYNC (acc_delete_finalize, UNLESS_ENDED,
	    accscope_delete (t, host, bytes, async, true))
FORMS (int32_t, acc_is_present, , ACCSCOPE_ASYNC_SYNC, ALWAYS, RETURN,
       (accscope_is_present (t, host, length (t, "acc_is_present", bytes))))

/* 3.2.30; the arrays are assumed-rank, the integers by reference.  */
PROCEDURE (acc_memcpy_d2d_h_,
	   (const struct descriptor *to, const struct descriptor *from,
	    const int32_t *bytes, const int32_t *to_device,
	    const int32_t *from_device),
	   engine ()->memcpy_d2d (T, to->base, from->base,
				  length (t, "acc_memcpy_d2d", *bytes),
				  *to_device, *from_device,
				  ACCSCOPE_ASYNC_SYNC))
PROCEDURE (acc_memcpy_d2d_async_h_,
	   (const struct descriptor *to, const struct descriptor *from,
	    const int32_t *bytes, const int32_t *to_device,
	    const int32_t *from_device, const int32_t *async),
	   engine ()->memcpy_d2d (T, to->base, from->base,
				  length (t, "acc_memcpy_d2d_async", *bytes),
				  *to_device, *from_device, *async))

/* 3.2.29: the pointer's target, assumed-rank; async by value.  */
static void
attach (struct thread *t, const struct descriptor *target, int async)
{
  if (!on_host (t) || async < ACCSCOPE_ASYNC_DEFAULT)
    engine ()->attach_described (T, target, async);
}

static void
detach (struct thread *t, const struct descriptor *target, int async,
	bool finalize)
{
  if (!on_host (t) || async < ACCSCOPE_ASYNC_DEFAULT)
    engine ()->detach_described (T, target, async, finalize);
}

PROCEDURE (acc_attach_array_h_, (const struct descriptor *target),
	   attach (t, target, ACCSCOPE_ASYNC_SYNC))
PROCEDURE (acc_attach_async_array_h_,
	   (const struct descriptor *target, int async),
	   attach (t, target, async))
LAST_PROCEDURE (acc_detach_array_h_, (const struct descriptor *target),
		detach (t, target, ACCSCOPE_ASYNC_SYNC, false))
LAST_PROCEDURE (acc_detach_async_array_h_,
		(const struct descriptor *target, int async),
		detach (t, target, async, false))
LAST_PROCEDURE (acc_detach_finalize_array_h_,
		(const struct descriptor *target),
		detach (t, target, ACCSCOPE_ASYNC_SYNC, true))
LAST_PROCEDURE (acc_detach_finalize_async_array_h_,
		(const struct descriptor *target, int async),
		detach (t, target, async, true))
