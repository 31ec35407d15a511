/* A stand-in for the CUDA driver's library, for tests without a GPU.  Device
   memory is memory that the host never hands out otherwise, streams are threads,
   and kernels are functions of the process.

   The text that cuLinkAddData takes for PTX says which:

     function NAME ADDRESS THREADS	a kernel, at most so many threads per block
     variable NAME BYTES		a global of the device
     invalid TEXT			the compiler fails and says TEXT
     .entry NAME (PARAMETERS		an earlier function; with a parameter
				%accscope_stamp it takes its times (../stamps.c),
				and "accscope_clock" tells the device's time

   Environment, read by cuInit:

     ACCSCOPE_STANDIN_DEVICES	number of devices (1)
     ACCSCOPE_STANDIN_MEMORY	bytes of each (1 GiB)
     ACCSCOPE_STANDIN_TAKEN	bytes of them that other processes use (0)
     ACCSCOPE_STANDIN_VERSION	version of the driver (12040)
     ACCSCOPE_STANDIN_NO_PEERS	devices do not reach each other's memory
     ACCSCOPE_STANDIN_CAPABILITY	compute capability times ten (90)
     ACCSCOPE_STANDIN_FAIL	FUNCTION:NTH:RESULT,...: the NTH call fails so;
				"kernel" counts kernels as they run, "late" the
				events behind the device's clock, which are RESULT
				milliseconds late  */
#ifndef ACCSCOPE_STANDIN_H
#define ACCSCOPE_STANDIN_H

#include <pthread.h>
#include <stdint.h>

#include "../driver.h"

#define EXPORT __attribute__ ((visibility ("default")))

/* Everything is guarded by one lock; progress is announced whenever something
   on a stream has finished.  */
extern pthread_mutex_t standin_lock;
extern pthread_cond_t standin_progress;

/* The error after which everything fails, 0 before it.  */
extern CUresult standin_lost;

/* Whether this call of function shall fail, and how; 0 for not.  */
CUresult standin_fault (const char *function);

#define FAULT(function)					\
  do							\
    {							\
      CUresult fault = standin_fault (function);	\
      if (fault != CUDA_SUCCESS)			\
	return fault;					\
    }							\
  while (0)

/* What the stand-in for CUPTI wants to know (cupti/cupti.c): of each operation of
   a kind, when it is enqueued and when it has run.  */
enum standin_kind
{
  STANDIN_OTHER, STANDIN_KERNEL, STANDIN_UPLOAD, STANDIN_DOWNLOAD, STANDIN_COPY,
  STANDIN_FILL
};

struct standin_ran
{
  enum standin_kind kind;
  uint32_t correlation, device, stream;
  uint64_t bytes;
  const char *name;		/* of a kernel */
};

struct standin_observer
{
  uint32_t (*enqueued) (enum standin_kind kind);	/* gives its number */
  uint64_t (*now) (void);
  void (*ran) (const struct standin_ran *operation, uint64_t start, uint64_t end);
};

/* The driver's: begins to tell, null ends it.  */
EXPORT void standin_observe (const struct standin_observer *observer);

struct standin_operation
{
  struct standin_operation *next;
  enum standin_kind kind;
  const char *name;
  uint32_t correlation;		/* 0: nobody observes */
  void (*run) (struct standin_operation *operation);
  void *to;
  const void *from;
  size_t bytes;
  CUhostFn function;
  struct standin_recording *recording;
  int value;			/* to fill with */
  uint64_t place;		/* among the operations of all streams */
  uint64_t earliest;		/* device time when it could have begun */
};

struct CUstream_st
{
  struct CUstream_st *other;	/* streams are a list */
  pthread_t thread;
  struct standin_operation *first, **last;
  uint64_t submitted, finished;
  uint64_t ended;		/* device time of the last operation's end */
  uint32_t number, device;
  int closing;
};

/* One recording of an event: what waits for it does so whatever the event records
   later.  Guarded by standin_lock.  */
struct standin_recording
{
  unsigned references;		/* of the event, if it is its last, and operations */
  int done;
  int64_t time;
};

struct CUevent_st
{
  struct standin_recording *last;	/* NULL before the first */
  int timed;
};

/* The device's clock, in nanoseconds (stream.c).  */
uint64_t standin_time (void);
/* On a stream's thread: the kernel that tells it has run.  */
void standin_clock_ran (void);

/* Device memory (memory.c): whether [address, address+bytes) is one piece of it,
   and a new piece.  */
int standin_owns (CUdeviceptr address, size_t bytes);
CUdeviceptr standin_allocate (size_t bytes);
int standin_release (CUdeviceptr address);
void standin_memory (size_t bytes, size_t taken);	/* of which others have so many */

/* The device whose context is the calling thread's, 0 if it has none.  */
uint32_t standin_device (void);

CUresult standin_enqueue (CUstream stream, struct standin_operation operation);

/* Waits for all that is on any stream now; standin_lock is held.  */
void standin_drain (void);

#endif
