/* What a gang is made of while it runs.  Lanes of a warp that are at the same place of
   the program are a group.  A group that parts at a branch becomes two, and a node notes
   where and which lanes meet again; those that come there first wait.  Lanes that wait
   are let go on when the others take long, so that a lane which waits for another one of
   its warp ends (as on NVIDIA's devices since Volta).  */
#ifndef ACCSCOPE_SIMT_WARP_H
#define ACCSCOPE_SIMT_WARP_H

#include "check.h"
#include "counters.h"

enum operation
{
#define OPERATION(NAME, TEXT, ...) NAME,
#include "operations.h"
#undef OPERATION
  OPERATIONS
};

/* Special registers (PTX ISA, "Special Registers"), and the address of the gang's shared
   memory, of 8 bytes a lane.  */
#define SPECIALS(X)								\
  X (TID_X, "%tid.x") X (TID_Y, "%tid.y") X (TID_Z, "%tid.z")			\
  X (NTID_X, "%ntid.x") X (NTID_Y, "%ntid.y") X (NTID_Z, "%ntid.z")		\
  X (CTAID_X, "%ctaid.x") X (CTAID_Y, "%ctaid.y") X (CTAID_Z, "%ctaid.z")	\
  X (NCTAID_X, "%nctaid.x") X (NCTAID_Y, "%nctaid.y") X (NCTAID_Z, "%nctaid.z")	\
  X (LANEID, "%laneid") X (WARPID, "%warpid") X (NWARPID, "%nwarpid")		\
  X (SMID, "%smid") X (NSMID, "%nsmid")						\
  X (MASK_EQ, "%lanemask_eq") X (MASK_LT, "%lanemask_lt")			\
  X (MASK_LE, "%lanemask_le") X (MASK_GT, "%lanemask_gt") X (MASK_GE, "%lanemask_ge") \
  X (SHARED, "shared") X (SHARED_HIGH, "")

enum special
{
#define SPECIAL(NAME, TEXT) SPECIAL_##NAME,
  SPECIALS (SPECIAL)
#undef SPECIAL
  SPECIAL_COUNT
};

struct node
{
  struct node *parent;
  struct frame *frame;
  uint32_t meet;
  uint32_t expected, arrived;
};

struct frame
{
  struct frame *caller;
  const struct accscope_simt_function *function;
  const struct accscope_simt_call *call;
  uint32_t back;		/* the instruction to return to */
  uint32_t local;		/* where its part of each lane's stack begins */
  uint32_t room;		/* bytes of registers */
  struct node base;		/* all its lanes meet at its end; its parent is the caller's */
  _Alignas (64) char registers[];
};

enum state { RUNS, SYNCS, BARRED };

struct group
{
  uint32_t mask, pc;
  struct node *node;
  struct frame *frame;
  enum state state;
  uint32_t need;		/* lanes that it syncs with */
  uint32_t barrier, threads;	/* number, and how many it waits for; 0: all */
  uint32_t slices;		/* that it has run while others of its warp waited */
};

#define BARRIERS 16

struct warp
{
  struct gang *gang;
  uint32_t number, live;
  uint32_t count;
  struct group groups[LANES];
  struct accscope_simt_range met;	/* by the last access that was checked */
  uint32_t met_version;		/* of the memory, then */
  uint64_t nowhere[2];		/* what accesses to no memory go to */
  struct accscope_simt_range ranges[RANGES];	/* found last, by instructions, in this launch */
  struct frame *spare;		/* by their callers; free */
  struct node *spare_nodes;	/* by their parents; free */
  char *stack;			/* of its first lane */
  uint32_t clock, barred;	/* how often its lanes have synchronised, and had at its last barrier */
  uint32_t locked;		/* lanes that hold the lock of GCC's reductions */
  uint32_t touching;		/* lanes that have touched memory, where that is counted */
  _Alignas (64) uint32_t specials[SPECIAL_COUNT][LANES];
};

struct gang
{
  struct accscope_simt_launch *launch;
  uint32_t number, warps, threads, exited;
  char *shared;
  uint32_t arrived[BARRIERS];
  uint64_t instructions, random;
  uint64_t accesses, looked_at;	/* that were checked, and their bytes */
  struct accscope_simt_set *set;	/* where it is counted; NULL: it is not */
  uint32_t *tags;		/* sectors in its part of the first level's cache; NULL: none is modelled */
  struct asked { uint32_t first, count; int ordered; } asked;	/* the operation that an access met last */
  struct warp warp[];
};

/* Addresses of a lane's own stack, the same for all lanes, begin here.  */
extern uintptr_t accscope_simt_window;
#define MOST_STACK (16u << 20)
/* From one lane's stack to the next: not a power of two, for the caches.  */
#define STRIDE(stack) ((size_t) (stack) + 192)

/* Branches back and calls of a group until another one has its turn.  */
#define SLICE 1024
/* Slices until lanes that wait for others are let go.  */
#define PATIENCE 4

static inline const char *
lane_stack (const struct warp *w, unsigned lane)
{
  return w->stack + lane * STRIDE (w->gang->launch->stack);
}

static inline struct accscope_simt_range
stack_window (const struct warp *w)
{
  return (struct accscope_simt_range) { accscope_simt_window, accscope_simt_window + w->gang->launch->stack, NULL };
}

/* Runs a group of the warp until it has to wait, has ended or its slice is over.  */
typedef void accscope_simt_step (struct warp *w, struct group *g);
accscope_simt_step accscope_simt_step_portable, accscope_simt_step_avx2;
accscope_simt_step accscope_simt_step_portable_counting, accscope_simt_step_avx2_counting;

/* For the steps: each gives 0 when the group is no more, waits, or lets others go first.  */
int accscope_simt_arrive (struct warp *w, struct group *g);
int accscope_simt_return (struct warp *w, struct group *g);
int accscope_simt_call (struct warp *w, struct group *g, const struct accscope_simt_call *call, const uint64_t *address);
int accscope_simt_exit (struct warp *w, struct group *g, uint32_t mask);
int accscope_simt_barrier (struct warp *w, struct group *g, uint32_t number, uint32_t threads);
uint32_t accscope_simt_sync (struct warp *w, struct group *g, uint32_t need);
int accscope_simt_part (struct warp *w, struct group *g, uint32_t taken, uint32_t target, uint32_t meet);

/* Where in the host's memory the lanes' addresses are; 0: a fault was told.  store is 0 for a
   load.  */
#define ATOMICALLY 2
int accscope_simt_places (struct warp *w, struct group *g, const uint64_t *address,
			  const struct accscope_simt_instruction *in, uint32_t mask, unsigned size, int store,
			  uint64_t *place);
void accscope_simt_count_checked (struct gang *gang);
int accscope_simt_checked (struct warp *w, struct group *g, const uint64_t *address,
			   const struct accscope_simt_instruction *in, uint32_t mask, unsigned size, int store,
			   uint64_t *place);
char *accscope_simt_place (struct warp *w, struct group *g, uint64_t address, unsigned lane, unsigned size, int store);
void accscope_simt_tell (struct warp *w, struct group *g, enum accscope_simt_reason reason, uint32_t lane,
			 uintptr_t address, unsigned size, int store);
int64_t accscope_simt_vprintf (struct warp *w, struct group *g, unsigned lane, uint64_t format, uint64_t values);

/* For the steps that count: where a function's counts are, without a tally where no memory is left;
   and counts a request, whose lanes' places follow from the first where spread says so.  */
struct accscope_simt_block accscope_simt_block_of (struct warp *w, const struct accscope_simt_function *function);
/* How the lanes' addresses lie to each other.  */
enum spread { APART, BEHIND, SAME };
void accscope_simt_count (struct warp *w, struct accscope_simt_requests *r, const uint64_t *place, enum spread spread,
			  uint32_t mask, unsigned size, int store);

/* For whoever runs a gang.  */
int accscope_simt_begin (struct warp *w, const struct accscope_simt_function *kernel, const uint64_t *parameters);
int accscope_simt_open_barriers (struct gang *gang);
int accscope_simt_let_go (struct warp *w);
int accscope_simt_wake (struct warp *w);
void accscope_simt_abandon (struct warp *w);
void accscope_simt_clear (struct warp *w);

/* Whether the kernel is to end.  */
static inline int
stopped (const struct gang *g)
{
  return __atomic_load_n ((int *) &g->launch->fault.reason, __ATOMIC_RELAXED) != SIMT_NONE;
}

#endif
