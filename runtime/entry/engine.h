/* The contract between the two halves of libopenacc: the thin C library that a
   program loads (this folder) and the Go part (cmd/libopenacc/engine, built as
   libopenacc-engine.so) that it opens at the first call that needs it.

   Thin side: entry points with their variable arguments, acc_* and Fortran
   names, event dispatch, the host device's quick path, fork and loading.
   Go side: everything else.  Every function below runs on the program's own
   thread and may block; none lets an exception or a panic through.  */
#ifndef ACCSCOPE_ENGINE_H
#define ACCSCOPE_ENGINE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "dispatch.h"	/* callbacks/: struct acc_dispatch, struct acc_dispatch_thread */

#define ACCSCOPE_ENGINE_VERSION 9

/* Async values as GCC-compiled programs pass them.  */
#define ACCSCOPE_ASYNC_NOVAL   (-1)
#define ACCSCOPE_ASYNC_SYNC    (-2)
#define ACCSCOPE_ASYNC_DEFAULT (-3)

/* The device number of routines that have none, for the current device.  */
#define ACCSCOPE_CURRENT_DEVICE LONG_MIN

/* What the thin library must know of a device; lives as long as the process,
   written by the Go side only.  */
struct accscope_device
{
  int32_t type;			/* acc_device_t */
  int32_t number;
  uint32_t shared_memory;	/* host addresses are device addresses */
  uint32_t open;		/* atomic: initialised, not shut down */
  /* Its present table, set before open and for good; NULL where look-ups go to
     the Go side.  */
  const struct accscope_present *present;	/* runtime/dataenv/present.h */
};

/* What a call preserves besides the stack and frame pointers: %rbx and %r12 to
   %r15; of the 64-bit Arm architecture x19 to x28.  */
#if defined __aarch64__
#define ACCSCOPE_REGISTERS 10
#else
#define ACCSCOPE_REGISTERS 5
#endif
struct accscope_registers
{
  uint64_t value[ACCSCOPE_REGISTERS];
};

/* Where the program called us: what source attribution starts from.  Registers
   are those of the caller at the call.  */
struct accscope_place
{
  const void *return_address;
  const void *stack_pointer;	/* value of the caller's stack pointer */
  const void *frame_pointer;	/* the caller's %rbp, or x29 */
  struct accscope_registers registers;
  uint32_t entered;		/* the call is in the Go part */
#if !defined __x86_64__
  /* Where our function keeps the return address, which on x86-64 lies below the
     caller's stack pointer.  */
  const void *const *kept;
#endif
};

/* One host thread.  The thin library keeps it in thread-local storage and
   hands it to every call; the Go side makes its own for Go host threads.  */
struct accscope_thread
{
  struct acc_dispatch_thread dispatch;	/* thread number, per-thread toggle */
  struct accscope_device *device;	/* current device, NULL before first use */
  struct accscope_place place;		/* of the call in progress */
  uintptr_t engine;			/* the Go side's record, 0 before first use */
};

/* One GOACC_* call, its variable arguments decoded.  */
struct accscope_construct
{
  int flags;			/* bit 0: run on the host (an if clause was false,
				   or a self clause true) */
  void (*function) (void *);	/* GOACC_parallel_keyed only */
  size_t entries;
  void **hostaddrs;
  size_t *sizes;
  unsigned short *kinds;
  unsigned gangs, workers, vector;	/* 0: not given */
  int async;
  int waits;			/* length of wait_list */
  const int *wait_list;
};

/* Handed over once, when the Go part has been opened.  */
struct accscope_host
{
  int version;			/* ACCSCOPE_ENGINE_VERSION */
  struct acc_dispatch *dispatch;	/* the process's one published registry */
  /* Runs a kernel on the calling thread: function (block).  */
  void (*call) (void (*function) (void *), void *block);
  /* exit (), with the program's exit handlers, which may call OpenACC.  */
  void (*exit) (int status);
  /* Makes the end of the program come before exit handlers that were registered
     up to now, those of a device's driver for one.  */
  void (*end_first) (void);
};

/* Constructs and routines, which the Go side answers by its thread's method of the same
   name: its functions are generated from these rows (go generate
   ./cmd/libopenacc/engine).  An async argument of ACCSCOPE_ASYNC_SYNC means the
   synchronous form of a routine.  */
#define ACCSCOPE_ENGINE_ROUTINES(X, T)						\
  /* constructs */								\
  /* what comes between the first event of a construct that the caller runs itself,	\
     and its function */								\
  X (void, before_local, (T t, const struct accscope_construct *c), (t, c))		\
  X (void, data_start, (T t, const struct accscope_construct *c), (t, c))		\
  X (void, data_end, (T t), (t))							\
  X (void, enter_data, (T t, const struct accscope_construct *c), (t, c))		\
  X (void, exit_data, (T t, const struct accscope_construct *c), (t, c))		\
  X (void, update, (T t, const struct accscope_construct *c), (t, c))			\
  X (void, declare, (T t, const struct accscope_construct *c), (t, c))			\
  X (void, wait, (T t, const struct accscope_construct *c), (t, c))		\
  /* 3.2.1 to 3.2.8: devices */		\
  X (int, get_num_devices, (T t, int type), (t, type))					\
  X (void, set_device_type, (T t, int type), (t, type))					\
  X (int, get_device_type, (T t), (t))						\
  X (void, set_device_num, (T t, int number, int type), (t, number, type))				\
  X (int, get_device_num, (T t, int type), (t, type))					\
  X (size_t, get_property, (T t, int number, int type, int property), (t, number, type, property))		\
  X (void, init, (T t, int type), (t, type))						\
  X (void, init_device, (T t, int number, int type), (t, number, type))				\
  X (void, shutdown, (T t, int type), (t, type))						\
  X (void, shutdown_device, (T t, int number, int type), (t, number, type))			\
  /* 3.2.9 to 3.2.16: queues; device may be ACCSCOPE_CURRENT_DEVICE */		\
  X (bool, async_test, (T t, int async, long device), (t, async, device))				\
  X (bool, async_test_all, (T t, long device), (t, device))					\
  X (void, wait_for, (T t, int async, long device), (t, async, device))					\
  X (int, wait_any, (T t, int count, const int *list, long device), (t, count, list, device))		\
  X (void, wait_all, (T t, long device), (t, device))						\
  X (void, wait_async, (T t, int wait_for, int async, long device), (t, wait_for, async, device))		\
  X (void, wait_all_async, (T t, int async, long device), (t, async, device))			\
  X (int, get_default_async, (T t), (t))						\
  X (void, set_default_async, (T t, int async), (t, async))					\
  X (bool, on_device, (T t, int type), (t, type))						\
  /* 3.2.17 to 3.2.31: memory */						\
  X (void *, malloc, (T t, size_t bytes), (t, bytes))					\
  X (void, free, (T t, void *address), (t, address))						\
  X (void *, copyin, (T t, void *host, size_t bytes, int async), (t, host, bytes, async))		\
  X (void *, create, (T t, void *host, size_t bytes, int async), (t, host, bytes, async))		\
  X (void, copyout, (T t, void *host, size_t bytes, int async, bool finalize), (t, host, bytes, async, finalize))	\
  X (void, delete, (T t, void *host, size_t bytes, int async, bool finalize), (t, host, bytes, async, finalize))	\
  X (void, update_device, (T t, void *host, size_t bytes, int async), (t, host, bytes, async))		\
  X (void, update_self, (T t, void *host, size_t bytes, int async), (t, host, bytes, async))		\
  X (void, map_data, (T t, void *host, void *device, size_t bytes), (t, host, device, bytes))		\
  X (void, unmap_data, (T t, void *host), (t, host))					\
  X (void *, deviceptr, (T t, void *host), (t, host))					\
  X (void *, hostptr, (T t, void *device), (t, device))					\
  X (bool, is_present, (T t, void *host, size_t bytes), (t, host, bytes))				\
  X (void, memcpy_to_device, (T t, void *device, void *host, size_t bytes, int async), (t, device, host, bytes, async)) \
  X (void, memcpy_from_device, (T t, void *host, void *device, size_t bytes, int async), (t, host, device, bytes, async)) \
  X (void, memcpy_device, (T t, void *to, void *from, size_t bytes, int async), (t, to, from, bytes, async))	\
  X (void, memcpy_d2d, (T t, void *to, void *from, size_t bytes, int to_device, int from_device, int async), (t, to, from, bytes, to_device, from_device, async)) \
  X (void, attach, (T t, void **pointer, int async), (t, pointer, async))				\
  X (void, detach, (T t, void **pointer, int async, bool finalize), (t, pointer, async, finalize))		\
  /* with gfortran's descriptor of what the pointer points to */			\
  X (void, attach_described, (T t, const void *target, int async), (t, target, async))		\
  X (void, detach_described, (T t, const void *target, int async, bool finalize), (t, target, async, finalize)) \
  /* Appendix A.2; api is acc_device_api */						\
  X (void *, driver_device, (T t, int api), (t, api))					\
  X (void *, driver_context, (T t, int api), (t, api))					\
  X (void *, driver_queue, (T t, int api, int async), (t, api, async))			\
  X (bool, set_driver_queue, (T t, int api, int async, void *queue), (t, api, async, queue))

/* X (result, name, parameters, arguments): the Go side exports
   accscope_engine_<name>.  T stands for struct accscope_thread *.  */
#define ACCSCOPE_ENGINE_FUNCTIONS(X, T)						\
  ACCSCOPE_ENGINE_ROUTINES (X, T)						\
  /* start-up and end */							\
  X (int, start, (const struct accscope_host *host), (host))	/* 0, or an errno value */ \
  X (void, thread_end, (T t), (t))							\
  /* NULL; or the device, open and sharing the host's memory, on which the caller runs	\
     the construct itself, with its events */						\
  X (const struct accscope_device *, parallel, (T t, const struct accscope_construct *c), (t, c)) \
  X (int, recording, (void), ())	/* a record function runs on the calling thread */ \
  /* from a signal's handler: a kernel may have raised it; C, and safe there */	\
  X (void, kernel_signal, (int thread_id, int signal, uintptr_t address), (thread_id, signal, address)) \
  X (void, program_end, (T t), (t))							\
  /* after it: whether it ended the data lifetime that host lay in on the thread's	\
     device, or with null one that its open regions would copy back */			\
  X (int, dropped, (T t, const void *host), (t, host))					\
  X (void, register_image, (unsigned version, const void *host_table, int type, const void *data), (version, host_table, type, data)) \
  X (void, unregister_image, (unsigned version, const void *host_table, int type, const void *data), (version, host_table, type, data)) \
  /* registration, chapter 5; mode is acc_register_t */				\
  X (void, callback_register, (T t, int event, void *callback, int mode), (t, event, callback, mode))	\
  X (void, callback_unregister, (T t, int event, void *callback, int mode), (t, event, callback, mode))	\
  X (void *, lookup, (T t, const char *name), (t, name))					\
  X (void, names_later, (void *site), (site))	/* an accscope_site_function; once */	\
  X (const char *, get_property_string, (T t, int number, int type, int property), (t, number, type, property)) \
  /* source attribution for the quick path: fills the source fields of a		\
     struct acc_prof_info, and gives what a construct whose events have parent as	\
     was written as (acc_construct_t); c is NULL for any but a compute construct */	\
  X (int, attribute, (T t, const struct accscope_construct *c, int as, void *prof_info), (t, c, as, prof_info))	\
  /* raises acc_ev_error for what only the thin library can see (a malformed	\
     call, a section that is not contiguous), and ends the program as the	\
     default error handler does; code is acc_error_t */			\
  X (void, error, (T t, int code, const char *routine, const char *message), (t, code, routine, message))

#endif
