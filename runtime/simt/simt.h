/* Runs decoded PTX on the CPU: warps of 32 lanes in step, with masks.

   A register is an array of one word for each of the warp's lanes, of 4 bytes for types
   of up to 32 bits (a predicate is all ones or 0), of 8 for those of 64.  An operand
   says where such an array lies: in the frame of the function's call, among the
   function's constants, or among the warp's special registers.  */
#ifndef ACCSCOPE_SIMT_H
#define ACCSCOPE_SIMT_H

#include <stddef.h>
#include <stdint.h>

#define LANES 32
#define EVERY UINT32_MAX		/* the mask of a whole warp */

/* Operands: the array in the upper two bits, the offset in bytes below.  */
enum { IN_FRAME, IN_CONSTANTS, IN_SPECIALS, ARRAYS };
#define OPERAND(array, offset) ((uint32_t) (array) << 30 | (uint32_t) (offset))

#define MOST_OPERANDS 5
#define RANGES 64

/* A shuffle with .sync by a constant within the warp.  */
#define SIMT_WHOLE_SEGMENT 2
/* Loads that are part of an atomic construct, and those whose values are stored and used for
   nothing else.  */
#define SIMT_OF_ATOMIC 1
#define SIMT_COPIES 2

struct accscope_simt_instruction
{
  uint16_t operation;
  uint8_t guarded;		/* 1: where the guard is true; 2: where it is not */
  uint8_t together;		/* shuffles and votes: 0 without .sync, 1 with it, or SIMT_WHOLE_SEGMENT;
				   of loads: SIMT_OF_ATOMIC or SIMT_COPIES */
  uint8_t real;			/* of stores: of a floating-point number */
  uint8_t found;		/* of memory operations: which of the ranges that a warp has found */
  uint16_t site;		/* of memory operations: their number among all of the process; 0: they have none */
  uint32_t guard;		/* operand */
  uint32_t operand[MOST_OPERANDS];
  uint32_t target;		/* bra: an instruction; calls: an index of the function's calls; of memory
				   operations: their number among the function's */
  uint32_t meet;		/* guarded bra: the instruction before which lanes meet; of memory operations: a
				   lane's bytes, those of the whole vector at its first part, 0 at the others */
  int64_t displacement;		/* of an address */
};

/* An argument or result of a call: from which operand to which of the other's frame.  */
struct accscope_simt_passed
{
  uint32_t from, to, wide;
};

struct accscope_simt_function;

struct accscope_simt_call
{
  const struct accscope_simt_function *callee;	/* NULL: by address, in operand 0 */
  uint32_t arguments, results;	/* those of a callee by address are matched to its own */
  const struct accscope_simt_passed *argument;	/* from the caller's frame */
  const struct accscope_simt_passed *result;	/* to the caller's frame */
};

/* What the device's library gives to programs, which no text defines.  */
enum { SIMT_CODE, SIMT_VPRINTF, SIMT_MALLOC, SIMT_FREE };

struct accscope_simt_function
{
  uint32_t builtin;
  uint32_t count;		/* instructions; the last is an END */
  uint32_t accesses;		/* memory operations of these */
  uint32_t frame;		/* bytes of registers */
  uint32_t zeroed;		/* of those: what may be read before it is written */
  uint32_t local;		/* bytes of each lane's stack */
  uint32_t parameters, results;
  const struct accscope_simt_passed *parameter;	/* to: where the frame has it */
  const struct accscope_simt_passed *result;	/* from: where the frame has it */
  const struct accscope_simt_instruction *code;
  const char *constants;
  const struct accscope_simt_call *calls;
};

/* A kernel's function for the host, and what its device code has that keeps the two from being
   compared, or their results from being told apart with certainty.  */
enum
{
  SIMT_PRINTS = 1, SIMT_ALLOCATES = 2,
  SIMT_OWN_VARIABLES = 4,	/* uses the device's copies of variables, where the other one uses the host's */
  SIMT_ORDERED = 8,		/* uses what an atomic operation has found, or a clock */
  SIMT_JUDGES = 16,		/* compares floating-point numbers, or makes integers of them */
  SIMT_FAILED = 32		/* the host's function has not ended well, or in time */
};
struct accscope_simt_hosted
{
  uintptr_t function;
  uint32_t traits;		/* atomic */
  uint32_t compared;		/* atomic: how often it was tried */
};

/* A part of memory that kernels may use.  */
struct accscope_simt_shadow;
struct accscope_simt_range
{
  uintptr_t begin, end;
  struct accscope_simt_shadow *shadow;	/* what is known of its bytes; NULL: nothing is (check.h) */
};

/* The memory of a device: its allocations, in order.  */
struct accscope_simt_memory;
/* NULL: the host has no memory or no addresses left.  */
struct accscope_simt_memory *accscope_simt_memory_open (uintptr_t heap, size_t heap_bytes);
void accscope_simt_memory_close (struct accscope_simt_memory *memory);
int accscope_simt_memory_add (struct accscope_simt_memory *memory, uintptr_t begin, size_t bytes);
void accscope_simt_memory_remove (struct accscope_simt_memory *memory, uintptr_t begin);
/* The range that has the address, or {0, 0}.  */
struct accscope_simt_range accscope_simt_memory_find (struct accscope_simt_memory *memory, uintptr_t address);
/* The nearest range at or before the address, or {0, 0}.  */
struct accscope_simt_range accscope_simt_memory_before (struct accscope_simt_memory *memory, uintptr_t address);
/* The first range that begins behind it.  */
struct accscope_simt_range accscope_simt_memory_behind (struct accscope_simt_memory *memory, uintptr_t address);
uint32_t accscope_simt_memory_version (const struct accscope_simt_memory *memory);
uintptr_t accscope_simt_allocate (struct accscope_simt_memory *memory, size_t bytes);
int accscope_simt_release (struct accscope_simt_memory *memory, uintptr_t address);

/* Why a kernel ended before its end.  */
enum accscope_simt_reason
{
  SIMT_NONE, SIMT_ADDRESS, SIMT_MISALIGNED, SIMT_BARRIER, SIMT_TRAP, SIMT_STACK,
  SIMT_CALLED, SIMT_CALLED_WITH, SIMT_FREE_OF, SIMT_TIMEOUT, SIMT_NO_MEMORY
};

struct accscope_simt_fault
{
  enum accscope_simt_reason reason;
  uint32_t gang, worker, lane;
  int store;			/* of an address: it was written to */
  uint32_t size;
  uintptr_t address;
  struct accscope_simt_range nearest;
  const struct accscope_simt_function *function;
  uint32_t instruction;
};

struct accscope_simt_launch
{
  const struct accscope_simt_function *kernel;
  struct accscope_simt_memory *memory;
  const struct accscope_simt_function *functions;	/* of the program, for calls by address */
  uint32_t function_count;
  uint32_t gangs, workers, vector;
  uint32_t shared;		/* bytes of each gang */
  uint32_t stack;		/* bytes of each lane */
  uint32_t threads;		/* of the host that run gangs; 1: in their order */
  uint64_t seed;		/* on one thread: not 0, gangs and warps in an order of it */
  int64_t timeout;		/* nanoseconds, 0: none */
  const void *parameters;	/* of the kernel, one word of 8 bytes each */
  uintptr_t lock;		/* of GCC's reductions: 1 while a lane has it; 0: there is none */
  struct accscope_simt_hosted *hosted;	/* NULL: not known */
  struct accscope_simt_operation *check;	/* what its accesses are checked as; NULL: they are not */
  struct accscope_simt_counters *counters;	/* of the kernel; NULL: nothing is counted (counters.h) */
  struct accscope_simt_caches *caches;	/* of the device that is modelled; NULL: none are, or nothing is counted (caches.h) */
  uint64_t block_bytes;		/* of what the first parameter points to: the construct's variables */
  struct accscope_simt_fault fault;	/* the first one */
  uint64_t instructions;	/* of warps, that were run */
};

/* Runs a kernel to its end.  */
void accscope_simt_run (struct accscope_simt_launch *launch);

/* The names of operations, in the order of their numbers; NULL behind the last.  */
const char *accscope_simt_operation (unsigned number);
const char *accscope_simt_special (unsigned number);

#endif
