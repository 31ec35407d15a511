/* The routines of OpenACC 3.3, chapter 3 and Appendix A.2, for C and C++, and
   their older names.  What shared memory answers at once is in memory.h.  */
#include <stdio.h>

#include "openacc.h"
#include "memory.h"
#include "routine.h"
#include "trace.h"

/* 3.2.1 to 3.2.8: devices */
ROUTINE (int, acc_get_num_devices, (acc_device_t type),
	 engine ()->get_num_devices (T, type))
PROCEDURE (acc_set_device_type, (acc_device_t type),
	   engine ()->set_device_type (T, type))
ROUTINE (acc_device_t, acc_get_device_type, (void),
	 engine ()->get_device_type (T))
PROCEDURE (acc_set_device_num, (int number, acc_device_t type),
	   engine ()->set_device_num (T, number, type))
ROUTINE (int, acc_get_device_num, (acc_device_t type),
	 engine ()->get_device_num (T, type))
ROUTINE (size_t, acc_get_property,
	 (int number, acc_device_t type, acc_device_property_t property),
	 engine ()->get_property (T, number, type, property))
ROUTINE (const char *, acc_get_property_string,
	 (int number, acc_device_t type, acc_device_property_t property),
	 engine ()->get_property_string (T, number, type, property))
PROCEDURE (acc_init, (acc_device_t type), engine ()->init (T, type))
PROCEDURE (acc_init_device, (int number, acc_device_t type),
	   engine ()->init_device (T, number, type))
LAST_PROCEDURE (acc_shutdown, (acc_device_t type), engine ()->shutdown (T, type))
LAST_PROCEDURE (acc_shutdown_device, (int number, acc_device_t type),
		engine ()->shutdown_device (T, number, type))

/* A routine, and its form with an async or a device argument more: the call is the same,
   as what the routine itself does not have is this.  */
enum { async = ACCSCOPE_ASYNC_SYNC };
static const long number = ACCSCOPE_CURRENT_DEVICE;

#define LIST(...) __VA_ARGS__
#define WITH_ASYNC(kind, name, parameters, call)			\
  kind (name, parameters, call)						\
  kind (name##_async, (LIST parameters, int async), call)

/* 3.2.9 to 3.2.14: queues */
ROUTINE (int, acc_async_test, (int async), engine ()->async_test (T, async, number))
ROUTINE (int, acc_async_test_device, (int async, int number),
	 engine ()->async_test (T, async, number))
ROUTINE (int, acc_async_test_all, (void), engine ()->async_test_all (T, number))
ROUTINE (int, acc_async_test_all_device, (int number),
	 engine ()->async_test_all (T, number))
LAST_PROCEDURE (acc_wait, (int async), engine ()->wait_for (T, async, number))
LAST_PROCEDURE (acc_wait_device, (int async, int number),
		engine ()->wait_for (T, async, number))
LAST_PROCEDURE (acc_wait_all, (void), engine ()->wait_all (T, number))
LAST_PROCEDURE (acc_wait_all_device, (int number),
		engine ()->wait_all (T, number))
LAST_PROCEDURE (acc_wait_async, (int wait_for, int async),
		engine ()->wait_async (T, wait_for, async, number))
LAST_PROCEDURE (acc_wait_device_async, (int wait_for, int async, int number),
		engine ()->wait_async (T, wait_for, async, number))
LAST_PROCEDURE (acc_wait_all_async, (int async),
		engine ()->wait_all_async (T, async, number))
LAST_PROCEDURE (acc_wait_all_device_async, (int async, int number),
		engine ()->wait_all_async (T, async, number))
ROUTINE (int, acc_wait_any, (int count, int list[]),
	 engine ()->wait_any (T, count, list, number))
ROUTINE (int, acc_wait_any_device, (int count, int list[], int number),
	 engine ()->wait_any (T, count, list, number))
ROUTINE (int, acc_get_default_async, (void), engine ()->get_default_async (T))
PROCEDURE (acc_set_default_async, (int async),
	   engine ()->set_default_async (T, async))

/* 3.2.15 */
ROUTINE (int, acc_on_device, (int type), accscope_on_device (t, type))

/* 3.2.16 to 3.2.25: memory */
ROUTINE (void *, acc_malloc, (size_t bytes), engine ()->malloc (T, bytes))
LAST_PROCEDURE (acc_free, (void *address), engine ()->free (T, address))
ROUTINE (void *, acc_copyin, (void *host, size_t bytes),
	 accscope_copyin (t, host, bytes, async))
ROUTINE (void *, acc_create, (void *host, size_t bytes),
	 accscope_create (t, host, bytes, async))
PROCEDURE (acc_copyin_async, (void *host, size_t bytes, int async),
	   accscope_copyin (t, host, bytes, async))
PROCEDURE (acc_create_async, (void *host, size_t bytes, int async),
	   accscope_create (t, host, bytes, async))
WITH_ASYNC (LAST_COPY, acc_copyout, (void *host, size_t bytes),
	    accscope_copyout (t, host, bytes, async, false))
WITH_ASYNC (LAST_COPY, acc_copyout_finalize, (void *host, size_t bytes),
	    accscope_copyout (t, host, bytes, async, true))
WITH_ASYNC (LAST_PROCEDURE, acc_delete, (void *host, size_t bytes),
	    accscope_delete (t, host, bytes, async, false))
WITH_ASYNC (LAST_PROCEDURE, acc_delete_finalize, (void *host, size_t bytes),
	    accscope_delete (t, host, bytes, async, true))
WITH_ASYNC (PROCEDURE, acc_update_device, (void *host, size_t bytes),
	    accscope_update_device (t, host, bytes, async))
WITH_ASYNC (LAST_COPY, acc_update_self, (void *host, size_t bytes),
	    accscope_update_self (t, host, bytes, async))
PROCEDURE (acc_map_data, (void *host, void *device, size_t bytes),
	   engine ()->map_data (T, host, device, bytes))
LAST_PROCEDURE (acc_unmap_data, (void *host), engine ()->unmap_data (T, host))

/* Look-ups that most often need no thread's place; and on the host, SHARED, nothing else
   either.  The rest is a function of its own, so that the registers that it saves are
   saved for it alone; it is jumped to, as the last thing that the entry point does, and
   so called by the program.  */
#define LOOK_UP(result, name, parameters, arguments, shared, answer, quick, call)	\
static __attribute__ ((noinline)) result				\
name##_elsewhere parameters						\
{									\
  result value;								\
									\
  if (LIKELY (quick))							\
    return value;							\
  BEGIN;								\
  value = call;								\
  END;									\
  return value;								\
}									\
									\
result									\
ENTRY (name) parameters							\
{									\
  if (LIKELY (on_host (&accscope_self) && (shared)))			\
    return answer;							\
  return name##_elsewhere arguments;					\
}

LOOK_UP (void *, acc_deviceptr, (void *host), (host), true, host,
	 quick_deviceptr (&accscope_self, host, &value),
	 engine ()->deviceptr (T, host))
LOOK_UP (void *, acc_hostptr, (void *device), (device), true, device,
	 quick_hostptr (&accscope_self, device, &value),
	 engine ()->hostptr (T, device))
LOOK_UP (int, acc_is_present, (void *host, size_t bytes), (host, bytes),
	 host != NULL && bytes != 0, 1,
	 quick_is_present (&accscope_self, host, bytes, &value),
	 engine ()->is_present (T, host, bytes))

/* 3.2.26 to 3.2.30: copies and attachment */
WITH_ASYNC (PROCEDURE, acc_memcpy_to_device, (void *device, void *host, size_t bytes),
	    engine ()->memcpy_to_device (T, device, host, bytes, async))
WITH_ASYNC (PROCEDURE, acc_memcpy_from_device,
	    (void *host, void *device, size_t bytes),
	    engine ()->memcpy_from_device (T, host, device, bytes, async))
WITH_ASYNC (PROCEDURE, acc_memcpy_device, (void *to, void *from, size_t bytes),
	    engine ()->memcpy_device (T, to, from, bytes, async))
WITH_ASYNC (PROCEDURE, acc_memcpy_d2d,
	    (void *to, void *from, size_t bytes, int to_device, int from_device),
	    engine ()->memcpy_d2d (T, to, from, bytes, to_device, from_device, async))
WITH_ASYNC (PROCEDURE, acc_attach, (void **pointer),
	    accscope_attach (t, pointer, async))
WITH_ASYNC (LAST_PROCEDURE, acc_detach, (void **pointer),
	    accscope_detach (t, pointer, async, false))
WITH_ASYNC (LAST_PROCEDURE, acc_detach_finalize, (void **pointer),
	    accscope_detach (t, pointer, async, true))

/* Appendix A.2 */
#define DRIVER(api, device, context, queue)				\
  ROUTINE (void *, device, (void), engine ()->driver_device (T, api))	\
  ROUTINE (void *, context, (void), engine ()->driver_context (T, api))	\
  ROUTINE (void *, queue, (int async), engine ()->driver_queue (T, api, async))
DRIVER (acc_device_api_cuda, acc_get_current_cuda_device,
	acc_get_current_cuda_context, acc_get_cuda_stream)
DRIVER (acc_device_api_opencl, acc_get_current_opencl_device,
	acc_get_current_opencl_context, acc_get_opencl_queue)

static int
set_cuda_stream (struct thread *t, int async, void *stream)
{
  if (async == acc_async_sync && accscope_trace_on)
    fprintf (stderr, "accscope: acc_set_cuda_stream: Refusing request to set CUDA"
	     " stream associated with \"acc_async_sync\"\n");
  return engine ()->set_driver_queue (T, acc_device_api_cuda, async, stream);
}

ROUTINE (int, acc_set_cuda_stream, (int async, void *stream),
	 set_cuda_stream (t, async, stream))
PROCEDURE (acc_set_opencl_queue, (int async, void *queue),
	   engine ()->set_driver_queue (T, acc_device_api_opencl, async, queue))

/* OpenACC 1.0 and 2.0 */
LAST_PROCEDURE (acc_async_wait, (int async), engine ()->wait_for (T, async, number))
LAST_PROCEDURE (acc_async_wait_all, (void), engine ()->wait_all (T, number))

/* 3.2.18 makes these two names for acc_copyin and acc_create, but GCC's own tests
   of them (lib-36, lib-40) ask for an error where there are no bytes.  */
static size_t
some (struct thread *t, const char *routine, const void *host, size_t bytes)
{
  if (host != NULL && bytes == 0)
    accscope_error (t, acc_error_invalid_argument, routine,
		    "bytes is zero: [%p,+0] is a bad range; pass the size of the "
		    "data, or call the routine by its name of OpenACC 3.3", host);
  return bytes;
}

ROUTINE (void *, acc_present_or_copyin, (void *host, size_t bytes),
	 accscope_copyin (t, host, some (t, "acc_present_or_copyin", host, bytes), async))
ROUTINE (void *, acc_pcopyin, (void *host, size_t bytes),
	 accscope_copyin (t, host, bytes, async))
ROUTINE (void *, acc_present_or_create, (void *host, size_t bytes),
	 accscope_create (t, host, some (t, "acc_present_or_create", host, bytes), async))
ROUTINE (void *, acc_pcreate, (void *host, size_t bytes),
	 accscope_create (t, host, bytes, async))

/* PGI Accelerator 1.3 */
PROCEDURE (acc_set_device, (acc_device_t type),
	   engine ()->set_device_type (T, type))
ROUTINE (acc_device_t, acc_get_device, (void), engine ()->get_device_type (T))
