/* accscope_activity.h - what devices did and when: an inquiry function of
   accscope's OpenACC runtime (OpenACC 3.3, 5.3.1).

   The events of acc_callback.h tell when work was enqueued.  This interface
   tells when the device executed it.  A tool asks for it with the look-up
   function that acc_register_library received:

	accscope_activity_function function
	  = (accscope_activity_function) lookup (ACCSCOPE_ACTIVITY_NAME);
	const struct accscope_activity *activity = function ? function () : 0;

   Other runtimes answer the look-up with a null pointer.  The table and the
   functions in it are valid until the end of the process.

   Every struct starts with its size in bytes, set by whoever fills it.  Fields
   may be added at the end in later versions: look at a field only if the size
   covers it.  Functions that return int return 0 or an errno value: EINVAL for
   a null pointer, a struct that is too small, or a subscription that does not
   exist; ENODEV for a device that does not exist or is not initialised; ENOMEM;
   EDEADLK, EBUSY and ENOENT as flush, flush_for and kernel say.

   All functions may be called from any thread, also from callbacks of events
   and of this interface.  */
#ifndef ACCSCOPE_ACTIVITY_H
#define ACCSCOPE_ACTIVITY_H 1

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ACCSCOPE_ACTIVITY_NAME "accscope_device_activity_v1"

enum accscope_activity_kind
{
  accscope_activity_kernel = 1,
  accscope_activity_upload = 2,		/* host to device */
  accscope_activity_download = 3,	/* device to host */
  accscope_activity_copy = 4,		/* within a device, or between two */
  accscope_activity_fill = 5,
  /* A queue was made to wait for another one, by a wait directive or clause with
     async or by acc_wait_async: no operation, and told when it is enqueued.  */
  accscope_activity_wait = 6,
  /* No operation either: the runtime found something in the program that would not
     work on another device, and says so, once.  name is the text.  */
  accscope_activity_warning = 7,
  /* Nor this: acc_deviceptr has given the device address of data, which may be used from
     now on without an event, once for each mapped range.  name is the range's host
     address and its bytes, two decimal numbers; bytes are these.  */
  accscope_activity_exposed = 8,
  /* Nor this, which comes when the last device is shut down: no kernel could use what was
     mapped of a range, in any of its lifetimes: no compute construct named it, none got a
     pointer to it, and nothing had its device address.  name and bytes are as above.  */
  accscope_activity_unused = 9,
  /* Nor this, of a device that checks the accesses to its memory: something is wrong with
     one.  name is a JSON object, whose member number tells findings of a device apart: it
     comes when that is met first, and again, with how often, when the device is shut
     down.  */
  accscope_activity_finding = 10,
  /* Nor this, of a device that counts what its kernels do: name is a JSON object with what all
     launches of a kernel came to, or a source line of one.  It comes when the device is shut
     down; what comes again for the same kernel is to be added.  */
  accscope_activity_counts = 11
};

/* A flag of an upload or download: the host's memory was pageable, so its bytes went
   by way of pinned memory, copied by the host.  Not told of small transfers.  */
#define ACCSCOPE_ACTIVITY_PAGEABLE 1u
/* A flag of a copy: it went to the memory of another device, whose number is peer.  */
#define ACCSCOPE_ACTIVITY_PEER 2u

/* Who gave a dimension of a kernel's launch geometry.  */
enum accscope_activity_giver
{
  accscope_activity_giver_unknown = 0,
  /* Fixed in the device code: by a constant in a clause, by an option of the compiler, or
     as no loop uses it.  */
  accscope_activity_giver_compiler = 1,
  accscope_activity_giver_clause = 2,	/* evaluated at run time */
  accscope_activity_giver_environment = 3, /* GOMP_OPENACC_DIM */
  accscope_activity_giver_chosen = 4	/* it was left open: the runtime */
};

/* One operation that a device has finished.  Times are in nanoseconds; both of
   an accscope_activity_wait are that of its enqueueing, both of an
   accscope_activity_warning that at which it was found.  */
struct accscope_activity_record
{
  uint32_t size;
  int32_t kind;			/* enum accscope_activity_kind */
  int32_t device_type;		/* acc_device_t */
  int32_t device_number;
  int64_t async;		/* as acc_callback_info.async at its enqueueing */
  int64_t async_queue;		/* as acc_callback_info.async_queue */
  uint64_t bytes;		/* moved or filled; 0 for a kernel */
  uint64_t correlation;		/* see current_correlation; never 0 */
  int64_t device_start;		/* on the device's clock */
  int64_t device_end;
  int64_t host_start;		/* the same, mapped to CLOCK_MONOTONIC */
  int64_t host_end;
  /* Of the kernel, or of a copy to another device the variable; null where it is not
     known; valid during the call.  */
  const char *name;
  int64_t awaited_queue;	/* of an accscope_activity_wait */
  /* Of an accscope_activity_wait, an accscope_activity_warning or a copy to another
     device: the place in the program, as acc_callback_info has it.  */
  const char *src_file;
  int32_t line_no;
  uint32_t flags;		/* ACCSCOPE_ACTIVITY_PAGEABLE, ACCSCOPE_ACTIVITY_PEER */
  /* Of a copy with ACCSCOPE_ACTIVITY_PEER: the number of the device that it went to, of
     the same type; device_number sent it, on whose queue it was.  */
  int32_t peer;
  /* Of a kernel: enum accscope_activity_giver of each dimension.  */
  uint8_t gangs_by;
  uint8_t workers_by;
  uint8_t vector_by;
  uint8_t reserved;
};

/* Who receives records.  record runs on a thread of the runtime or on one that is
   inside flush or flush_for, one call at a time, with no lock of the runtime held: it
   may call the OpenACC API, but delays the records that follow, those of others, too.
   Records of one queue and kind come in the order of execution; those of different
   kinds may be measured in different ways, and come at different times.  */
struct accscope_activity_subscriber
{
  uint32_t size;
  uint32_t kinds;		/* sum of 1 << kind of those wanted; 0: all */
  void (*record) (void *context, const struct accscope_activity_record *);
  void *context;
};

/* One point of time on a device's clock and on CLOCK_MONOTONIC, read together.
   The device's clock runs at the host's rate to within drift parts in 10^9;
   between two points, interpolate.  */
struct accscope_activity_clock
{
  uint32_t size;
  uint32_t reserved;
  int64_t device;
  int64_t host;
  int64_t drift;
};

/* One live entry of a device's present table.  */
struct accscope_activity_mapping
{
  uint32_t size;
  int32_t device_type;
  int32_t device_number;
  uint32_t attached;		/* sum of the attachment counters in it */
  const void *host_ptr;
  const void *device_ptr;
  uint64_t bytes;
  uint64_t structured;		/* reference counters, OpenACC 3.3, 2.6.7 */
  uint64_t dynamic;
  const char *name;		/* of the variable, or null; valid during the call */
};

/* One activity queue that has been used on a device.  */
struct accscope_activity_queue
{
  uint32_t size;
  int32_t device_type;
  int32_t device_number;
  uint32_t reserved;
  int64_t async;		/* the async value that selects it */
  int64_t async_queue;
  uint64_t pending;		/* operations enqueued and not finished */
};

/* What is known of an initialised device; the strings are valid until the end of
   the process.  */
struct accscope_activity_device
{
  uint32_t size;
  uint32_t multiprocessors;	/* that gangs run on; 0: not known, or none */
  uint64_t memory;		/* bytes in all; 0: not known */
  const char *name;		/* or null, as the vendor */
  const char *vendor;
};

typedef void (*accscope_activity_each_mapping)
  (void *context, const struct accscope_activity_mapping *);
typedef void (*accscope_activity_each_queue)
  (void *context, const struct accscope_activity_queue *);

struct accscope_activity
{
  uint32_t size;
  uint32_t version;		/* 1 */

  /* Starts delivery of records for operations enqueued from now on.
     *subscription identifies it, and is never 0.  */
  int (*subscribe) (const struct accscope_activity_subscriber *,
		    uint64_t *subscription);

  /* Ends delivery.  No record arrives after it has returned, except that,
     called from inside record, it does not wait for that call.  */
  int (*unsubscribe) (uint64_t subscription);

  /* Returns when the records of all operations that had finished at the call
     have been delivered; but a kernel's that took its own times may come later
     if its queue was busy with others.  Called from inside record, it returns EDEADLK.  The
     runtime does the same before acc_ev_runtime_shutdown and before
     acc_ev_device_shutdown_start.  */
  int (*flush) (void);

  /* Inside a callback for an acc_ev_enqueue_*_start or _end event: the number
     that the operation's record will carry.  0 anywhere else.  Start and end of
     one operation have the same number, different operations of a process have
     different ones.  An operation without an event of its own (a fill, or a copy
     within a device) has a record all the same; the upload of what
     goes with a kernel's arguments (values, and copies of a few bytes) has events, the
     number 0 and no record.  */
  uint64_t (*current_correlation) (void);

  /* Reads both clocks of a device.  The caller sets clock->size.  */
  int (*clock) (int32_t device_type, int32_t device_number,
		struct accscope_activity_clock *clock);

  /* Call each for every live mapping, in order of host address, or for every
     queue, in order of async value.  They are copied first: each runs on the
     calling thread with no lock held, and sees one moment.  */
  int (*mappings) (int32_t device_type, int32_t device_number,
		   accscope_activity_each_mapping each, void *context);
  int (*queues) (int32_t device_type, int32_t device_number,
		 accscope_activity_each_queue each, void *context);

  /* Describes a device.  The caller sets device->size.  */
  int (*device) (int32_t device_type, int32_t device_number,
		 struct accscope_activity_device *device);

  /* As flush, for one subscription (EINVAL if there is none), and without waiting for
     the record functions of others: where one of those runs, which may want what the
     calling thread has, it returns EBUSY at once, and the records come when they come.
     Called from inside record, of whatever subscription, it returns EDEADLK.  */
  int (*flush_for) (uint64_t subscription);

  /* Changes each time that the program may have learned that operations on a queue had
     finished without a wait for it, of which events tell: acc_async_test has answered so,
     or another queue was made to wait for it.  UINT64_MAX from when the program had or
     gave a queue's native handle on, by which it can wait as it likes.  */
  uint64_t (*learned) (void);

  /* Gives what the device's driver, and with it CUPTI and debuggers, calls the kernel
     that events and records call kernel_name; valid until the end of the process.  In a
     callback for its acc_ev_enqueue_launch_start it is known; ENOENT where no construct
     has launched such a kernel on the device since that was initialised.  A device
     without a driver of its own calls it what events do.  */
  int (*kernel) (int32_t device_type, int32_t device_number,
		 const char *kernel_name, const char **driver_name);
};

/* What acc_prof_lookup (ACCSCOPE_ACTIVITY_NAME) answers, cast to acc_query_fn. */
typedef const struct accscope_activity *(*accscope_activity_function) (void);

#ifdef __cplusplus
}
#endif

#endif
