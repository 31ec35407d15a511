/* Constructs on a device that shares the host's memory: their events, and for
   compute constructs the outlined function, called as it is (host.h).  */
#include <stdlib.h>
#include <string.h>

#include "host.h"

/* acc_api_info.vendor, as the Go part sets it.  */
#define VENDOR 0xacc5

/* Source positions, by return address.  An entry is filled in once and stays;
   when all of an address's places are taken, the Go part is asked each time.  */
#define POSITIONS 4096
#define PROBES 8

struct position
{
  const void *return_address;
  void (*function) (void *);
  const char *src_file, *func_name;
  int line_no, end_line_no, func_line_no, func_end_line_no;
};

static struct position *position[POSITIONS];

static void
copy_position (acc_callback_info *info, const struct position *p)
{
  info->src_file = p->src_file;
  info->func_name = p->func_name;
  info->line_no = p->line_no;
  info->end_line_no = p->end_line_no;
  info->func_line_no = p->func_line_no;
  info->func_end_line_no = p->func_end_line_no;
}

static void
attribute (struct thread *t, const void *at, void (*function) (void *),
	   acc_callback_info *info)
{
  const void *return_address = t->shared.place.return_address;
  size_t hash = ((uintptr_t) at * 0x9e3779b97f4a7c15u) >> 40;
  struct position *p, *expected;
  int i;

  for (i = 0; i < PROBES; i++)
    {
      p = __atomic_load_n (&position[(hash + i) % POSITIONS], __ATOMIC_ACQUIRE);
      if (p == NULL)
	break;
      if (p->return_address == at && p->function == function)
	{
	  copy_position (info, p);
	  return;
	}
    }
  t->shared.place.return_address = at;
  engine ()->attribute (T, function, info);
  t->shared.place.return_address = return_address;
  if (i == PROBES || (p = malloc (sizeof *p)) == NULL)
    return;
  *p = (struct position) { at, function, info->src_file, info->func_name,
			   info->line_no, info->end_line_no,
			   info->func_line_no, info->func_end_line_no };
  expected = NULL;
  if (!__atomic_compare_exchange_n (&position[(hash + i) % POSITIONS],
				    &expected, p, false, __ATOMIC_RELEASE,
				    __ATOMIC_RELAXED))
    free (p);			/* another thread was quicker */
}

static bool
wanted (int event)
{
  return acc_dispatch_wanted (accscope_dispatch, event);
}

/* What a _start event and its _end event have in common.  */
struct events
{
  struct acc_dispatch_pair pair;
  acc_callback_info info;
  acc_event_info details;
  acc_api_info api;
};

/* AT: the return address of the call that began the construct.  */
static void
prepare (struct events *e, struct thread *t, int parent, const void *at,
	 void (*function) (void *))
{
  const struct accscope_device *d = t->shared.device;

  acc_dispatch_pair_init (&e->pair);
  e->info = (acc_callback_info) {
    .device_type = d->type, .device_number = d->number,
    .async = ACCSCOPE_ASYNC_SYNC, .async_queue = ACCSCOPE_ASYNC_SYNC,
    .line_no = -1, .end_line_no = -1,
    .func_line_no = -1, .func_end_line_no = -1
  };
  attribute (t, at, function, &e->info);
  e->details = (acc_event_info) {
    .launch_event = { .parent_construct = parent }	/* the largest member */
  };
  e->api = (acc_api_info) { .device_type = d->type, .vendor = VENDOR };
}

static void
raise_event (struct events *e, struct thread *t, int event)
{
  if (!wanted (event))
    return;
  e->info.event_type = event;
  e->details.event_type = event;
  acc_dispatch_event (accscope_dispatch, &t->shared.dispatch, &e->pair,
		      &e->info, &e->details, &e->api);
}

/* Runs a compute construct.  GCC's code reads the address array only inside the
   function; here it is not looked at, because it may be uninitialised.  */
bool
accscope_host_parallel (struct thread *t, const struct accscope_construct *c)
{
  struct events events;

  if (!on_host (t) || c->flags != 0 || c->waits != 0
      || c->async < ACCSCOPE_ASYNC_DEFAULT)
    return false;
  if (LIKELY (!wanted (acc_ev_compute_construct_start)
	      && !wanted (acc_ev_compute_construct_end)))
    {
      c->function (c->hostaddrs);
      return true;
    }
  prepare (&events, t, acc_construct_parallel, t->shared.place.return_address,
	   c->function);
  raise_event (&events, t, acc_ev_compute_construct_start);
  c->function (c->hostaddrs);
  raise_event (&events, t, acc_ev_compute_construct_end);
  acc_dispatch_pair_release (&events.pair);
  return true;
}

static void
raise_pair (struct thread *t, int start, int parent, const void *at)
{
  struct events events;

  if (LIKELY (!wanted (start) && !wanted (start + 1)))
    return;
  prepare (&events, t, parent, at, NULL);
  raise_event (&events, t, start);
  raise_event (&events, t, start + 1);
  acc_dispatch_pair_release (&events.pair);
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
  enum region_kind kind = region_data;
  size_t i;

  if (!on_host (t) || c->flags != 0)
    return false;
  for (i = 0; i < c->entries; i++)
    if ((c->kinds[i] & 0xff) == 0x0e || (c->kinds[i] & 0xff) == 0x10)
      kind = region_host_data;	/* USE_DEVICE_PTR, and ..._IF_PRESENT */
  raise_pair (t, acc_ev_enter_data_start,
	      kind == region_data ? acc_construct_data
	      : acc_construct_host_data, t->shared.place.return_address);
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
  if (on_host (t))
    raise_pair (t, acc_ev_exit_data_start,
		kind == region_data ? acc_construct_data
		: acc_construct_host_data, t->region[t->regions].begin);
  return true;
}

/* enter data, exit data and update directives */
bool
accscope_host_standalone (struct thread *t, const struct accscope_construct *c,
			  int start, int parent)
{
  if (!on_host (t) || c->flags != 0 || c->waits != 0
      || c->async != ACCSCOPE_ASYNC_SYNC)
    return false;
  raise_pair (t, start, parent, t->shared.place.return_address);
  return true;
}
