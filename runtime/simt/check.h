/* What is checked of a device's memory while kernels run and data are moved: that all bytes
   which are read have been written, and that no two accesses to a byte, one of them a write,
   are without an order (OpenACC 3.3 §1.3, §2.16).

   Each access is one of an operation of a queue.  What an operation knows to be over is a
   clock for each queue, as in a vector clock; the host's is one for all its threads.  Within
   a kernel, lanes of a warp are ordered by what synchronises them, warps of a gang by its
   barriers, and gangs by nothing.  */
#ifndef ACCSCOPE_SIMT_CHECK_H
#define ACCSCOPE_SIMT_CHECK_H

#include <sys/types.h>

#include "simt.h"

struct accscope_simt_checker;
struct accscope_simt_shadow;

/* Queues whose order is known; what others do counts as ordered.  */
#define CHECKED_QUEUES 64

/* What an operation knows, when it is put onto its queue.  */
struct accscope_simt_stamp
{
  uint32_t queue;
  uint64_t sequence;		/* on its queue, from 1 */
  uint64_t launch;		/* how many launches there were, with this one if it is one */
  uint64_t clock[CHECKED_QUEUES];	/* what is over before it, by queue */
};

/* What is done to memory; the first are accscope_sim_kind's.  */
enum accscope_simt_access
{
  SIMT_KERNEL = 1, SIMT_UPLOAD, SIMT_DOWNLOAD, SIMT_COPY, SIMT_FILL, SIMT_STORE, SIMT_HOST
};

/* An operation that runs.  */
struct accscope_simt_operation
{
  struct accscope_simt_checker *checker;
  const struct accscope_simt_stamp *stamp;
  uint32_t first, count;	/* numbers of the operation, one for each gang */
  uint32_t settled;		/* operations with lower numbers are over before this one */
  enum accscope_simt_access kind;
  uint64_t correlation;
  const struct accscope_simt_function *kernel;
  uint64_t begun;		/* CLOCK_MONOTONIC, nanoseconds */
  int strayed;			/* atomic: it has used what is no memory of the device, or has not come to its end */
};

/* A process in which a kernel's function for the host runs (hostrun.c).  */
struct accscope_simt_hostrun
{
  pid_t process;		/* 0: none */
  int socket;
  struct accscope_simt_hosted *of;
  uintptr_t block;		/* the kernel's arguments */
  size_t block_bytes;
  uint64_t begun;
};

enum accscope_simt_found
{
  FOUND_BOUNDS, FOUND_MISALIGNED, FOUND_UNINITIALISED, FOUND_RACE, FOUND_QUEUE_RACE, FOUND_STALE_ON_DEVICE, FOUND_STALE_ON_HOST,
  FOUND_LOST_WRITE, FOUND_BARRIER, FOUND_TRAP, FOUND_DIFFERS
};

/* One side of a finding: an access of a lane or of the host's code, or a transfer.  */
struct accscope_simt_side
{
  enum accscope_simt_access operation;	/* 0: there is no such side */
  uintptr_t returned;		/* of the host's: behind the access; 0: not known */
  const struct accscope_simt_function *kernel, *function;	/* NULL where not known */
  uint32_t instruction;
  uint32_t gang, thread;	/* thread: worker and lane of the gang; UINT32_MAX: not known */
  int store, atomic;
  uint64_t correlation;
};

struct accscope_simt_finding
{
  enum accscope_simt_found kind;
  struct accscope_simt_side side, other;
  uint32_t workers, vector;	/* of the launch */
  uintptr_t address;
  uint64_t bytes;
  uint64_t allocation;		/* its number, of what is stale on the device */
  struct accscope_simt_range nearest, next;	/* before and behind the address */
  const struct accscope_simt_shadow *both;	/* of what is stale: whether the other side has changed more of it is still to be asked; NULL: it is not */
  int mixed;			/* it has: who brings or sends all of it overwrites that */
  int gone;			/* what is stale on the host is not on the device any more */
  enum accscope_simt_reason reason;	/* of what has ended the kernel; other is then where its function was called */
  uint64_t value;		/* of two writes by one instruction: what the first of them wrote; of what differs: the device's */
  uint64_t by_host;		/* of what differs: the host's */
  int real;			/* both are floating-point numbers */
  int unequal;			/* atomic: another one wrote something else, or it is none of these */
  int later;			/* atomic: it may be meant so: of what is stale, it was brought up to date after that */
  uint64_t count;		/* atomic: how often it was met */
};

/* NULL: the host has no memory left.  */
struct accscope_simt_checker *accscope_simt_checker_open (void);
void accscope_simt_checker_close (struct accscope_simt_checker *checker);
/* Has the memory checked: before there are allocations.  */
void accscope_simt_memory_check (struct accscope_simt_memory *memory, struct accscope_simt_checker *checker);
/* The host has written memory of the device's, before any operation.  */
void accscope_simt_written (struct accscope_simt_memory *memory, uintptr_t begin, size_t bytes);
/* The same, and others may go on reading and writing there.  */
void accscope_simt_give_out (struct accscope_simt_memory *memory, uintptr_t begin, size_t bytes);

/* Memory of the device is what the host's code has at an address, from now on; or another one is
   not any more.  */
void accscope_simt_map (struct accscope_simt_memory *memory, uintptr_t device, uintptr_t host, size_t bytes);
void accscope_simt_unmap (struct accscope_simt_memory *memory, uintptr_t device, uintptr_t host, size_t bytes);

/* What kernels leave is compared with what their functions for the host do: floating-point numbers
   may differ by that part of the larger one; negative: as rounding and the order of sums have it.  */
void accscope_simt_compare_host (struct accscope_simt_checker *checker, double tolerance);

/* The device's memory goes: the host's code is not looked at any more.  */
void accscope_simt_checker_end (struct accscope_simt_checker *checker);

/* Findings since the first: their number, and one of them, which stays where it is.  */
uint32_t accscope_simt_found_count (const struct accscope_simt_checker *checker);
const struct accscope_simt_finding *accscope_simt_found (const struct accscope_simt_checker *checker, uint32_t number);
/* What kernels have written and nobody has brought to the host, of the memory that is there
   still: at the end.  */
void accscope_simt_left (struct accscope_simt_checker *checker);
/* Why a launch was not compared with the host's function.  */
enum accscope_simt_uncompared
{
  UNCOMPARED_PRINTS, UNCOMPARED_ALLOCATES, UNCOMPARED_VARIABLES, UNCOMPARED_ORDER, UNCOMPARED_STRAYED, UNCOMPARED_ENDED, UNCOMPARED_TIME, UNCOMPARED_PROCESS,
  UNCOMPARED
};

/* What was checked.  */
struct accscope_simt_looked_at
{
  uint64_t accesses, bytes;	/* of lanes */
  uint64_t launches, compared;	/* by the host, and those at which its memory was compared */
  int unreadable;		/* the system lets nobody read the host's memory that way */
  int watched;			/* the accesses of the host's code are seen */
  uint64_t hosted, uncompared[UNCOMPARED];	/* launches that were compared with the host's function, and that were not */
  uint64_t host;		/* of those, to memory that is on the device or was */
};
struct accscope_simt_looked_at accscope_simt_looked_at (const struct accscope_simt_checker *checker);

/* What whoever runs the operations calls.  */
struct accscope_simt_checks
{
  /* A further queue.  */
  uint32_t (*queue) (struct accscope_simt_checker *);
  /* An operation is put onto a queue; NULL: no memory is left, and it is not checked.  */
  struct accscope_simt_stamp *(*submit) (struct accscope_simt_checker *, uint32_t queue);
  /* What is over when all that has been put onto the queue is.  */
  struct accscope_simt_stamp *(*mark) (struct accscope_simt_checker *, uint32_t queue);
  /* What comes on the queue waits for a mark.  */
  void (*wait) (struct accscope_simt_checker *, uint32_t queue, const struct accscope_simt_stamp *);
  /* The host knows that a mark is reached, or that all on a queue is over.  */
  void (*heard) (struct accscope_simt_checker *, const struct accscope_simt_stamp *);
  void (*idle) (struct accscope_simt_checker *, uint32_t queue);
  /* An operation begins to run, with a number for each of count gangs, and has ended.  */
  void (*begin) (struct accscope_simt_operation *, uint32_t count);
  void (*end) (struct accscope_simt_operation *);
  /* A transfer within an operation, to and from memory of the device, 0 where that is not at this
     side, before it takes place; and behind it, with the host's address, 0 for none, and whether it came to the host.  */
  void (*transfer) (struct accscope_simt_operation *, struct accscope_simt_memory *, uintptr_t to, uintptr_t from, size_t bytes);
  void (*same) (struct accscope_simt_memory *, uintptr_t device, uintptr_t host, size_t bytes, int brought);
  /* A transfer of memory of the device is put onto its queue.  */
  void (*moves) (struct accscope_simt_checker *, struct accscope_simt_memory *, const struct accscope_simt_stamp *, enum accscope_simt_access, uint64_t correlation,
		 uintptr_t device, size_t bytes);
  /* The host launches a kernel: what has it changed?  */
  void (*launch) (struct accscope_simt_checker *);
  /* Around a kernel that runs: what it leaves is compared with what its function for the host does.  */
  void (*host_begin) (struct accscope_simt_operation *, struct accscope_simt_hosted *, void *block, size_t block_bytes, struct accscope_simt_hostrun *);
  void (*host_end) (struct accscope_simt_operation *, struct accscope_simt_hostrun *);
};
extern const struct accscope_simt_checks accscope_simt_checks;

/* A fault has ended a kernel whose accesses are checked, in a function that was called there; NULL: in
   the kernel itself.  */
void accscope_simt_ended (const struct accscope_simt_launch *launch, const struct accscope_simt_function *caller, uint32_t instruction);

/* The number of an instruction, for what later accesses tell of it; 0 where there are too
   many.  */
uint16_t accscope_simt_site (const struct accscope_simt_function *function, uint32_t instruction);

#endif
