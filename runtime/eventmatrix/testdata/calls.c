/* A callback of each event in turn calls each routine and has each construct: calls names
   the events, and behind each what came of it, those without an answer where they just
   returned.  calls EVENT does all of it one after the other in the first event of
   that number that the end of the program raises.  */
#include <acc_prof.h>
#include <openacc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* x is what the program works with, v lies beside it, and w is the callback's.  */
static int x[8], v[8], w[8], y[1000];
static int *pointer = v;
static acc_device_t device;

enum { NOTHING = -1000, ABSENT, A_DEVICE, THE_HOST, SOME };

static long
of (void *address)
{
  return address == NULL ? 0
	 : address == v || address == w ? THE_HOST : A_DEVICE;
}

static int
here (void)
{
  return acc_is_present (v, sizeof v);
}

#define ROUTINES(R, V)							\
  /* R (name, answer); V where v has to be present */			\
  R (acc_get_num_devices, acc_get_num_devices (acc_device_host))	\
  R (acc_set_device_type, (acc_set_device_type (device), NOTHING)) \
  R (acc_get_device_num, acc_get_device_num (device))	\
  R (acc_set_device_num, (acc_set_device_num (0, device), NOTHING)) \
  R (acc_get_property, acc_get_property (0, device, acc_property_memory) ? SOME : 0) \
  R (acc_get_property_string, acc_get_property_string (0, device, acc_property_name) ? SOME : 0) \
  R (acc_init, (acc_init (device), NOTHING))		\
  R (acc_async_test, acc_async_test (2))				\
  R (acc_async_test_all, acc_async_test_all ())				\
  R (acc_wait, (acc_wait (1), NOTHING))					\
  R (acc_wait_all, (acc_wait_all (), NOTHING))				\
  R (acc_wait_async, (acc_wait_async (1, 2), NOTHING))			\
  R (acc_wait_all_async, (acc_wait_all_async (2), NOTHING))		\
  R (acc_set_default_async, (acc_set_default_async (acc_get_default_async ()), NOTHING)) \
  R (acc_on_device, acc_on_device (acc_device_host))			\
  R (acc_malloc, of (acc_malloc (64)))					\
  R (acc_free, (acc_free (acc_malloc (64)), NOTHING))			\
  R (acc_copyin, of (acc_copyin (w, sizeof w)))				\
  R (acc_create, of (acc_create (w, sizeof w)))				\
  R (acc_copyin_async, (acc_copyin_async (w, sizeof w, 2), NOTHING))	\
  V (acc_copyout, (acc_copyout (v, sizeof v), v[3]))			\
  V (acc_copyout_finalize, (acc_copyout_finalize (v, sizeof v), v[3]))	\
  V (acc_copyout_async, (acc_copyout_async (v, sizeof v, 2), acc_wait (2), v[3])) \
  V (acc_delete, (acc_delete (v, sizeof v), here ()))			\
  V (acc_update_device, (acc_update_device (v, sizeof v), NOTHING))	\
  V (acc_update_self, (acc_update_self (v, sizeof v), v[3]))		\
  V (acc_update_self_async, (acc_update_self_async (v, sizeof v, 2), acc_wait (2), v[3])) \
  R (acc_map_data, map ())						\
  V (acc_deviceptr, of (acc_deviceptr (v)))				\
  V (acc_hostptr, of (acc_hostptr (acc_deviceptr (v))))			\
  R (acc_is_present, here ())						\
  V (acc_memcpy_from_device, (acc_memcpy_from_device (w, acc_deviceptr (v), sizeof v), w[3])) \
  V (acc_memcpy_to_device, (acc_memcpy_to_device (acc_deviceptr (v), v, sizeof v), NOTHING)) \
  V (acc_attach, attach ())						\
  R (parallel, parallel ())						\
  V (parallel_async, parallel_async ())					\
  R (parallel_if, parallel_if ())					\
  R (data, data ())							\
  R (enter_data, enter_data ())						\
  V (exit_data, exit_data ())						\
  V (update, update ())							\
  R (wait, wait_all ())							\
  R (acc_shutdown, (acc_shutdown (device), NOTHING))

static long
map (void)
{
  void *device = acc_malloc (sizeof w);

  if (device == NULL || acc_is_present (w, sizeof w))
    return ABSENT;
  acc_map_data (w, device, sizeof w);
  acc_unmap_data (w);
  acc_free (device);
  return NOTHING;
}

static long
attach (void)
{
  acc_copyin (&pointer, sizeof pointer);
  acc_attach ((void **) &pointer);
  acc_detach ((void **) &pointer);
  acc_delete (&pointer, sizeof pointer);
  return NOTHING;
}

static long
parallel (void)
{
  w[3] = 5;
#pragma acc parallel copy (w)
  w[3]++;
  return w[3];
}

static long
parallel_async (void)
{
#pragma acc parallel present (v) async (2)
  v[4]++;
  return NOTHING;
}

static long
parallel_if (void)
{
  int no = getenv ("PATH") == NULL;

  w[3] = 5;
#pragma acc parallel copy (w) wait (1) if (no)
  w[3]++;
  return w[3];
}

static long
data (void)
{
  long present;

#pragma acc data copy (w)
  present = acc_is_present (w, sizeof w);
  return present;
}

static long
enter_data (void)
{
#pragma acc enter data copyin (w) async (2)
  return NOTHING;
}

static long
exit_data (void)
{
#pragma acc exit data copyout (v)
  return v[3];
}

static long
update (void)
{
#pragma acc update self (v)
  return v[3];
}

static long
wait_all (void)
{
#pragma acc wait
  return NOTHING;
}

#define NAME(name, answer) #name,
static const char *const names[] = { ROUTINES (NAME, NAME) };
#define COUNT (int) (sizeof names / sizeof names[0])

static long
call (int routine)
{
#define NUMBER(name, answer) number_##name,
#define CALL(name, answer) case number_##name: return answer;
#define CALL_PRESENT(name, answer) case number_##name: return here () ? answer : ABSENT;
  enum { ROUTINES (NUMBER, NUMBER) };
  switch (routine)
    {
      ROUTINES (CALL, CALL_PRESENT)
    }
  return NOTHING;
}

static void
tell (int routine, long answer)
{
  printf (" %s", names[routine]);
  switch (answer)
    {
    case NOTHING: break;
    case ABSENT: printf (":absent"); break;
    case A_DEVICE: printf (":device"); break;
    case THE_HOST: printf (":host"); break;
    case SOME: printf (":some"); break;
    default: printf (":%ld", answer);
    }
}

#define SHUTTING (COUNT - 1)

/* Where a callback is to call: the event, in which part of the program; and the routine's
   number, or -1 for all.  */
enum part { BEGINNING, WORK, SHUTDOWN, END };
static int when, what, done;
static enum part where, part;

static void
act (acc_prof_info *profile, acc_event_info *event, acc_api_info *api)
{
  int type = profile->event_type, first = what < 0 ? 0 : what;

  (void) api;
  if (done || type != when || part != where
      || (type == acc_ev_delete && part != WORK && event->data_event.host_ptr != v)
      || (what == SHUTTING && part == WORK))	/* what follows needs the device */
    return;
  done = 1;
  for (int i = first; i < (what < 0 ? COUNT : first + 1); i++)
    tell (i, call (i));
}

/* No device begins in its own shutdown, and whatever begins ends.  */
static int count[acc_ev_runtime_shutdown + 5], closing;

static void
tally (acc_prof_info *profile, acc_event_info *event, acc_api_info *api)
{
  int type = profile->event_type;

  (void) event;
  (void) api;
  count[type]++;
  if (type == acc_ev_device_shutdown_start)
    closing = profile->device_type;
  else if (type == acc_ev_device_shutdown_end)
    closing = 0;
  else if (type == acc_ev_device_init_start && (int) profile->device_type == closing)
    printf (" (initialised in its shutdown)");
}

static void
balance (const char *ends, int begun, int ended)
{
  if (count[begun] != count[ended])
    printf (" (%d of %d %s)", count[ended], count[begun], ends);
}

static void
balances (void)
{
  balance ("devices shut down", acc_ev_device_init_start, acc_ev_device_shutdown_end);
  balance ("deleted", acc_ev_create, acc_ev_delete);
  if (device != acc_device_host)	/* whose memory outlives it */
    balance ("freed", acc_ev_alloc, acc_ev_free);
}

/* Behind the end of the devices.  */
static void
end (void)
{
  balances ();
  printf ("\n");
}

static void
work (void)
{
  for (int i = 0; i < 8; i++)
    x[i] = v[i] = i;
  acc_init (device);
  acc_copyin (v, sizeof v);
  acc_copyin (x, sizeof x);
  part = WORK;
#pragma acc enter data create (y)
#pragma acc update device (x)
#pragma acc parallel loop present (x)
  for (int i = 0; i < 8; i++)
    x[i]++;
#pragma acc parallel loop present (x) async (1)
  for (int i = 0; i < 8; i++)
    x[i]++;
#pragma acc update self (x) wait (1)
#pragma acc exit data delete (y)
  acc_malloc (64);
}

static void
scenario (const char *name, int event, enum part in)
{
  int pairs = 0;

  when = event;
  where = in;
  printf ("%s%s:", name, in == SHUTDOWN ? " of the shutdown" : "");
  for (what = 0; what < COUNT; what++)
    {
      done = 0;
      memset (count, 0, sizeof count);
      part = BEGINNING;
      work ();
      part = SHUTDOWN;
      acc_shutdown (device);
      acc_shutdown (device);	/* it may have begun anew behind its end */
      acc_shutdown (acc_device_host);
      pairs += done;
      if (x[3] != 5)
	printf (" (x[3] is %d)", x[3]);
      balances ();
    }
  printf (pairs ? "\n" : " not raised\n");
}

#define EVENT(name) { #name, acc_ev_##name }
static const struct { const char *name; int event; } events[] = {
  EVENT (device_init_start), EVENT (device_init_end), EVENT (alloc), EVENT (create),
  EVENT (enter_data_start), EVENT (enter_data_end), EVENT (enqueue_upload_start),
  EVENT (enqueue_upload_end), EVENT (compute_construct_start), EVENT (enqueue_launch_start),
  EVENT (enqueue_launch_end), EVENT (compute_construct_end), EVENT (update_start),
  EVENT (enqueue_download_start), EVENT (enqueue_download_end), EVENT (wait_start),
  EVENT (wait_end), EVENT (update_end), EVENT (exit_data_start), EVENT (exit_data_end),
  EVENT (delete), EVENT (free), EVENT (device_shutdown_start), EVENT (device_shutdown_end),
};
#define EVENTS (sizeof events / sizeof events[0])

int
main (int argc, char **argv)
{
  setvbuf (stdout, NULL, _IOLBF, 0);
  if (argc == 2)
    atexit (end);
  acc_init (acc_device_default);
  device = acc_get_device_type ();
  acc_shutdown (device);
  for (int e = acc_ev_device_init_start; e <= acc_ev_wait_end; e++)
    acc_prof_register (e, act, acc_reg);
  acc_prof_register (acc_ev_device_init_start, tally, acc_reg);
  acc_prof_register (acc_ev_device_shutdown_start, tally, acc_reg);
  acc_prof_register (acc_ev_device_shutdown_end, tally, acc_reg);
  acc_prof_register (acc_ev_create, tally, acc_reg);
  acc_prof_register (acc_ev_delete, tally, acc_reg);
  acc_prof_register (acc_ev_alloc, tally, acc_reg);
  acc_prof_register (acc_ev_free, tally, acc_reg);
  if (argc == 2)
    {
      when = atoi (argv[1]);
      what = -1;
      where = END;
      work ();
      part = END;
      return 0;
    }
  for (unsigned i = 0; i < EVENTS; i++)
    switch (events[i].event)
      {
      case acc_ev_device_init_start: case acc_ev_device_init_end:
	scenario (events[i].name, events[i].event, BEGINNING);
	break;
      case acc_ev_delete: case acc_ev_free:
	scenario (events[i].name, events[i].event, WORK);
	/* fall through */
      case acc_ev_device_shutdown_start: case acc_ev_device_shutdown_end:
	scenario (events[i].name, events[i].event, SHUTDOWN);
	break;
      default:
	scenario (events[i].name, events[i].event, WORK);
      }
  return 0;
}
