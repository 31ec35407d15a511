/* One CUDA device and its queues.  Called from Go; every function may be called
   from any thread, and makes the device's primary context current for as long as
   it runs.  */
#ifndef ACCSCOPE_CUDA_H
#define ACCSCOPE_CUDA_H

#include <pthread.h>
#include <stdbool.h>
#include <time.h>

#include "driver.h"
#include "../device/operation.h"
#include "../include/accscope_activity.h"
#include "pieces.h"

/* What a function returns: the driver's result, and the driver function that
   gave it.  */
struct accscope_cuda_answer
{
  CUresult result;
  const char *call;
};

/* What is added to a kind (device/operation.h).  */
enum
{
  ACCSCOPE_CUDA_PAGEABLE = 64,	/* a transfer goes in stages, for its memory is pageable */
  ACCSCOPE_CUDA_PEER = 32
};

/* One finished operation.  */
struct accscope_cuda_record
{
  uint64_t correlation, kind, bytes;
  int64_t start, end;		/* device clock, nanoseconds */
  uint64_t pageable;		/* a transfer's host memory was */
};

/* An event whose time on the device's clock is known.  Times are taken from a
   recent one, because the driver gives differences as single-precision
   milliseconds.  */
struct accscope_cuda_reference
{
  CUevent event;
  uint64_t gpu;			/* its time by the GPU's own, 0 if that is not known */
  int64_t host;			/* its time on CLOCK_MONOTONIC */
  unsigned users;		/* operations, and the device if it is the last */
};

/* A moment.  How long it is from one to another, the GPU's own time tells: the device's
   clock goes by another reading of the host's from time to time.  */
struct accscope_cuda_moment
{
  int64_t time;			/* on the device's clock */
  uint64_t gpu;			/* by the GPU's own time, 0 if that is not known */
};

/* An event between two operations: the end of one, and the start of the next if
   that follows at once.  Guarded by the lock of its queue.  */
struct accscope_cuda_mark
{
  CUevent event;
  struct accscope_cuda_reference *reference;
  unsigned users;
  int known;
  struct accscope_cuda_moment moment;	/* if known */
};

/* An operation being measured.  It begins at start, or when a kernel before it has
   ended that takes its own times.  */
struct accscope_cuda_operation
{
  struct accscope_cuda_record record;
  struct accscope_cuda_mark *start, *end;
  uint64_t behind;		/* that kernel's number on the queue, 0 if none or read */
  struct accscope_cuda_moment kernel_end;	/* if there is no start */
  struct accscope_cuda_operation *next;
};

/* A transfer in pieces, of which some were recorded by CUPTI.  */
struct accscope_cuda_pieces
{
  struct accscope_cuda_pieces *next;
  struct accscope_cuda_record record;
  uint64_t missing;		/* bytes not recorded yet */
};

/* One moment on the GPU's clock and on CLOCK_MONOTONIC, in nanoseconds.  */
struct accscope_cuda_reading
{
  uint64_t gpu;
  int64_t host;
};

/* The GPU's time before and after a copy.  */
struct accscope_cuda_copied
{
  uint64_t number, before, after;
};
#define ACCSCOPE_CUDA_COPIED 32

/* How the GPU's time and CUPTI's are related to the host's.  */
struct accscope_cuda_relation
{
  struct accscope_cuda_reading last;
  double gpu_rate;		/* by which the host's clock is faster, less 1 */
  int64_t cupti;		/* the GPU's time less that of CUPTI's records */
};

/* How what is measured is related to the device's clock (clocks.c).  The relation
   and what follows it are guarded by the device's lock, the others by its
   clock_lock.  */
struct accscope_cuda_clocks
{
  CUmodule module;		/* of the kernel that reads the GPU's time */
  CUfunction kernel;
  uint64_t *word;		/* three, which it writes; pinned; NULL without it */
  CUdeviceptr memory;		/* a word, to be copied */
  struct accscope_cuda_relation relation;
  struct accscope_cuda_reading first;	/* gpu 0: none */
  unsigned late;		/* readings that came late, one after the other */
  unsigned late_events;		/* and references, by those before; by clock_lock */
  struct accscope_cuda_copied copied[ACCSCOPE_CUDA_COPIED];	/* by number */
  uint64_t copies;		/* for CUPTI to record, so far */
  uint64_t round;		/* of these, before the last few */
  int64_t least, most;		/* what these say of cupti, if one did */
  int bounded;			/* least and most say something */
  int cupti_known;		/* atomic */
};

/* Pages for the times of kernels that take their own (stamps.c), guarded by the
   device's lock.  */
struct accscope_cuda_stamps
{
  unsigned ready;		/* atomic */
  struct accscope_cuda_page *spare;
  unsigned spares;
  struct accscope_cuda_chunk *chunk;	/* by clock_lock */
  unsigned chunks;
};

/* A stack of events for reuse.  */
struct accscope_cuda_events
{
  CUevent *event;
  size_t count, capacity;
};

/* A piece of pinned memory between pageable memory and the device.  */
#define ACCSCOPE_CUDA_STAGE_BYTES ((size_t) 4 << 20)
struct accscope_cuda_stage
{
  char *memory;
  CUevent filled, emptied;
  int used;			/* emptied was recorded */
};

#define ACCSCOPE_CUDA_STAGES 4
struct accscope_cuda_lane
{
  pthread_mutex_t lock;
  CUstream stream;		/* host functions of asynchronous staging; NULL before the first */
  unsigned next;
  struct accscope_cuda_stage stage[ACCSCOPE_CUDA_STAGES];
};

/* Lanes for asynchronous transfers, and one for those that are waited for.  */
#define ACCSCOPE_CUDA_LANES 4

struct accscope_cuda_device
{
  const struct accscope_cuda_driver *cuda;
  CUdevice device;
  CUcontext context;
  unsigned observing;		/* atomic */
  uint64_t pending;		/* atomic: operations measured and not drained */
  unsigned next_lane;		/* atomic */
  struct accscope_cuda_answer given_back;	/* by accscope_cuda_given_back */

  pthread_mutex_t lock;		/* guards what follows */
  struct accscope_cuda_events plain, timed;
  struct accscope_cuda_reference *reference;

  int64_t origin;		/* CLOCK_MONOTONIC at the opening */

  /* tracer.c: operations are measured by CUPTI.  */
  unsigned tracing;		/* atomic */
  /* activity.c: nanoseconds that the program would have gained by CUPTI so far; from
     break_even on it pays.  */
  int64_t gain;			/* atomic */
  int64_t break_even;		/* atomic; 0: it pays already, or never will */
  unsigned pays;		/* atomic */
  struct accscope_cuda_operation traced;	/* stands for every one */
  pthread_mutex_t trace_lock;	/* guards what follows */
  struct accscope_cuda_record *record;
  size_t records, record_room;
  struct accscope_cuda_pieces *pieces;

  struct accscope_cuda_clocks clocks;
  struct accscope_cuda_stamps stamps;

  pthread_mutex_t clock_lock;
  CUstream clock;
  struct accscope_cuda_lane lane[ACCSCOPE_CUDA_LANES + 1];
};

#define ACCSCOPE_CUDA_BOUNCE_BYTES ((size_t) 256 << 10)
#define ACCSCOPE_CUDA_COPIES 64
struct accscope_cuda_queue
{
  struct accscope_cuda_device *device;
  CUstream stream;
  struct accscope_cuda_lane *lane;
  int adopted;			/* the program's stream, which it destroys */
  unsigned staging;		/* atomic: a transfer holds lock, for long perhaps */

  pthread_mutex_t completion;	/* held by whoever waits for the queue */
  pthread_mutex_t lock;		/* guards what follows */
  uint64_t submitted;		/* operations so far */
  uint64_t finished;		/* of these, known to be done */
  uint64_t writes;		/* number of the last operation that writes host memory */
  char *bounce;			/* pinned memory for small downloads */
  size_t bounce_used;
  struct accscope_cuda_copy copy[ACCSCOPE_CUDA_COPIES];
  unsigned copies;		/* left to whoever waits for the queue */
  struct accscope_cuda_operation *first, **last;	/* being measured */
  struct accscope_cuda_operation *spare;
  struct accscope_cuda_mark *last_end;	/* of the last one */
  uint64_t last_number;		/* submitted when that was recorded */
  int64_t gain;			/* not yet in the device's */
  CUstream reader;		/* on which these come back; NULL before the first */
  struct accscope_cuda_page *page;	/* that kernels are writing to, or NULL */
  unsigned skipped;		/* times that it was put off to the next */
  uint64_t stamped;		/* kernels so far that take their own times */
  uint64_t looked_at;		/* what that was when it was last looked at */
  uint64_t stamped_at;		/* submitted behind the last of them */
  struct accscope_cuda_operation *behind;	/* the first whose kernel was not read */
  uint64_t behind_number;	/* atomic: that kernel's number, 0 if there is none */
  struct accscope_cuda_page *turned, **last_turned;	/* on their way back */

  /* Whoever reads records is one at a time.  */
  struct accscope_cuda_page *reading;
  int64_t last_stamp;		/* the end of the kernel read last */
};

/* device.Operands: an operation that Go has prepared.  */
struct accscope_cuda_step
{
  struct accscope_operation o;	/* a kernel's code is its CUfunction */
  uint32_t *gate;		/* device.Gate of the queue */
  struct accscope_cuda_queue *queue;
  struct accscope_cuda_answer answer;
  CUcontext peer;		/* of the other device that a copy goes to, else NULL */
  bool stamps;			/* the kernel can take its times */
};

/* step.c: puts it onto its queue, and returns 0, or the answer says why not;
   ACCSCOPE_CUDA_CLOSED if the queue was closed meanwhile, where it does not only wait for
   it.  */
int accscope_cuda_run (void *step);
#define ACCSCOPE_CUDA_CLOSED (-1)

/* context.c */
ACCSCOPE_USED struct accscope_cuda_answer
accscope_cuda_open (const struct accscope_cuda_driver *cuda, int number,
		    struct accscope_cuda_device **opened);
/* Gives the first failure of what gave back what the device had.  */
ACCSCOPE_USED struct accscope_cuda_answer
accscope_cuda_close (struct accscope_cuda_device *device);
ACCSCOPE_USED struct accscope_cuda_answer
accscope_cuda_queue_open (struct accscope_cuda_device *device, CUstream adopted,
			  struct accscope_cuda_queue **opened);
ACCSCOPE_USED struct accscope_cuda_answer
accscope_cuda_queue_close (struct accscope_cuda_queue *queue);
/* Gives each thread a stack of so many bytes, 0: leaves it as it is, and tells what they
   have.  */
ACCSCOPE_USED struct accscope_cuda_answer
accscope_cuda_stack (struct accscope_cuda_device *device, size_t wanted,
		     size_t *bytes);
ACCSCOPE_USED struct accscope_cuda_answer
accscope_cuda_memory_info (struct accscope_cuda_device *device, size_t *free,
			   size_t *total);
ACCSCOPE_USED struct accscope_cuda_answer
accscope_cuda_alloc (struct accscope_cuda_device *device, size_t bytes,
		     CUdeviceptr *address);
ACCSCOPE_USED struct accscope_cuda_answer
accscope_cuda_free (struct accscope_cuda_device *device, CUdeviceptr address);
/* Lets a device use another one's memory, now and later.  That it cannot is no error.  */
ACCSCOPE_USED struct accscope_cuda_answer
accscope_cuda_reach (struct accscope_cuda_device *device, struct accscope_cuda_device *other);

/* order.c: marks, waiting.  */
ACCSCOPE_USED struct accscope_cuda_answer
accscope_cuda_record (struct accscope_cuda_queue *queue, CUevent *event,
		      int *writes);
/* Gives an event back, for reuse.  */
void accscope_cuda_event_release (struct accscope_cuda_device *device,
				  CUevent event);
ACCSCOPE_USED struct accscope_cuda_answer
accscope_cuda_event_query (struct accscope_cuda_device *device, CUevent event);
/* writes: what the event marks may write host memory.  */
ACCSCOPE_USED struct accscope_cuda_answer
accscope_cuda_wait (struct accscope_cuda_queue *queue, CUevent event,
		    int writes);
/* The result is CUDA_ERROR_NOT_READY while operations are left.  */
ACCSCOPE_USED struct accscope_cuda_answer
accscope_cuda_idle (struct accscope_cuda_queue *queue);
ACCSCOPE_USED struct accscope_cuda_answer
accscope_cuda_synchronize (struct accscope_cuda_queue *queue);
/* Puts onto a stream what copies a piece of a transfer between memory and the places of
   its parts.  */
ACCSCOPE_USED struct accscope_cuda_answer
accscope_cuda_bring_later (struct accscope_cuda_device *device, CUstream stream,
			   const struct accscope_part *part, unsigned parts,
			   struct accscope_cuda_piece piece);
/* Calls accscope_cuda_run_then (handle) in queue order.  */
ACCSCOPE_USED struct accscope_cuda_answer
accscope_cuda_then (struct accscope_cuda_queue *queue, uintptr_t handle);

/* transfer.c */
/* Copies contents, which may change then, to device memory: part of a launch, and not
   measured.  */
ACCSCOPE_USED struct accscope_cuda_answer
accscope_cuda_store (struct accscope_cuda_queue *queue, CUdeviceptr to,
		     const void *contents, size_t bytes);
ACCSCOPE_USED struct accscope_cuda_answer
accscope_cuda_upload (struct accscope_cuda_queue *queue, uint64_t correlation,
		      CUdeviceptr to, const struct accscope_part *part,
		      unsigned parts, size_t bytes, int now);
ACCSCOPE_USED struct accscope_cuda_answer
accscope_cuda_download (struct accscope_cuda_queue *queue, uint64_t correlation,
			const struct accscope_part *part, unsigned parts,
			CUdeviceptr from, size_t bytes, int now);
ACCSCOPE_USED struct accscope_cuda_answer
accscope_cuda_copy (struct accscope_cuda_queue *queue, uint64_t correlation,
		    CUdeviceptr to, CUcontext peer, CUdeviceptr from, size_t bytes);
ACCSCOPE_USED struct accscope_cuda_answer
accscope_cuda_fill (struct accscope_cuda_queue *queue, uint64_t correlation,
		    CUdeviceptr to, unsigned char value, size_t bytes);

/* activity.c: a kernel was launched that CUPTI would have made longer.  */
void accscope_cuda_spared (struct accscope_cuda_queue *queue);

/* launch.c */
ACCSCOPE_USED struct accscope_cuda_answer
accscope_cuda_launch (const struct accscope_cuda_step *step);

/* image.c */
struct accscope_cuda_object
{
  const char *code;
  size_t size;			/* with the terminating zero */
};
ACCSCOPE_USED struct accscope_cuda_answer
accscope_cuda_link (struct accscope_cuda_device *device, const void *objects,
		    unsigned count, int optimisation, CUmodule *module,
		    void **code, size_t *bytes, char *log, size_t room);

/* Has the driver compile one text whole: what it is to link later it compiles such that
   functions call each other as strangers, with registers kept for that.  */
ACCSCOPE_USED struct accscope_cuda_answer
accscope_cuda_load_text (struct accscope_cuda_device *device, const char *text,
			 CUmodule *module, char *log, size_t room);

/* Loads what linking gave, or a text; *code above is a copy of it, to be freed, or null.  */
ACCSCOPE_USED struct accscope_cuda_answer
accscope_cuda_load_code (struct accscope_cuda_device *device, const void *code,
			 CUmodule *module);
ACCSCOPE_USED struct accscope_cuda_answer
accscope_cuda_function (struct accscope_cuda_device *device, CUmodule module,
			const char *name, CUfunction *function, int *threads);
ACCSCOPE_USED struct accscope_cuda_answer
accscope_cuda_variable (struct accscope_cuda_device *device, CUmodule module,
			const char *name, CUdeviceptr *address, size_t *bytes);
/* Sets a variable of the image; that there is none is no error.  */
ACCSCOPE_USED struct accscope_cuda_answer
accscope_cuda_set (struct accscope_cuda_device *device, CUmodule module,
		   const char *name, const void *value, size_t bytes);
ACCSCOPE_USED struct accscope_cuda_answer
accscope_cuda_unload (struct accscope_cuda_device *device, CUmodule module);
ACCSCOPE_USED struct accscope_cuda_answer
accscope_cuda_occupancy (struct accscope_cuda_device *device,
			 CUfunction function, int limit, int *grid, int *block);

/* activity.c */
/* Begins measuring the next operation, NULL if nobody observes; queue->lock is
   held.  A NULL operation is ignored by the other two.  */
struct accscope_cuda_operation *
accscope_cuda_measure (struct accscope_cuda_queue *queue, uint64_t correlation,
		       int kind, uint64_t bytes);
/* Records the start again, later than accscope_cuda_measure did.  */
void accscope_cuda_measure_start (struct accscope_cuda_queue *queue,
				  struct accscope_cuda_operation *operation);
void accscope_cuda_measured (struct accscope_cuda_queue *queue,
			     struct accscope_cuda_operation *operation);
void accscope_cuda_mark_release (struct accscope_cuda_device *device,
				 struct accscope_cuda_mark *mark);
/* The queue's kernel of this number ended then, gpu 0 if nobody knows: operations behind
   it begin.  queue->lock is held.  */
#define ACCSCOPE_CUDA_UNKNOWN ((struct accscope_cuda_moment) { 0, 0 })
void accscope_cuda_ended (struct accscope_cuda_queue *queue, uint64_t kernel,
			  struct accscope_cuda_moment moment);
/* Moves up to room records of finished operations: of those that events measured
   the oldest first, then of the kernels that took their times.  */
size_t accscope_cuda_drain (struct accscope_cuda_queue *queue,
			    struct accscope_cuda_record *where, size_t room);

/* clocks.c */
ACCSCOPE_USED struct accscope_cuda_answer
accscope_cuda_clocks_open (struct accscope_cuda_device *device);
void accscope_cuda_clocks_close (struct accscope_cuda_device *device);
/* The code of the kernel that reads the GPU's clock, and the module made of it; 0: there
   is one already.  */
extern const struct accscope_cuda_object accscope_cuda_clock_code;
int accscope_cuda_clocks_take (struct accscope_cuda_device *device, CUmodule module);
/* Makes ready to read the GPU's own time; returns whether that can be.  */
int accscope_cuda_clocks_read_gpu (struct accscope_cuda_device *device);
/* Relates the clocks again if it is time, and returns whether it was.  */
int accscope_cuda_clocks_keep (struct accscope_cuda_device *device);
/* Copies a word a few times between two readings of the GPU's time, begin and end
   being called around the driver's call, and begin with a number.  */
void accscope_cuda_clocks_copy (struct accscope_cuda_device *device,
				void (*begin) (uint64_t number), void (*end) (void));
/* When CUPTI recorded that copy.  */
void accscope_cuda_clocks_copied (struct accscope_cuda_device *device, uint64_t number,
				  uint64_t start, uint64_t end);
/* The GPU's time on the device's clock.  */
int64_t accscope_cuda_gpu_time (const struct accscope_cuda_relation *relation,
				int64_t origin, uint64_t gpu);
struct accscope_cuda_relation
accscope_cuda_relation (struct accscope_cuda_device *device);
/* An event's; the reference is one of the time when it was recorded.  It goes by the
   GPU's time where that is known, and so by the same reading of the host's clock as the
   times of kernels, however late the host was to take it.  */
struct accscope_cuda_moment
accscope_cuda_event_moment (struct accscope_cuda_device *device,
			    const struct accscope_cuda_reference *reference, CUevent event);
/* device->lock is held.  Returns the event if nobody uses it any more, for the caller
   to release without the lock.  */
CUevent accscope_cuda_reference_drop (struct accscope_cuda_reference *reference);

/* stamps.c: kernels that take their own times.  */
/* Makes ready for that; returns whether the device can.  */
int accscope_cuda_stamps_open (struct accscope_cuda_device *device);
/* Sees to it that there are pages.  */
void accscope_cuda_stamps_keep (struct accscope_cuda_device *device);
void accscope_cuda_stamps_close (struct accscope_cuda_device *device);
/* Where the next kernel of the queue writes its times, 0 if it cannot; queue->lock
   is held, and accscope_cuda_stamped follows if the kernel was launched.  */
CUdeviceptr accscope_cuda_stamp (struct accscope_cuda_queue *queue);
void accscope_cuda_stamped (struct accscope_cuda_queue *queue,
			    uint64_t correlation);
/* Has the times read back that the kernels of the queue will have written, sooner or
   later: if it stands still and has launched nothing since it was last looked at, if it
   stands still, or now, and then they have come if it does.  */
enum accscope_cuda_turning
{
  ACCSCOPE_CUDA_IF_UNUSED, ACCSCOPE_CUDA_IF_IDLE, ACCSCOPE_CUDA_NOW
};
void accscope_cuda_turn (struct accscope_cuda_queue *queue, enum accscope_cuda_turning when);
/* Moves up to room records; only one thread at a time.  */
size_t accscope_cuda_read_stamps (struct accscope_cuda_queue *queue,
				  struct accscope_cuda_record *where,
				  size_t room);
void accscope_cuda_drop_pages (struct accscope_cuda_queue *queue);

/* tracer.c: the same by CUPTI.  */
/* Measures from now on by CUPTI, or no longer; path is that of its library, empty
   for the one that is installed.  kernels: not only transfers; these are added when
   a kernel comes that does not take its own times.  Returns whether it does.  */
int accscope_cuda_trace (struct accscope_cuda_device *device, int on,
			 bool kernels, const char *path);
/* From now on kernels too, if CUPTI can; whether it does.  */
void accscope_cuda_trace_kernels (void);
int accscope_cuda_traces_kernels (void);
/* Relates CUPTI's clock again.  */
void accscope_cuda_trace_relate (struct accscope_cuda_device *device);
/* Begins or ends an operation of the calling thread.  */
void accscope_cuda_trace_begin (struct accscope_cuda_device *device,
				uint64_t correlation, int kind, uint64_t bytes);
void accscope_cuda_trace_end (void);
/* Has CUPTI hand over what has finished.  */
void accscope_cuda_trace_flush (struct accscope_cuda_device *device);
/* Moves up to room records.  */
size_t accscope_cuda_traced (struct accscope_cuda_device *device,
			     struct accscope_cuda_record *where, size_t room);
/* Forgets the device, which is being closed.  */
void accscope_cuda_trace_close (struct accscope_cuda_device *device);

/* Whether CUPTI's library is there.  */
int accscope_cuda_has_cupti (const char *path);

/* copy.c: memcpy by several threads.  */
void accscope_cuda_parallel_copy (void *to, const void *from, size_t bytes);

/* staging.c: pageable says whether that is why the transfer goes in stages.  */
ACCSCOPE_USED struct accscope_cuda_answer
accscope_cuda_stage_upload (struct accscope_cuda_queue *queue,
			    uint64_t correlation, CUdeviceptr to,
			    const struct accscope_part *part, unsigned parts,
			    size_t bytes, int now, int pageable);
ACCSCOPE_USED struct accscope_cuda_answer
accscope_cuda_stage_download (struct accscope_cuda_queue *queue,
			      uint64_t correlation, const struct accscope_part *part,
			      unsigned parts, CUdeviceptr from, size_t bytes, int now,
			      int pageable);
void accscope_cuda_lane_close (struct accscope_cuda_device *device,
			       struct accscope_cuda_lane *lane);

/* A new stream; NULL where there is none.  */
ACCSCOPE_USED struct accscope_cuda_answer
accscope_cuda_stream (struct accscope_cuda_device *device, unsigned flags,
		      CUstream *stream);
/* An event that only marks; NULL with the answer set if there is none.  */
CUevent accscope_cuda_event (struct accscope_cuda_device *device, int timed,
			     struct accscope_cuda_answer *answer);
void accscope_cuda_timed_release (struct accscope_cuda_device *device,
				  CUevent event);
/* Puts the small downloads that nobody waits for yet into queue order;
   queue->lock is held.  */
ACCSCOPE_USED struct accscope_cuda_answer
accscope_cuda_commit (struct accscope_cuda_queue *queue);

#include "calls.h"

static inline int64_t
accscope_cuda_now (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return now.tv_sec * (int64_t) 1000000000 + now.tv_nsec;
}

/* The Go side's.  */
extern void accscope_cuda_run_then (uintptr_t handle);

#endif
