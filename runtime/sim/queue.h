/* The queues of one sim device: threads that run copies, fills and
   host-compiled kernels in order.  Called from Go; every function may be called
   from any thread.  */
#ifndef ACCSCOPE_SIM_QUEUE_H
#define ACCSCOPE_SIM_QUEUE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../device/operation.h"
#include "../device/pause.h"
#include "../simt/check.h"

/* What else than an enum accscope_operation_kind is put onto a queue.  */
enum accscope_sim_kind
{
  ACCSCOPE_SIM_MARK = ACCSCOPE_AWAIT + 1,
  ACCSCOPE_SIM_WAIT,
  ACCSCOPE_SIM_THEN
};

/* Why a queue failed: the kind in the top byte, the operation's number among
   its kind below.  */
#define ACCSCOPE_SIM_LOST 200u
#define ACCSCOPE_SIM_NO_MEMORY 201u
#define ACCSCOPE_SIM_NO_THREAD 202u
#define ACCSCOPE_SIM_CLOSED 203u
#define ACCSCOPE_SIM_FAULT 204u	/* of a kernel's device code: below, which of the device's faults */
#define ACCSCOPE_SIM_ERROR(kind, number) ((uint64_t) (kind) << 56 | (number))

/* One finished operation.  */
struct accscope_sim_record
{
  uint64_t correlation, kind, bytes;
  int64_t start, end;		/* device clock, nanoseconds */
};

/* Runs a kernel, function (block), on the calling thread.  */
typedef void accscope_sim_call (void (*function) (void *), void *block);

struct accscope_sim_configuration
{
  unsigned number;		/* of the device, for thread names */
  unsigned queues;
  unsigned model;		/* 1: operations take the time given here */
  unsigned card;		/* 1: kernels take the time that accscope_sim_model_end gives */
  int64_t latency[ACCSCOPE_SIM_THEN + 1];	/* nanoseconds, by kind */
  double bandwidth[ACCSCOPE_SIM_THEN + 1];	/* bytes a second, by kind */
  /* Faults to inject, 0 for none.  */
  uint64_t failing[ACCSCOPE_SIM_THEN + 1];	/* the nth of its kind fails */
  uint64_t lost_after;		/* so many operations succeed, then none */
  unsigned faults;		/* any of these is set */
  accscope_sim_call *call;	/* NULL: as it is */
  void (*run) (struct accscope_simt_launch *);	/* a kernel's device code; NULL: host code */
  const struct accscope_simt_checks *checks;
  struct accscope_simt_checker *checker;	/* of the device's memory; NULL: it is not checked */
  struct accscope_simt_memory *memory;
};

/* A kernel's geometry.  */
struct accscope_sim_geometry
{
  uint32_t gangs, workers, vector;
};

struct accscope_sim_device;

/* A hardware queue.  Sequence numbers count its operations from 1.  */
struct accscope_sim_hardware
{
  struct accscope_sim_device *device;
  pthread_mutex_t lock;
  pthread_cond_t work, progress;
  pthread_t thread;
  unsigned number;
  unsigned has_thread, running, closing, thread_waits, waiters;
  struct accscope_sim_operation *head, *tail;
  uint64_t submitted;		/* atomic: of the last operation put on */
  uint64_t completed;		/* atomic: all up to this have finished */
  int64_t model_end;		/* device clock: when the last one finished */
};

/* An activity queue: a share of a hardware queue.  */
struct accscope_sim_stream
{
  struct accscope_sim_hardware *hardware;
  uint64_t last;		/* atomic: sequence number of its last operation */
  uint64_t error;		/* atomic: first failure not reported yet */
  uint64_t latest;		/* atomic: the last one, reported or not */
  uint64_t taken;		/* atomic: how many were reported */
  uint64_t dropped;		/* atomic: what was submitted up to here, before that, does not run */
  unsigned closed;		/* nothing is submitted any more */
  uint32_t checked;		/* its number among the checker's queues */
};

/* A point in a hardware queue.  */
struct accscope_sim_mark
{
  struct accscope_sim_hardware *hardware;
  uint64_t sequence;
  int64_t end;			/* model only, device clock */
  unsigned references;		/* atomic */
  const struct accscope_sim_stream *stream;
  uint64_t taken;		/* of the stream, when it was marked */
  struct accscope_simt_stamp *stamp;	/* NULL where memory is not checked */
};

struct accscope_sim_device
{
  struct accscope_sim_configuration configuration;
  int64_t epoch;		/* CLOCK_MONOTONIC at device clock 0 */
  struct accscope_sim_hardware *hardware;
  pthread_mutex_t links;
  int64_t link_free[ACCSCOPE_SIM_THEN + 1];
  pthread_mutex_t modelling;	/* held while a kernel is run whose time a card's model gives */
  int64_t busy_until;		/* device clock: what kernels take of the card, one after the other */
  uint64_t count[ACCSCOPE_SIM_THEN + 1];	/* atomic, only with faults */
  uint64_t operations;		/* atomic, only with faults */
  unsigned lost;		/* atomic */
  pthread_mutex_t faulting;
  struct accscope_simt_fault *faults;	/* of kernels' device code */
  size_t fault_count;

  unsigned observing;		/* atomic */
  unsigned asleep;		/* atomic: whoever appends wakes the reader */
  pthread_mutex_t recording;
  struct accscope_sim_record *records;
  size_t record_first, record_count, record_capacity;	/* [first, count) wait */
  uint64_t appended;		/* atomic: records in all */
};

/* NULL if there is no memory.  */
struct accscope_sim_device *
accscope_sim_open (const struct accscope_sim_configuration *configuration);

/* Waits for all queues and ends their threads; operations are refused from then
   on.  */
void accscope_sim_close (struct accscope_sim_device *device);

/* Frees a closed device.  */
void accscope_sim_free (struct accscope_sim_device *device);

/* clock.c: the device's clock and CLOCK_MONOTONIC, in nanoseconds.  */
int64_t accscope_sim_clock (struct accscope_sim_device *device, int64_t *host);
int64_t accscope_sim_now (const struct accscope_sim_device *device);
int64_t accscope_sim_monotonic (void);
void accscope_sim_sleep_until (const struct accscope_sim_device *device, int64_t when);

/* An activity queue on hardware queue number; NULL if there is no memory.  */
struct accscope_sim_stream *
accscope_sim_stream_open (struct accscope_sim_device *device, unsigned number);
/* Waits for the queue; what is submitted from then on is refused.  Its memory is to be freed
   when no thread has a step of it any more.  */
void accscope_sim_stream_close (struct accscope_sim_stream *stream);

/* What a submitting function returns: an error, if any, of the queue (it is
   reported once, but for a lost device), and whether the caller must wake the
   reader of records.  */
struct accscope_sim_answer
{
  uint64_t error;
  unsigned wake;
};

/* device.Operands: an operation that Go has prepared.  */
struct accscope_sim_step
{
  struct accscope_operation o;	/* a kernel's code is its function, or the struct accscope_simt_launch of its device code */
  struct accscope_sim_stream *stream;
  struct accscope_sim_answer answer;
  bool fail;			/* fails instead */
};

/* Puts it onto its queue, and returns 0, or the answer has the error;
   ACCSCOPE_SIM_CLOSED if the queue was closed meanwhile, where it does not only wait for
   it (stream may be null then).  What a store copies may change
   then; it is part of launches to come: neither recorded, nor modelled, nor an
   operation that a fault is injected into.  */
int accscope_sim_run_step (void *step);

/* Puts a call of accscope_sim_run_then (handle) onto the queue.  */
struct accscope_sim_answer
accscope_sim_then (struct accscope_sim_stream *stream, uintptr_t handle);

/* Marks the end of the queue; NULL if there is no memory.  */
struct accscope_sim_mark *accscope_sim_record (struct accscope_sim_stream *stream);
int accscope_sim_mark_done (const struct accscope_sim_mark *mark);
void accscope_sim_mark_release (struct accscope_sim_mark *mark);
/* The host has heard that the mark is reached, or that the stream is idle.  */
void accscope_sim_heard_of (const struct accscope_sim_mark *mark);
void accscope_sim_heard_all (const struct accscope_sim_stream *stream);

struct accscope_sim_answer
accscope_sim_wait (struct accscope_sim_stream *stream,
		   struct accscope_sim_mark *mark);

/* Whether the calling thread is inside a kernel of device.  */
int accscope_sim_inside (const struct accscope_sim_device *device);

/* Runs a kernel of device on the calling thread.  */
void accscope_sim_run (const struct accscope_sim_device *device,
		       uintptr_t function, void *block);

/* A kernel that faulted.  */
struct accscope_sim_crash
{
  unsigned device;
  int thread, signal;
  uintptr_t function, address;
};

/* Called by the handler of a signal: reports it if the calling thread is inside a
   kernel, and returns when that is done.  thread is acc_callback_info.thread_id.  */
void accscope_sim_crashed (int thread, int signal, uintptr_t address);
/* Waits for one, when the one before has been reported: lets its thread go on.  For
   one thread.  */
void accscope_sim_next_crash (struct accscope_sim_crash *);

/* Waits for all operations of the queue, then gives its error.  */
uint64_t accscope_sim_synchronize (struct accscope_sim_stream *stream);
/* Gives the queue's error, without waiting: for whoever reports it, and where it stays for
   who does next.  */
uint64_t accscope_sim_take_error (struct accscope_sim_stream *stream);
uint64_t accscope_sim_error (const struct accscope_sim_stream *stream);

/* Adds a record; whether the reader must be woken.  */
unsigned accscope_sim_append (struct accscope_sim_device *device,
			      const struct accscope_sim_record *record);

/* Moves up to room records, oldest first, to where; their number.  */
size_t accscope_sim_drain (struct accscope_sim_device *device,
			   struct accscope_sim_record *where, size_t room);

/* operation.c */
struct accscope_sim_operation
{
  struct accscope_sim_operation *next;
  struct accscope_sim_stream *stream;
  struct accscope_sim_mark *mark;
  struct accscope_simt_stamp *stamp;	/* NULL where memory is not checked */
  int kind, fail;
  unsigned parts;		/* as a step's */
  struct accscope_sim_geometry geometry;
  uint64_t correlation, sequence, bytes;
  uintptr_t destination, source;	/* source: function, value or handle too */
  int64_t submitted;			/* device clock, model only */
  unsigned char contents[];		/* what a store's source was, or the parts */
};

/* A copy with its contents, to be freed; NULL if there is no memory.  */
struct accscope_sim_operation *
accscope_sim_copy (const struct accscope_sim_operation *operation);

/* Does what it says, a kernel, a copy or a fill.  */
void accscope_sim_perform (const struct accscope_sim_operation *operation);

/* Runs an operation at the modelled time and gives its modelled start and end.
   The start depends on when the operation was submitted and on what it has to
   wait for, not on when a thread got round to it.  */
void accscope_sim_perform_modelled (struct accscope_sim_hardware *queue, const struct accscope_sim_operation *operation, int64_t *start, int64_t *end);

/* Tells of the host's memory that a transfer is to use, which is put onto its queue.  */
void accscope_sim_moves (const struct accscope_sim_operation *operation);

/* Makes the queue fail, unless it has.  */
void accscope_sim_fail (struct accscope_sim_stream *stream, uint64_t error);

/* The Go side's.  */
extern void accscope_sim_run_then (uintptr_t handle);
extern void accscope_sim_wake (struct accscope_sim_device *device);
/* Around a kernel by its launch's pattern: how many nanoseconds it takes, and which part of the card
   meanwhile.  */
extern void accscope_sim_model_begin (struct accscope_sim_device *device, uintptr_t launch, struct accscope_sim_geometry geometry);
extern int64_t accscope_sim_model_end (struct accscope_sim_device *device, uintptr_t launch, struct accscope_sim_geometry geometry, double *share);

#endif
