/* Operations of queues that Go prepares and C runs (operation.go).  */
#ifndef ACCSCOPE_OPERATION_H
#define ACCSCOPE_OPERATION_H

#include <sched.h>
#include <stdint.h>
#include <string.h>

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
