/* Constructs on a device that shares the host's memory: their events, and for
   compute constructs the outlined function, called as it is (host.h).  */
#include <stdlib.h>
#include <string.h>

#include "host.h"

/* What the events of one place in the program have in common, by return address.
   An entry is filled in once and stays; when all of a place's slots are taken,
   its events are prepared each time.  */
#define POSITIONS 4096
#define PROBES 8

struct position
{
  const void *return_address;
  void (*function) (void *);
  const struct accscope_device *device;
  bool named;			/* info has texts, not references (accscope_names.h) */
  int construct;		/* what its construct was written as */
  acc_callback_info info;
  acc_api_info api;
};

static struct position *position[POSITIONS];

#define LOAD_OTHERS() __atomic_load_n (&accscope_dispatch->others, __ATOMIC_RELAXED)

static void
fill_position (struct position *p, struct thread *t,
	       const struct accscope_construct *c, int parent)
{
  const void *return_address = t->shared.place.return_address;

  p->info = (acc_callback_info) {
    .device_type = p->device->type, .device_number = p->device->number,
    .async = ACCSCOPE_ASYNC_SYNC, .async_queue = ACCSCOPE_ASYNC_SYNC,
    .line_no = -1, .end_line_no = -1,
    .func_line_no = -1, .func_end_line_no = -1
  };
  p->api = (acc_api_info) { .device_type = p->device->type, .vendor = ACC_DISPATCH_VENDOR };
  t->shared.place.return_address = p->return_address;
  p->named = LOAD_OTHERS () != 0;
  p->construct = engine ()->attribute (T, c, parent, &p->info);
  t->shared.place.return_address = return_address;
}

/* The position number I of those that may be the one of AT.  */
static inline struct position **
slot (const void *at, int i)
{
  size_t hash = ((uintptr_t) at * 0x9e3779b97f4a7c15u) >> 40;

  return &position[(hash + i) % POSITIONS];
}

static inline bool
is_at (const struct position *p, const void *at, void (*function) (void *),
       const struct accscope_device *device)
{
  return p->return_address == at && p->function == function
	 && p->device == device && (p->named || LOAD_OTHERS () == 0);
}

static __attribute__ ((noinline)) const struct position *
find_position (struct thread *t, const struct accscope_device *device, const void *at,
	       const struct accscope_construct *c, int parent, struct position *own)
{
  void (*function) (void *) = c ? c->function : NULL;
  struct position *p, *expected = NULL;
  int i;

  for (i = 0; i < PROBES; i++)
    {
      p = __atomic_load_n (slot (at, i), __ATOMIC_ACQUIRE);
      if (p == NULL)
	break;
      if (is_at (p, at, function, device))
	return p;
    }
  own->return_address = at;
  own->function = function;
  own->device = device;
  fill_position (own, t, c, parent);
  if (i == PROBES || (p = malloc (sizeof *p)) == NULL)
    return own;
  *p = *own;
  if (!__atomic_compare_exchange_n (slot (at, i), &expected, p, false,
				    __ATOMIC_RELEASE, __ATOMIC_RELAXED))
    free (p);			/* another thread was quicker */
  return own;
}

/* DEVICE: the one that events name; AT: the return address of the call that began the
   construct; C: the call, if it is a compute construct's, else NULL; PARENT: the construct as far as the call tells.
   OWN is used where the result cannot be kept.  */
static inline const struct position *
position_of (struct thread *t, const struct accscope_device *device, const void *at,
	     const struct accscope_construct *c, int parent, struct position *own)
{
  void (*function) (void *) = c ? c->function : NULL;
  const struct position *p = __atomic_load_n (slot (at, 0), __ATOMIC_ACQUIRE);

  if (LIKELY (p != NULL && is_at (p, at, function, device)))
    return p;
  return find_position (t, device, at, c, parent, own);
}

/* What only the parent construct says.  */
#define DETAILS(construct) \
  [construct] = { .other_event = { .parent_construct = construct } }

static const acc_event_info details[] = {
  DETAILS (acc_construct_parallel),
  DETAILS (acc_construct_kernels),
  DETAILS (acc_construct_serial),
  DETAILS (acc_construct_data),
  DETAILS (acc_construct_host_data),
  DETAILS (acc_construct_enter_data),
  DETAILS (acc_construct_exit_data),
  DETAILS (acc_construct_declare),
  DETAILS (acc_construct_update),
};

/* Raises an event of a pair, the HALF of it that is _start or _end, if it is wanted.  */
#define RAISE(half, t, event, pair, p)					\
  do									\
    if (acc_dispatch_wanted (accscope_dispatch, event))			\
      acc_dispatch_##half (&accscope_dispatch->list[event],		\
			   &(t)->shared.dispatch, pair, &(p)->info,	\
			   &details[(p)->construct], &(p)->api);	\
  while (0)

/* Runs a compute construct.  GCC's code reads the address array only inside the
   function; here it is not looked at, because it may be uninitialised.  WAITS: the Go
   part has something to do before the function.  */
static inline void
run (struct thread *t, const struct accscope_construct *c,
     const struct accscope_device *device, bool waits)
{
  struct acc_dispatch_pair pair;
  struct position own;
  const struct position *p = NULL;

  if (UNLIKELY (pair_wanted (acc_ev_compute_construct_start)))
    {
      p = position_of (t, device, t->shared.place.return_address, c,
		       acc_construct_parallel, &own);
      acc_dispatch_pair_init (&pair);
      RAISE (start, t, acc_ev_compute_construct_start, &pair, p);
    }
  if (waits)
    engine ()->before_local (T, c);
  c->function (c->hostaddrs);
  if (UNLIKELY (p != NULL))
    {
      RAISE (end, t, acc_ev_compute_construct_end, &pair, p);
      acc_dispatch_pair_release (&pair);
    }
}

/* What constructs with a false if clause run on, when the first one has.  */
static const struct accscope_device *local;

bool
accscope_host_parallel (struct thread *t, const struct accscope_construct *c)
{
  const struct accscope_device *device = t->shared.device;

  if (UNLIKELY (c->flags != 0))
    {
      /* What is on the queue of the current device comes before.  */
      if (!is_open (device) || c->async != ACCSCOPE_ASYNC_SYNC)
	return false;
      device = __atomic_load_n (&local, __ATOMIC_RELAXED);
    }
  if (!is_host (device) || c->waits != 0 || c->async < ACCSCOPE_ASYNC_DEFAULT)
    return false;
  run (t, c, device, false);
  return true;
}

void
accscope_host_run (struct thread *t, const struct accscope_construct *c,
		   const struct accscope_device *device)
{
  if (accscope_dispatch == NULL)	/* there is no room for the Go part */
    {
      c->function (c->hostaddrs);
      return;
    }
  if (c->flags != 0)
    __atomic_store_n (&local, device, __ATOMIC_RELAXED);
  run (t, c, device, true);
}

void
accscope_raise_pair (struct thread *t, int start, int parent, const void *at)
{
  struct acc_dispatch_pair pair;
  struct position own;
  const struct position *p;

  p = position_of (t, t->shared.device, at, NULL, parent, &own);
  acc_dispatch_pair_init (&pair);
  RAISE (start, t, start, &pair, p);
  RAISE (end, t, start + 1, &pair, p);
  acc_dispatch_pair_release (&pair);
}

void
accscope_region_push (struct thread *t, enum region_kind kind)
{
  if (t->regions == t->region_capacity)
    {
      struct region *grown = malloc (2 * t->region_capacity
				      * sizeof *grown);
      if (grown == NULL)
	{
	  accscope_error (t, acc_error_system, "data construct",
			  "no memory for data construct number %u of a thread",
			  t->regions + 1);
	  return;
	}
      memcpy (grown, t->region, t->regions * sizeof *grown);
      if (t->region != t->region_inline)
	free (t->region);
      t->region = grown;
      t->region_capacity *= 2;
    }
  t->region[t->regions++]
    = (struct region) { t->shared.place.return_address, kind };
}

bool
accscope_host_data_start (struct thread *t, const struct accscope_construct *c)
{
  enum region_kind kind;

  if (!on_host (t) || c->flags != 0)
    return false;
  kind = region_of (c->entries, c->kinds);
  if (UNLIKELY (pair_wanted (acc_ev_enter_data_start)))
    accscope_raise_pair (t, acc_ev_enter_data_start,
			 kind == region_data ? acc_construct_data
			 : acc_construct_host_data,
			 t->shared.place.return_address);
  accscope_region_push (t, kind);
  return true;
}

bool
accscope_host_data_end (struct thread *t)
{
  enum region_kind kind;

  if (t->regions == 0)
    return false;
  kind = t->region[--t->regions].kind;
  if (kind == region_engine)
    return false;
  if (on_host (t) && UNLIKELY (pair_wanted (acc_ev_exit_data_start)))
    accscope_raise_pair (t, acc_ev_exit_data_start,
			 kind == region_data ? acc_construct_data
			 : acc_construct_host_data,
			 t->region[t->regions].begin);
  return true;
}
