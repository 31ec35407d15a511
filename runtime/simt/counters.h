/* What is counted of a kernel's launches, by instruction: warps that came to it and lanes that
   were active, how parted branches were, and of memory operations what a GPU's memory sees of
   them.  A request is what one instruction of a warp asks for, a sector 32 bytes of memory, a
   pass one turn of shared memory's 32 banks of 4 bytes (NVIDIA, "Kernel Profiling Guide",
   "Memory Tables"; CUDA C++ Best Practices Guide, "Memory Optimizations").  */
#ifndef ACCSCOPE_SIMT_COUNTERS_H
#define ACCSCOPE_SIMT_COUNTERS_H

#include "simt.h"

#define SECTOR_SHIFT 5

struct accscope_simt_tally
{
  uint64_t issued;		/* by warps */
  uint64_t lanes;		/* active ones of these, also where a guard is off */
  uint64_t parted;		/* branches that some of the lanes took */
};

/* Of a memory operation; of those to memory of the device but for what shared_ and local_ say.  */
struct accscope_simt_requests
{
  uint64_t requests, lanes, bytes, sectors;
  uint64_t uniform;		/* all lanes at one address */
  uint64_t contiguous;		/* one lane behind the other */
  uint64_t strided;		/* likewise, but stride bytes apart */
  int64_t stride;		/* of the first that was so */
  uint64_t addresses;		/* of atomics: different ones in each request */
  uint64_t most;		/* of atomics: lanes at one address in a request */
  uint64_t shared_requests, shared_lanes, shared_bytes, shared_passes, shared_least;	/* passes without conflicts */
  uint64_t local_requests, local_bytes;	/* of lanes' own stacks */
  /* Where caches are modelled (caches.h): sectors that the first level has not, of these those
     that the second has not, and requests of which some were so.  */
  uint64_t passed, fetched, passing, fetching;
  uint64_t lines;		/* of 128 bytes, by requests */
  uint64_t local_sectors;	/* of lanes' stacks, which have words of the same place side by side */
};

/* What one function's instructions came to.  */
struct accscope_simt_block
{
  struct accscope_simt_tally *tally;	/* by instruction */
  struct accscope_simt_requests *requests;	/* by memory operation */
};

/* What one thread of the host has counted, of all launches that it took part in.  */
struct accscope_simt_set
{
  struct accscope_simt_set *next, *next_free;
  struct accscope_simt_block block[];	/* by function of the program; without memory until it is met */
};

/* Of launches.  Work is instructions of warps.  */
struct accscope_simt_launched
{
  uint64_t launches, gangs, lanes;
  uint32_t geometry[3];		/* gangs, workers and lanes of the largest one */
  /* That have touched memory of the device beside the construct's block.  */
  uint64_t gangs_touching, workers_touching, lanes_touching;
  /* Sums over launches: of all gangs, and of each launch's least, median and most.  */
  uint64_t work, least_work, median_work, most_work;
};

struct accscope_simt_counters;
/* NULL: the host has no memory left.  */
struct accscope_simt_counters *accscope_simt_counters_open (const struct accscope_simt_function *functions, uint32_t count);
void accscope_simt_counters_close (struct accscope_simt_counters *counters);

/* What a thread counts into while it takes part in a launch; NULL: no memory is left.  */
struct accscope_simt_set *accscope_simt_take_set (struct accscope_simt_counters *counters);
void accscope_simt_give_set (struct accscope_simt_counters *counters, struct accscope_simt_set *set);
/* A launch of the kernel is over; work is that of each gang, whose order is lost.  */
void accscope_simt_count_launch (struct accscope_simt_counters *counters, const struct accscope_simt_launch *launch,
				 const struct accscope_simt_launched *touched, uint64_t *work);

/* What an instruction is to a GPU, and where a basic block begins what a warp waits for in it.  */
enum accscope_simt_pipe
{ PIPE_OTHER, PIPE_INTEGER, PIPE_FLOAT, PIPE_DOUBLE, PIPE_SPECIAL, PIPE_LOAD, PIPE_STORE, PIPE_ATOMIC, PIPE_EXCHANGE, PIPE_BARRIER, PIPE_CALL, PIPES };

struct accscope_simt_weight
{
  uint16_t pipe, machine;	/* instructions of the machine that it becomes */
  uint16_t cycles, accesses;	/* of the block's longest chain; 0: it begins none */
  uint32_t access;		/* its number among the function's, plus 1; 0: none */
};

/* All that a kernel's launches came to, in sums.  */
struct accscope_simt_totals
{
  uint64_t machine[PIPES];	/* instructions of warps */
  uint64_t cycles, accesses;	/* along the chains of all blocks that warps have gone through */
  struct accscope_simt_requests load, store, atomic;
};

/* Adds what a function came to, by weights of its instructions.  */
void accscope_simt_add_totals (const struct accscope_simt_counters *counters, uint32_t function, const struct accscope_simt_weight *weights,
			       struct accscope_simt_totals *totals);

/* While nothing runs: the sums.  */
struct accscope_simt_launched accscope_simt_launches_of (const struct accscope_simt_counters *counters);
/* Whether anything of a function was run.  */
int accscope_simt_met (const struct accscope_simt_counters *counters, uint32_t function);
/* Of an instruction of a function, and of a memory operation.  */
struct accscope_simt_tally accscope_simt_tally_of (const struct accscope_simt_counters *counters, uint32_t function, uint32_t instruction);
struct accscope_simt_requests accscope_simt_requests_of (const struct accscope_simt_counters *counters, uint32_t function, uint32_t access);

#endif
