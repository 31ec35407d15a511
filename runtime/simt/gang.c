/* Runs the gangs of a launch on threads of the host.  */
#include "caches.h"
#include "threads.h"
#include "warp.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static const char *const names[] = {
#define OPERATION(NAME, TEXT, ...) TEXT,
#include "operations.h"
#undef OPERATION
};

const char *
accscope_simt_operation (unsigned number)
{
  return number < OPERATIONS ? names[number] : NULL;
}

static const char *const specials[] = {
#define SPECIAL(NAME, TEXT) TEXT,
  SPECIALS (SPECIAL)
#undef SPECIAL
};

const char *
accscope_simt_special (unsigned number)
{
  return number < SPECIAL_COUNT ? specials[number] : NULL;
}

static accscope_simt_step *
step (int counting)
{
#ifdef __x86_64__
  if (__builtin_cpu_supports ("avx2") && __builtin_cpu_supports ("fma"))
    return counting ? accscope_simt_step_avx2_counting : accscope_simt_step_avx2;
#endif
  return counting ? accscope_simt_step_portable_counting : accscope_simt_step_portable;
}

static int64_t
monotonic (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return now.tv_sec * (int64_t) 1000000000 + now.tv_nsec;
}

/* What a gang needs while it runs.  */
struct room
{
  struct room *next;
  struct gang *gang;
  char *stacks;
  size_t gang_bytes, stack_bytes, shared_bytes;
  int prepared;			/* for the launch */
};

struct job
{
  struct work turns;
  struct accscope_simt_launch *launch;
  accscope_simt_step *step;
  uint32_t *order;		/* of gangs; NULL: as they are numbered */
  int64_t until;		/* CLOCK_MONOTONIC; 0: for ever */
  _Alignas (64) uint32_t next;	/* atomic: gang; what all threads write is apart from what they read */
  uint64_t instructions;	/* atomic */
  struct accscope_simt_launched touched;	/* atomic */
  uint64_t *work;		/* by gang; NULL: it is not counted */
};

static void
free_room (struct room *r)
{
  if (r->gang)
    for (struct warp *w = r->gang->warp; (char *) (w + 1) <= (char *) r->gang + r->gang_bytes; w++)
      accscope_simt_clear (w);
  if (r->stacks != MAP_FAILED)
    munmap (r->stacks, r->stack_bytes);
  if (r->gang)
    {
      free (r->gang->shared);
      free (r->gang->tags);
    }
  free (r->gang);
  free (r);
}

/* A room of these sizes, NULL: the host has no memory left.  */
static struct room *
make_room (size_t gang_bytes, size_t stack_bytes, size_t shared_bytes)
{
  struct room *r = calloc (1, sizeof *r);

  if (!r)
    return NULL;
  r->gang_bytes = gang_bytes;
  r->stack_bytes = stack_bytes;
  r->shared_bytes = shared_bytes;
  r->stacks = mmap (NULL, stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (r->stacks != MAP_FAILED && (r->gang = aligned_alloc (64, gang_bytes)))
    {
      memset (r->gang, 0, gang_bytes);
      if ((r->gang->shared = aligned_alloc (64, shared_bytes)))
	return r;
    }
  free_room (r);
  return NULL;
}

/* Rooms between launches, which most often are followed by others that need the same.  */
#define MOST_SPARE 64
static struct room *spare_rooms;
static uint32_t spare_count;
static pthread_mutex_t sparing = PTHREAD_MUTEX_INITIALIZER;

static struct room *
take_room (const struct accscope_simt_launch *l)
{
  uint32_t warps = (l->workers * l->vector + LANES - 1) / LANES;
  size_t gang = (sizeof (struct gang) + warps * sizeof (struct warp) + 63) & ~(size_t) 63;
  size_t stacks = warps * LANES * STRIDE (l->stack), shared = ((size_t) l->shared + 127) & ~(size_t) 63;
  struct room *r;

  pthread_mutex_lock (&sparing);
  if ((r = spare_rooms))
    {
      spare_rooms = r->next;
      spare_count--;
    }
  pthread_mutex_unlock (&sparing);
  if (r && (r->gang_bytes < gang || r->stack_bytes < stacks || r->shared_bytes < shared))
    {
      free_room (r);
      r = NULL;
    }
  if (!r && !(r = make_room (gang, stacks, shared)))
    return NULL;
  r->prepared = 0;
  return r;
}

static void
give_room (struct room *r)
{
  pthread_mutex_lock (&sparing);
  if (spare_count < MOST_SPARE)
    {
      r->next = spare_rooms;
      spare_rooms = r;
      spare_count++;
      r = NULL;
    }
  pthread_mutex_unlock (&sparing);
  if (r)
    free_room (r);
}

static void
fill (uint32_t *lanes, uint32_t value)
{
  for (unsigned i = 0; i < LANES; i++)
    lanes[i] = value;
}

/* What is the same for all gangs of the launch.  */
static void
prepare (struct room *r, struct accscope_simt_launch *l)
{
  struct gang *g = r->gang;

  g->launch = l;
  g->threads = l->workers * l->vector;
  g->warps = (g->threads + LANES - 1) / LANES;
  for (uint32_t n = 0; n < g->warps; n++)
    {
      struct warp *w = &g->warp[n];

      w->gang = g;
      w->number = n;
      w->count = 0;
      w->stack = r->stacks + n * LANES * STRIDE (l->stack);
      memset (w->ranges, 0, sizeof w->ranges);
      memset (w->specials, 0, sizeof w->specials);
      fill (w->specials[SPECIAL_NTID_X], l->vector);
      fill (w->specials[SPECIAL_NTID_Y], l->workers);
      fill (w->specials[SPECIAL_NTID_Z], 1);
      fill (w->specials[SPECIAL_NCTAID_X], l->gangs);
      fill (w->specials[SPECIAL_NCTAID_Y], 1);
      fill (w->specials[SPECIAL_NCTAID_Z], 1);
      fill (w->specials[SPECIAL_WARPID], n);
      fill (w->specials[SPECIAL_NWARPID], g->warps);
      fill (w->specials[SPECIAL_NSMID], l->gangs);
      for (uint32_t i = 0; i < LANES; i++)
	{
	  w->specials[SPECIAL_TID_X][i] = (n * LANES + i) % l->vector;
	  w->specials[SPECIAL_TID_Y][i] = (n * LANES + i) / l->vector;
	  w->specials[SPECIAL_LANEID][i] = i;
	  w->specials[SPECIAL_MASK_EQ][i] = (uint32_t) 1 << i;
	  w->specials[SPECIAL_MASK_LT][i] = ((uint32_t) 1 << i) - 1;
	  w->specials[SPECIAL_MASK_LE][i] = ((uint32_t) 2 << i) - 1;
	  w->specials[SPECIAL_MASK_GT][i] = ~(((uint32_t) 2 << i) - 1);
	  w->specials[SPECIAL_MASK_GE][i] = ~(((uint32_t) 1 << i) - 1);
	  ((uint64_t *) w->specials[SPECIAL_SHARED])[i] = (uintptr_t) g->shared;
	}
    }
}

static int
begin (struct room *r, struct accscope_simt_launch *l, uint32_t number)
{
  struct gang *g = r->gang;

  if (!r->prepared)
    prepare (r, l);
  r->prepared = 1;
  g->number = number;
  g->exited = 0;
  g->asked.count = 0;
  g->random = l->seed + number;
  memset (g->arrived, 0, sizeof g->arrived);
  memset (g->shared, 0, l->shared);
  if (l->caches)
    accscope_simt_empty_cache (g);
  for (uint32_t n = 0; n < g->warps; n++)
    {
      struct warp *w = &g->warp[n];
      uint32_t lanes = g->threads - n * LANES;

      w->clock = w->barred = w->locked = w->touching = 0;
      w->met = (struct accscope_simt_range) { 0, 0, NULL };
      w->live = lanes >= LANES ? EVERY : ((uint32_t) 1 << lanes) - 1;
      fill (w->specials[SPECIAL_CTAID_X], number);
      fill (w->specials[SPECIAL_SMID], number);
      if (!accscope_simt_begin (w, l->kernel, l->parameters))
	return 0;
    }
  return 1;
}

/* xorshift64*: which warp is first.  */
static uint64_t
next_random (struct gang *g)
{
  g->random ^= g->random >> 12;
  g->random ^= g->random << 25;
  g->random ^= g->random >> 27;
  return g->random * 0x2545f4914f6cdd1d;
}

static int
run_warp (const struct job *job, struct warp *w)
{
  int ran = 0;

  for (uint32_t i = 0; i < w->count && !stopped (w->gang); i++)
    {
      struct group *g = &w->groups[i];

      if (g->state != RUNS)
	continue;
      ran = 1;
      job->step (w, g);
      if (i < w->count && w->groups[i].state == RUNS && ++w->groups[i].slices % PATIENCE == 0)
	accscope_simt_let_go (w);
    }
  return ran || accscope_simt_wake (w);
}

/* Tells of a gang by the first of its lanes that have not ended.  */
static void
tell_of (struct gang *g, enum accscope_simt_reason reason)
{
  struct warp *w = g->warp;

  while (!w->count && w + 1 < g->warp + g->warps)
    w++;
  accscope_simt_tell (w, w->count ? w->groups : NULL, reason, w->count ? (uint32_t) __builtin_ctz (w->groups->mask) : 0, 0, 0, 0);
}

/* Gives each warp a turn, the first one last: GCC has it write what the others read behind
   a barrier, and write again without another one.  0: all have ended.  */
static int
turn (const struct job *job, struct gang *g)
{
  uint32_t first = job->launch->seed ? (uint32_t) (next_random (g) % g->warps) : 0;
  int alive = 0, ran = 0;

  for (uint32_t n = 0; n < g->warps; n++)
    {
      struct warp *w = &g->warp[(first + g->warps - 1 - n) % g->warps];

      if (w->live)
	{
	  alive = 1;
	  ran |= run_warp (job, w);
	}
    }
  if (!alive || stopped (g))
    return 0;
  if (ran || accscope_simt_open_barriers (g))
    return 1;
  for (uint32_t n = 0; n < g->warps; n++)
    if (accscope_simt_let_go (&g->warp[n]))
      return 1;
  tell_of (g, SIMT_BARRIER);
  return 0;
}

/* Turns of a gang until another one begins beside it, which it may be waiting for.  */
#define TURNS 16
/* Gangs that a thread has begun.  */
#define MOST_BEGUN 256

/* Adds up which workers and lanes of a gang have touched memory.  */
static void
count_touching (struct job *job, const struct gang *g)
{
  const uint32_t vector = job->launch->vector;
  uint32_t workers = 0, lanes = 0, last = UINT32_MAX;

  for (uint32_t n = 0; n < g->warps; n++)
    for (uint32_t rest = g->warp[n].touching; rest; rest &= rest - 1)
      {
	uint32_t worker = (n * LANES + (uint32_t) __builtin_ctz (rest)) / vector;

	lanes++;
	workers += worker != last;
	last = worker;
      }
  if (!lanes)
    return;
  __atomic_fetch_add (&job->touched.gangs_touching, 1, __ATOMIC_RELAXED);
  __atomic_fetch_add (&job->touched.workers_touching, workers, __ATOMIC_RELAXED);
  __atomic_fetch_add (&job->touched.lanes_touching, lanes, __ATOMIC_RELAXED);
}

static void
end_gang (struct job *job, struct room *r)
{
  for (uint32_t n = 0; n < r->gang->warps; n++)
    accscope_simt_abandon (&r->gang->warp[n]);
  __atomic_fetch_add (&job->instructions, r->gang->instructions, __ATOMIC_RELAXED);
  if (job->work)
    {
      job->work[r->gang->number] = r->gang->instructions;
      count_touching (job, r->gang);
    }
  r->gang->instructions = 0;
  if (job->launch->check)
    accscope_simt_count_checked (r->gang);
}

static void
run_gangs (struct work *work)
{
  struct job *job = (struct job *) work;	/* its first member */
  struct accscope_simt_launch *l = job->launch;
  struct room *begun = NULL, *spare = NULL, **at;
  struct accscope_simt_set *set = NULL;
  uint32_t count = 0;
  int more = 1;

  if (job->work && !(set = accscope_simt_take_set (l->counters)))
    __atomic_store_n ((int *) &l->fault.reason, SIMT_NO_MEMORY, __ATOMIC_RELEASE);
  while (more || begun)
    {
      if (more && count < MOST_BEGUN)
	{
	  uint32_t number = __atomic_fetch_add (&job->next, 1, __ATOMIC_RELAXED);

	  more = number < l->gangs && __atomic_load_n ((int *) &l->fault.reason, __ATOMIC_RELAXED) == SIMT_NONE;
	  if (more)
	    {
	      struct room *r = spare ? spare : take_room (l);

	      spare = NULL;
	      if (!r)
		{
		  __atomic_store_n ((int *) &l->fault.reason, SIMT_NO_MEMORY, __ATOMIC_RELEASE);
		  break;
		}
	      r->next = begun;
	      begun = r;
	      count++;
	      r->gang->set = set;
	      begin (r, l, job->order ? job->order[number] : number);
	    }
	}
      for (at = &begun; *at;)
	{
	  struct room *r = *at;
	  int alive = 1;

	  for (int n = 0; n < TURNS && alive; n++)
	    alive = turn (job, r->gang);
	  if (alive && job->until && monotonic () > job->until)
	    {
	      tell_of (r->gang, SIMT_TIMEOUT);
	      alive = 0;
	    }
	  if (alive)
	    {
	      at = &r->next;
	      continue;
	    }
	  end_gang (job, r);
	  *at = r->next;
	  count--;
	  if (spare)
	    give_room (r);
	  else
	    spare = r;
	}
    }
  while (begun)
    {
      struct room *r = begun;

      begun = r->next;
      end_gang (job, r);
      give_room (r);
    }
  if (spare)
    give_room (spare);
  if (set)
    accscope_simt_give_set (l->counters, set);
}

/* Gangs in an order of the seed (Fisher and Yates).  */
static uint32_t *
shuffled (const struct accscope_simt_launch *l)
{
  struct gang random = { .random = l->seed };
  uint32_t *order = malloc (l->gangs * sizeof *order);

  for (uint32_t n = 0; order && n < l->gangs; n++)
    {
      uint32_t at = (uint32_t) (next_random (&random) % (n + 1));

      order[n] = order[at];
      order[at] = n;
    }
  return order;
}

void
accscope_simt_run (struct accscope_simt_launch *l)
{
  struct job job = { .turns.run = run_gangs, .launch = l, .step = step (l->counters != NULL) };
  uint32_t threads = l->seed ? 1 : l->threads < l->gangs ? l->threads : l->gangs;

  if (l->counters && !(job.work = calloc (l->gangs, sizeof *job.work)))
    {
      l->fault.reason = SIMT_NO_MEMORY;
      return;
    }
  if (l->seed)
    job.order = shuffled (l);
  if (l->timeout)
    job.until = monotonic () + l->timeout;
  accscope_simt_together (&job.turns, threads > 1 ? threads - 1 : 0);
  free (job.order);
  l->instructions = job.instructions;
  if (job.work)
    accscope_simt_count_launch (l->counters, l, &job.touched, job.work);
  free (job.work);
}
