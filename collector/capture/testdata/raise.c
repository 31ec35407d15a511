/* raise.c - raises OpenACC events the way a runtime does, for the cases that no
   directive produces on demand.  Usage: raise LIBRARY CASE [arguments].  */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include "acc_callback.h"

static acc_callback callback;
static int registrations;
static void *handle;

static void
take (acc_event_t kind, acc_callback cb, acc_register_t info)
{
  (void) kind;
  (void) info;
  registrations++;
  callback = cb;
}

static void
raise_event (int kind, int line, const char *name, size_t bytes)
{
  acc_prof_info profile = {
    .event_type = kind, .valid_bytes = sizeof profile, .version = 202211,
    .device_type = acc_device_nvidia, .thread_id = -1, .async = 3,
    .async_queue = 3, .src_file = "raise.c", .func_name = "raise_event",
    .line_no = line, .end_line_no = line + 1, .func_line_no = 1,
    .func_end_line_no = 99,
  };
  acc_event_info event;
  acc_api_info api = { .valid_bytes = sizeof api };
  memset (&event, 0, sizeof event);
  event.data_event.event_type = kind;
  event.data_event.valid_bytes = 56;
  event.data_event.var_name = name;
  event.data_event.bytes = bytes;
  callback (&profile, &event, &api);
}

static void
fields (void)
{
  char text[64] = "first";
  acc_prof_info profile = {
    acc_ev_enqueue_launch_start, sizeof profile, 202211, acc_device_nvidia, 7,
    8, -12, 13, "file.c", "function", 21, 22, 23, 24,
  };
  acc_api_info api = {
    acc_device_api_cuda, sizeof api, acc_device_nvidia, 31, (void *) 0x100,
    (void *) 0x200, (void *) 0x300,
  };
  size_t dimensions[] = { 3, 40, 41, 42 };
  acc_event_info event = { .launch_event = {
    acc_ev_enqueue_launch_start, 64, acc_construct_kernels, 1, 0, text, 51, 52,
    53, dimensions } };
  callback (&profile, &event, &api);
  void *pair = event.launch_event.tool_info;
  profile.event_type = event.event_type = acc_ev_enqueue_launch_end;
  strcpy (text, "second");	/* the same pointer, another text */
  event.launch_event.num_gangs_per_dim = 0;
  callback (&profile, &event, &api);
  if (!pair || event.launch_event.tool_info != pair)
    abort ();

  acc_event_info data = { .data_event = {
    acc_ev_create, 56, acc_construct_runtime_api, 0, 0, "second", (size_t) -1,
    (void *) 0x1000, (void *) 0x2000 } };
  profile.event_type = acc_ev_create;
  callback (&profile, &data, &api);

  acc_event_info error = { .error_event = {
    acc_ev_error, 48, acc_construct_update, 1, 0, acc_error_not_present,
    "not present", 77 } };
  profile.event_type = acc_ev_error;
  callback (&profile, &error, &api);

  /* another tool's tool_info is left alone */
  acc_event_info foreign = { .other_event = {
    acc_ev_wait_start, 24, acc_construct_wait, 0, &api } };
  profile.event_type = acc_ev_wait_start;
  callback (&profile, &foreign, &api);
  if (foreign.other_event.tool_info != &api)
    abort ();
}

/* The events of a loop over COUNT kernels of a real program: their lines are found
   later, from what stands for the source file, and each creates ten variables.  */
static void
places (long count, long rounds)
{
  static char file[200][8], name[200][10][16];
  acc_prof_info profile = { .valid_bytes = sizeof profile, .version = 202211,
    .device_type = acc_device_nvidia, .thread_id = 1, .async = 3,
    .async_queue = 3, .line_no = -1, .end_line_no = -1, .func_line_no = -1,
    .func_end_line_no = -1 };
  acc_api_info api = { .valid_bytes = sizeof api };
  if (count > 200)
    abort ();
  for (long round = 0; round < rounds; round++)
    for (long place = 0; place < count; place++)
      {
	sprintf (file[place], "\1%ld", place);
	profile.src_file = file[place];
	for (int i = 0; i < 12; i++)
	  {
	    acc_event_info event = { .data_event = { .valid_bytes = 24 } };
	    profile.event_type = i ? acc_ev_create : acc_ev_update_start;
	    if (i == 11)
	      profile.event_type = acc_ev_update_end;
	    else if (i)
	      {
		sprintf (name[place][i - 1], "\1%ld.%d.1", place, i);
		event.data_event.valid_bytes = 56;
		event.data_event.var_name = name[place][i - 1];
	      }
	    event.event_type = profile.event_type;
	    callback (&profile, &event, &api);
	  }
      }
}

/* A text that goes on in the next page; then a shorter one at the same place, and
   the next page is gone.  */
static void
edge (void)
{
  size_t page = (size_t) sysconf (_SC_PAGESIZE);
  char *pages = mmap (0, 2 * page, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED)
    abort ();
  for (size_t before = 1; before <= 32; before++)
    {
      char *text = pages + page - before;
      for (int i = 0; i < 6; i++)
	{
	  if (i == 3 && mprotect (pages + page, page, PROT_NONE) != 0)
	    abort ();
	  if (i < 3)
	    strcpy (text, "twenty-five letters long");
	  else if (before > 1)
	    strcpy (text, "s");
	  else
	    *text = 0;
	  acc_prof_info profile = {
	    .event_type = acc_ev_create, .valid_bytes = sizeof profile,
	    .src_file = text, .func_name = text, .line_no = (int) before,
	  };
	  acc_api_info api = { .valid_bytes = sizeof api };
	  acc_event_info event = { .data_event = {
	    .event_type = acc_ev_create, .valid_bytes = 56, .var_name = text } };
	  callback (&profile, &event, &api);
	}
      if (mprotect (pages + page, page, PROT_READ | PROT_WRITE) != 0)
	abort ();
    }
}

static uint64_t
any (uint64_t below)
{
  static uint64_t state = 1;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (state >> 33) % below;
}

/* Events in any order, at few places with few values, so that all of an event,
   some of it or nothing is as it was the last time.  Prints what each said.  */
static void
mixed (long count)
{
  static const int kinds[] = {
    acc_ev_compute_construct_start, acc_ev_compute_construct_end,
    acc_ev_enqueue_upload_start, acc_ev_enqueue_upload_end, acc_ev_create,
    acc_ev_enqueue_launch_start, acc_ev_enqueue_launch_end, acc_ev_error,
    acc_ev_runtime_shutdown,
  };
  static char buffer[64];
  static const char *const names[] = {
    "a", "exactly 15 long", "exactly 16 longs", buffer,
    "a name that is longer than one comparison and than two of them", 0,
  };
  static void *begun[64];	/* tool_info of starts without end */
  size_t dimensions[] = { 2, 5, 6 };
  int opened = 0, turn = 0;
  for (long i = 0; i < count; i++)
    {
      /* mostly a loop's events, to be expected */
      int kind = kinds[any (4) ? (uint64_t) (turn++ % 4) : any (9)];
      strcpy (buffer, any (2) ? "now this" : "now that");
      acc_prof_info profile = {
	.event_type = kind, .valid_bytes = any (50) ? sizeof profile : 40,
	.version = 202211, .device_type = acc_device_nvidia,
	.async_queue = (ssize_t) any (10) / 9, .src_file = names[any (20) / 19],
	.func_name = names[3 + any (20) / 19], .line_no = (int) any (8) / 7,
      };
      acc_api_info api = { .valid_bytes = sizeof api,
	.async_handle = any (20) ? 0 : (void *) 1 };
      acc_event_info event;
      memset (&event, 0, sizeof event);
      int start = kind == kinds[0] || kind == kinds[2] || kind == kinds[5];
      int end = kind == kinds[1] || kind == kinds[3] || kind == kinds[6];
      int data = kind == kinds[2] || kind == kinds[3] || kind == kinds[4];
      int launch = kind == kinds[5] || kind == kinds[6];
      int valid = data || launch ? 56 : kind == acc_ev_error ? 48 : 24;
      event.event_type = kind;
      event.data_event.valid_bytes = launch && !any (4) ? 64 : any (50) ? valid : 16;
      event.data_event.parent_construct = (acc_construct_t) (any (10) / 9);
      event.data_event.implicit = (int) (any (10) / 9);
      const char *name = data || launch || kind == acc_ev_error ? names[any (6)] : 0;
      size_t word[3] = { any (3), any (20) / 19, any (20) / 19 };
      if (kind == acc_ev_error)
	{
	  event.error_event.error_code = (acc_error_t) word[0];
	  event.error_event.error_message = name;
	  event.error_event.runtime_info = word[1];
	  word[2] = 0;
	}
      else
	{
	  event.data_event.var_name = name;
	  event.data_event.bytes = word[0];
	  event.data_event.host_ptr = (void *) word[1];
	  event.data_event.device_ptr = (void *) word[2];
	  if (event.data_event.valid_bytes == 64)
	    event.launch_event.num_gangs_per_dim = any (2) ? dimensions : 0;
	}
      void *given = 0;
      if (!any (30))
	given = &event;		/* another tool's */
      else if (end && opened)	/* mostly the last one */
	{
	  int which = any (10) ? opened - 1 : (int) any ((uint64_t) opened);
	  given = begun[which];
	  begun[which] = begun[--opened];
	}
      event.data_event.tool_info = given;
      callback (&profile, &event, &api);
      void *pair = event.data_event.tool_info;
      int whole = event.data_event.valid_bytes >= 24;
      if (start && pair && pair != given && opened < 64)
	begun[opened++] = pair;
      if (!(start || end) || given == &event || !whole)
	pair = 0;
      int known = event.data_event.valid_bytes >= valid;
      if (!known)
	name = 0, word[0] = kind == acc_ev_error ? (size_t) -1 : 0,
	word[1] = word[2] = 0;
      if (!(data || launch || kind == acc_ev_error))
	word[0] = word[1] = word[2] = 0;
      int source = profile.valid_bytes == sizeof profile;
      printf ("%d %d %s %s %ld %d %d %d %s %lx %lx %lx %d %lx %lx\n", kind,
	      source ? profile.line_no : -1, source ? profile.src_file : "-",
	      source ? profile.func_name : "-", (long) profile.async_queue,
	      event.data_event.valid_bytes,
	      event.data_event.parent_construct, event.data_event.implicit,
	      name ? name : "-", word[0], word[1], word[2],
	      event.launch_event.num_gangs_per_dim && launch
	      && event.data_event.valid_bytes == 64,
	      (unsigned long) api.async_handle, (unsigned long) pair);
    }
}

/* What runtimes get wrong.  */
static void
garbage (void)
{
  acc_prof_info profile = { .event_type = acc_ev_alloc, .valid_bytes = 24,
    .version = 201306, .device_type = acc_device_nvidia, .device_number = 1,
    .thread_id = -5, .src_file = (char *) 1, .func_name = (char *) 1 };
  acc_event_info event;
  memset (&event, 0x5a, sizeof event);
  event.data_event.valid_bytes = 12;
  event.data_event.parent_construct = 0x7fffffff;
  callback (&profile, &event, 0);	/* short, and no acc_api_info */
  callback (0, &event, 0);
  callback (&profile, 0, 0);
  callback (0, 0, 0);
  profile.valid_bytes = -1;
  event.data_event.valid_bytes = 0x7fffffff;
  event.data_event.var_name = 0;
  callback (&profile, &event, 0);
  size_t dimensions[] = { (size_t) -1, 1 };
  profile.event_type = acc_ev_enqueue_launch_start;
  event.launch_event.valid_bytes = 64;
  event.launch_event.num_gangs_per_dim = dimensions;
  callback (&profile, &event, 0);
  static char longest[40000];
  memset (longest, 'x', sizeof longest - 1);
  raise_event (acc_ev_alloc, 1, longest, 1);
  raise_event (acc_ev_alloc, 1, "", 1);
  raise_event (acc_ev_alloc, 1, 0, 1);
}

static long per_thread;
static volatile unsigned long *counters;	/* shared with the test */

static void *
work (void *argument)
{
  long thread = (long) argument;
  for (long i = 0; i < per_thread; i++)
    {
      raise_event (acc_ev_update_start + (i & 1), (int) (i % 100), 0, 0);
      if (counters)
	counters[8 * thread]++;
    }
  return 0;
}

static void
threads (long count, long events, int at_once)
{
  pthread_t *thread = calloc ((size_t) at_once, sizeof *thread);
  pthread_attr_t attributes;
  pthread_attr_init (&attributes);
  pthread_attr_setstacksize (&attributes, 65536);
  per_thread = events;
  for (long done = 0; done < count; done += at_once)
    {
      for (long i = 0; i < at_once; i++)
	if (pthread_create (&thread[i], &attributes, work, (void *) (done + i)))
	  abort ();
      for (long i = 0; i < at_once; i++)
	pthread_join (thread[i], 0);
    }
  free (thread);
}

static volatile sig_atomic_t handled;
static void
handler (int signal)
{
  (void) signal;
  handled++;
  raise_event (acc_ev_free, 5, "handler", (size_t) handled);
}

/* At most as many events as a reader holds in memory: where the system's timer is coarse,
   there are fewer handlers among them.  */
static void
signals (long wanted)
{
  const long most = 500000;
  struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };
  struct itimerval often = { { 0, 50 }, { 0, 50 } };
  struct itimerval never = { { 0, 0 }, { 0, 0 } };
  long raised = 0;
  sigaction (SIGALRM, &action, 0);
  setitimer (ITIMER_REAL, &often, 0);
  for (; handled < wanted && raised < most; raised++)
    raise_event (acc_ev_update_start + (raised & 1), 1, 0, 0);
  setitimer (ITIMER_REAL, &never, 0);
  printf ("%ld %ld\n", raised, (long) handled);
}

static void
forks (char **argv)
{
  raise_event (acc_ev_create, 1, "parent", 1);
  pid_t child = fork ();
  if (child == 0)
    {
      pid_t silent = fork ();	/* ends by exit without an event of its own */
      if (silent == 0)
	exit (0);
      waitpid (silent, 0, 0);
      raise_event (acc_ev_create, 2, "child", 2);
      raise_event (acc_ev_delete, 2, "child", 2);
      execl (argv[0], argv[0], argv[1], "fill", "3", (char *) 0);
      _exit (9);
    }
  waitpid (child, 0, 0);
  child = vfork ();
  if (child == 0)
    {
      execl ("/bin/true", "true", (char *) 0);
      _exit (9);
    }
  waitpid (child, 0, 0);
  raise_event (acc_ev_delete, 3, "parent", 1);
}

int
main (int argc, char **argv)
{
  if (argc < 3)
    return 2;
  const char *what = argv[2];
  long number = argc > 3 ? atol (argv[3]) : 0;
  handle = dlopen (argv[1], RTLD_NOW);
  void (*enter) (acc_prof_reg, acc_prof_reg, acc_prof_lookup_func)
    = handle ? (void (*) (acc_prof_reg, acc_prof_reg, acc_prof_lookup_func))
      dlsym (handle, "acc_register_library") : 0;
  if (!enter)
    {
      fprintf (stderr, "raise: %s\n", dlerror ());
      return 1;
    }
  enter (take, take, 0);
  int first = registrations;
  enter (take, take, 0);	/* a second time counts for nothing */
  if (registrations != first || !callback)
    return 1;

  if (strcmp (what, "fields") == 0)
    fields ();
  else if (strcmp (what, "garbage") == 0)
    garbage ();
  else if (strcmp (what, "fill") == 0)
    for (long i = 0; i < number; i++)
      raise_event (acc_ev_update_start + (i & 1), (int) (i % 100), 0, 0);
  else if (strcmp (what, "places") == 0)
    places (number, atol (argv[4]));
  else if (strcmp (what, "edge") == 0)
    edge ();
  else if (strcmp (what, "mixed") == 0)
    mixed (number);
  else if (strcmp (what, "sizes") == 0)
    for (long i = 0; i < number; i++)
      raise_event (acc_ev_alloc, 1, "x", (size_t) i);
  else if (strcmp (what, "threads") == 0)
    threads (number, atol (argv[4]), atoi (argv[5]));
  else if (strcmp (what, "count") == 0)	/* FILE THREADS, until killed */
    {
      int file = open (argv[3], O_RDWR);
      counters = mmap (0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
      if (counters == MAP_FAILED)
	return 1;
      threads (atoi (argv[4]), 1L << 40, atoi (argv[4]));
    }
  else if (strcmp (what, "signals") == 0)
    signals (number);
  else if (strcmp (what, "fork") == 0)
    forks (argv);
  else if (strcmp (what, "dlclose") == 0)
    {
      dlclose (handle);
      raise_event (acc_ev_create, 1, "x", 1);
    }
  else if (strcmp (what, "switch") == 0)	/* one event per line of input */
    while (getchar () != EOF)
      {
	raise_event (acc_ev_create, 1, "x", 1);
	puts ("raised");
	fflush (stdout);
      }
  else if (strcmp (what, "_exit") == 0)
    raise_event (acc_ev_create, 1, "x", 1), _exit (0);
  else if (strcmp (what, "abort") == 0)
    raise_event (acc_ev_create, 1, "x", 1), abort ();
  else if (strcmp (what, "signal") == 0)
    raise_event (acc_ev_create, 1, "x", 1), raise (SIGTERM);
  else
    return 2;
  return 0;
}
