/* Operations of queues that Go prepares and C runs (operation.go).  */
#ifndef ACCSCOPE_OPERATION_H
#define ACCSCOPE_OPERATION_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "../include/accscope_activity.h"

/* What an operation does: the values of device.ActivityKind.  */
enum accscope_operation_kind
{
  ACCSCOPE_KERNEL = accscope_activity_kernel,
  ACCSCOPE_UPLOAD = accscope_activity_upload,
  ACCSCOPE_DOWNLOAD = accscope_activity_download,
  ACCSCOPE_COPY = accscope_activity_copy,
  ACCSCOPE_FILL = accscope_activity_fill,
  ACCSCOPE_STORE,		/* no activity */
  ACCSCOPE_AWAIT		/* the thread that runs it waits for its queue */
};

/* The part of device.Operands that all backends have.  */
struct accscope_operation
{
  int (*run) (void *operands);	/* 0, or it has failed */
  uint64_t correlation;
  uintptr_t destination;	/* a kernel's argument block */
  uintptr_t source;		/* a kernel's code or a fill's value */
  uint64_t bytes;		/* of a kernel's argument block */
  uint32_t gangs, workers, vector;
  uint32_t parts;		/* the host's memory is so many struct accscope_part; 0: one piece */
  uint8_t kind;			/* enum accscope_operation_kind */
  bool now;			/* if the queue is idle, it may be done on return */
};

/* device.Part: of what is transferred, the bytes from offset on go to host, or come from
   there.  */
struct accscope_part
{
  uintptr_t host;
  uint64_t offset, bytes;
};

/* Copies parts of what is in memory to their places on the host.  */
static inline void
accscope_scatter (const struct accscope_part *part, uint64_t parts, const char *memory)
{
  uint64_t i;

  for (i = 0; i < parts; i++)
    memmove ((void *) part[i].host, memory + part[i].offset, part[i].bytes);
}

/* Copies parts from their places on the host to memory.  */
static inline void
accscope_gather (const struct accscope_part *part, uint64_t parts, char *memory)
{
  uint64_t i;

  for (i = 0; i < parts; i++)
    memmove (memory + part[i].offset, (const void *) part[i].host, part[i].bytes);
}

/* device.Gate */
#define ACCSCOPE_GATE_HELD 0x40000000u
#define ACCSCOPE_GATE_CLOSED 0x80000000u

/* Keeps what is behind the gate until accscope_gate_leave; 0 if it is closed.  */
static inline int
accscope_gate_enter (uint32_t *gate)
{
  uint32_t now = __atomic_load_n (gate, __ATOMIC_RELAXED);

  while (!(now & ACCSCOPE_GATE_CLOSED))
    if (now & ACCSCOPE_GATE_HELD)
      {
	sched_yield ();
	now = __atomic_load_n (gate, __ATOMIC_RELAXED);
      }
    else if (__atomic_compare_exchange_n (gate, &now, now + 1, 1, __ATOMIC_ACQUIRE,
					  __ATOMIC_RELAXED))
      return 1;
  return 0;
}

static inline void
accscope_gate_leave (uint32_t *gate)
{
  __atomic_fetch_sub (gate, 1, __ATOMIC_RELEASE);
}

#endif
