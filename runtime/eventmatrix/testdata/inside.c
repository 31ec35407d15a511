/* A tool's callbacks call the runtime, from one event of a construct after the
   other: one line of the events that follow, for each.  An event is its number,
   its parent and implicit where they are not the construct's, its queues where it
   is not synchronous, "-" where the device has no interface any more, and
   what its pair's _start event left for it.  Brackets surround what a callback
   does.  */
#include <openacc.h>
#include <acc_prof.h>
#include <stdio.h>

static float a[4];
static int what, when, used;
static unsigned long pairs;

static void compute (int async);

static void
act (void)
{
  switch (what)
    {
    case 'q': acc_set_default_async (3); break;
    case 't': acc_async_test_all (); break;
    case 'w': acc_wait_all (); break;
    case 'c': compute (7); break;
    case 's': acc_shutdown (acc_device_current); break;
    case 'd':
      {
#pragma acc data copyin(a)
	{
	}
	break;
      }
    }
}

static void
callback (acc_prof_info *profile, acc_event_info *event, acc_api_info *api)
{
  int type = profile->event_type;

  printf (" %d", type);
  if (event->other_event.parent_construct != acc_construct_parallel)
    printf ("p%d", event->other_event.parent_construct);
  if (event->other_event.implicit)
    printf ("i");
  if (profile->async != acc_async_sync || profile->async_queue != acc_async_sync)
    printf ("(%ld,%ld)", (long) profile->async, (long) profile->async_queue);
  if (api->device_api == acc_device_api_none)
    printf ("-");
  if (event->other_event.tool_info)
    printf ("=%lu", (unsigned long) event->other_event.tool_info);
  if (!used && type == when)
    {
      used = 1;
      printf (" [");
      act ();
      printf (" ]");
    }
  event->other_event.tool_info = (void *) ++pairs;
}

static void
compute (int async)
{
  (void) async;
#pragma acc parallel loop present(a) async(async)
  for (int i = 0; i < 4; i++)
    a[i] += 1;
}

static void
scenario (int action, const char *name, int async, const char *events)
{
  for (; *events; events++)
    {
      when = *events;
#pragma acc enter data copyin(a)
#pragma acc wait
      acc_set_default_async (5);
      what = action;
      used = 0;
      pairs = 0;
      for (int e = acc_ev_device_init_start; e <= acc_ev_wait_end; e++)
	acc_prof_register (e, callback, acc_reg);
      printf ("%s in %d:", name, when);
      compute (async);
      printf (used ? "\n" : " not raised\n");
      for (int e = acc_ev_device_init_start; e <= acc_ev_wait_end; e++)
	acc_prof_unregister (e, callback, acc_reg);
#pragma acc wait
      if (acc_is_present (a, sizeof a))
	acc_delete_finalize (a, sizeof a);
    }
}

/* The events of a compute construct, one by one.  */
#define ASYNC "\20\12\13\22\23\14\15\21"
#define SYNC "\20\12\13\22\23\14\30\31\15\21"
#define LATE "\15\21"

int
main (void)
{
  setvbuf (stdout, NULL, _IOLBF, 0);
  scenario ('q', "default queue, sync", acc_async_sync, SYNC);
  scenario ('q', "default queue, async", acc_async_noval, ASYNC);
  scenario ('t', "test", 4, ASYNC);
  scenario ('w', "wait", 4, ASYNC);
  scenario ('d', "data, sync", acc_async_sync, SYNC);
  scenario ('d', "data, async", 4, ASYNC);
  scenario ('c', "compute, sync", acc_async_sync, SYNC);
  scenario ('c', "compute, async", 4, ASYNC);
  scenario ('s', "shutdown", 4, LATE);
  return 0;
}
