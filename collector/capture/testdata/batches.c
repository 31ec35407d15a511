/* batches.c - raises the events of constructs with the dispatch of accscope's own
   runtime, one by one or many at once (accscope_events.h), and prints what each
   said.  Usage: batches LIBRARY one|many CASE COUNT [FILE].  */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include "accscope_activity.h"
#include "dispatch.h"
#include "format.h"

#define CONSTRUCTS 3
#define STEPS 11
#define LAUNCHED 5	/* the step after the launch */
#define PAIRS 5
#define NEVER (~0ul)

static const struct { int event, pair; } step[STEPS] = {
  { acc_ev_compute_construct_start, 0 }, { acc_ev_enter_data_start, 1 },
  { acc_ev_create, -1 }, { acc_ev_enter_data_end, 1 },
  { acc_ev_enqueue_launch_start, 2 },
  { acc_ev_enqueue_launch_end, 2 }, { acc_ev_exit_data_start, 3 },
  { acc_ev_wait_start, 4 }, { acc_ev_wait_end, 4 },
  { acc_ev_exit_data_end, 3 }, { acc_ev_compute_construct_end, 0 },
};

struct construct
{
  struct acc_dispatch_batch batch;
  acc_callback_info info;
  acc_api_info api;
  acc_event_info other, launch, create;
  struct acc_dispatch_pair pair[PAIRS];
  size_t dimensions[4];
  uint64_t number, stride;	/* of the next launch */
  char name[40];
};

struct runner
{
  struct acc_dispatch_thread thread;
  struct construct *construct;
  uint64_t state;
  uint64_t ticks;		/* of the next event; 0: those of the clock */
  FILE *said;
};
static __thread struct runner *me;

static struct acc_dispatch *dispatch;
static acc_callback library_one;
static accscope_events_callback library_many;
static const char *how;
static int armed = 1;
static unsigned long count;	/* of events, where there is one thread */
static unsigned long toggle_at = NEVER, fork_at = NEVER;
static pid_t child = -1;
static const char *child_file;
static int unseen;		/* no library is told of the fork */

static unsigned
any (unsigned below)
{
  me->state = me->state * 6364136223846793005u + 1442695040888963407u;
  return (unsigned) (me->state >> 33) % below;
}

/* -- what happens between two events */

static void
toggle (void)
{
  const char *session = getenv ("ACCSCOPE_SESSION");
  DIR *folder = opendir (session);
  struct dirent *entry;

  while (folder && (entry = readdir (folder)))
    {
      char path[4096];
      snprintf (path, sizeof path, "%s/%s/process", session, entry->d_name);
      int file = entry->d_name[0] == '.' ? -1 : open (path, O_RDWR);
      struct capture_process *process = file < 0 ? MAP_FAILED
	: mmap (0, sizeof *process, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
      if (file >= 0)
	close (file);
      if (process == MAP_FAILED || process->pid != getpid ())
	continue;
      __atomic_add_fetch (&process->armed, 1, __ATOMIC_RELAXED);
      armed = !armed;
      munmap (process, sizeof *process);
      closedir (folder);
      return;
    }
  fprintf (stderr, "batches: no capture to switch\n");
  exit (1);
}

static void
between (void)
{
  static uint64_t state = 7;

  if (count == toggle_at)
    {
      toggle ();
      state = state * 6364136223846793005u + 1442695040888963407u;
      toggle_at += 1 + (state >> 33) % (armed ? 400 : 40);
    }
  if (count == fork_at)
    {
      fork_at = NEVER;
      fflush (me->said);
      child = unseen ? (pid_t) syscall (SYS_fork) : fork ();
      if (child == 0)
	me->said = fopen (child_file, "w");
    }
}

/* -- the tool's callbacks, and what it is told */

static void
say (int event, const acc_callback_info *info, const acc_event_info *specific,
     uint64_t pair, uint64_t correlation, uint64_t ticks)
{
  int launch = event == step[4].event || event == step[5].event;
  const acc_data_event_info *data = &specific->data_event;
  int words = launch || event == acc_ev_create;

  fprintf (me->said, "%d %d %d %s %zx %zx %zx %lx %lx", me->thread.thread_id, event,
	   info->line_no, words ? data->var_name : "-", words ? data->bytes : 0,
	   words ? (size_t) data->host_ptr : 0, words ? (size_t) data->device_ptr : 0,
	   (unsigned long) pair, (unsigned long) correlation);
  const size_t *gangs = launch ? specific->launch_event.num_gangs_per_dim : NULL;
  for (size_t i = 1; gangs && i <= gangs[0]; i++)
    fprintf (me->said, " %zu", gangs[i]);
  if (ticks)
    fprintf (me->said, " at %lu", (unsigned long) ticks);
  fputc ('\n', me->said);
}

static int
is_start (int event)
{
  return event != acc_ev_create && event % 2 == 0;
}

static uint64_t
given (const struct accscope_event *event)
{
  return me->ticks ? event->ticks : 0;
}

static __thread const struct accscope_event *coming;	/* the one that many has left */

static void
one (acc_callback_info *info, acc_event_info *specific, acc_api_info *api)
{
  void **tool_info = &specific->other_event.tool_info;
  int event = info->event_type;

  if (child_file)
    between ();
  uint64_t before = (uintptr_t) *tool_info;
  library_one (info, specific, api);
  if (armed)
    say (event, info, specific,
	 event == acc_ev_create ? 0 : is_start (event) ? (uintptr_t) *tool_info : before,
	 acc_dispatch_correlation (), me->ticks && coming ? coming->ticks : 0);
  if (child_file)
    count++;
}

/* Calls the library's as far as nothing is to happen between two events.  */
static unsigned
many (struct accscope_event *events, unsigned events_count)
{
  unsigned done = 0;

  for (;;)
    {
      unsigned most = events_count - done;
      if (child_file && most > 0)
	{
	  between ();
	  if (most > toggle_at - count)
	    most = (unsigned) (toggle_at - count);
	  if (most > fork_at - count)
	    most = (unsigned) (fork_at - count);
	}
      unsigned taken = library_many (events + done, most);
      for (unsigned i = done; i < done + taken; i++)
	{
	  struct accscope_event *e = &events[i];
	  if (armed)
	    say (e->event, e->info, e->event_info,
		 e->tool_info ? (uintptr_t) *e->tool_info : 0, e->correlation, given (e));
	}
      done += taken;
      if (child_file)
	count += taken;
      coming = done < events_count ? &events[done] : NULL;
      if (taken < most || done == events_count)
	return done;
    }
}

static void
foreign (acc_callback_info *info, acc_event_info *specific, acc_api_info *api)
{
  (void) info;
  (void) api;
  specific->other_event.tool_info = dispatch;	/* its own; nobody else sees it */
}

/* -- the runtime */

static void
publish (int event, int others)
{
  struct acc_dispatch_entry entry[2] = {
    { 1, (uintptr_t) one, 1 }, { 2, (uintptr_t) foreign, 2 }
  };
  acc_dispatch_publish (dispatch, event, entry, others ? 2 : 1);
}

static void
take (acc_event_t event, acc_callback callback, acc_register_t mode)
{
  (void) mode;
  library_one = callback;
  if (event > 0 && event <= acc_ev_wait_end)
    {
      if (acc_dispatch_reserve (dispatch, event, 2) != 0)
	exit (2);
      publish (event, 0);
    }
}

static int
declare (acc_callback callback, accscope_events_callback several)
{
  (void) callback;
  library_many = several;
  return acc_dispatch_declare (dispatch, one, many);
}

static int
subscribe (const struct accscope_activity_subscriber *subscriber, uint64_t *subscription)
{
  (void) subscriber;
  *subscription = 1;
  return 0;
}

static int
mappings (int32_t type, int32_t number, accscope_activity_each_mapping each, void *context)
{
  (void) type, (void) number, (void) each, (void) context;
  return 0;
}

static int
device (int32_t type, int32_t number, struct accscope_activity_device *facts)
{
  (void) type, (void) number, (void) facts;
  return 1;
}

static const struct accscope_activity *
activity (void)
{
  static const struct accscope_activity table = {
    .size = sizeof table, .version = 1, .subscribe = subscribe,
    .current_correlation = acc_dispatch_correlation, .mappings = mappings,
    .device = device,
  };
  return &table;
}

static acc_query_fn
lookup (const char *name)
{
  if (strcmp (name, ACCSCOPE_ACTIVITY_NAME) == 0)
    return (acc_query_fn) (void *) activity;
  if (strcmp (name, ACCSCOPE_EVENTS_NAME) == 0 && strcmp (how, "many") == 0)
    return (acc_query_fn) (void *) declare;
  return NULL;
}

static void
changed (struct construct *c)
{
  for (int i = 0; i < STEPS; i++)
    memset (c->batch.step[i].memo, 0, sizeof c->batch.step[i].memo);
}

static void
compose (struct construct *c, int number)
{
  memset (c, 0, sizeof *c);
  c->info = (acc_callback_info) {
    .version = 202211, .device_type = acc_device_nvidia, .async = number,
    .async_queue = number, .src_file = "batches.c", .func_name = "construct",
    .line_no = 10 * number, .end_line_no = -1, .func_line_no = -1, .func_end_line_no = -1,
  };
  c->other.other_event.parent_construct = acc_construct_parallel;
  c->launch.launch_event.kernel_name = c->create.data_event.var_name = c->name;
  strcpy (c->name, "first");
  c->number = (uint64_t) number * 1000;
  c->stride = 1;
  c->batch.kept = 1;
  for (int i = 0; i < STEPS; i++)
    c->batch.step[i] = (struct accscope_event) {
      .event = step[i].event, .info = &c->info, .api = &c->api,
      .event_info = i == 2 ? &c->create : i == 4 || i == 5 ? &c->launch : &c->other,
      .pair = step[i].pair < 0 ? NULL : &c->pair[step[i].pair],
    };
}

/* Something about the construct is not what it was the last time.  */
static void
change (struct construct *c)
{
  acc_launch_event_info *launch = &c->launch.launch_event;

  switch (any (6))
    {
    case 0:
      launch->num_gangs = any (3);
      launch->vector_length = any (2) * 32;
      break;
    case 1:
      launch->num_gangs_per_dim = any (3) ? c->dimensions : NULL;
      c->dimensions[0] = any (4);
      for (int i = 1; i < 4; i++)
	c->dimensions[i] = any (3);
      break;
    case 2:	/* the same pointer, another text */
      strcpy (c->name, any (2) ? "first" : "another_kernel_with_a_longer_name");
      break;
    case 3:
      c->create.data_event.bytes = any (3);
      c->create.data_event.device_ptr = (void *) (uintptr_t) any (2);
      break;
    case 4:
      c->info.line_no += 1000;	/* a site of its own */
      break;
    case 5:
      c->api.async_handle = (void *) (uintptr_t) any (2);
      break;
    }
  changed (c);
}

static void
raise_part (struct construct *c, uint32_t from, uint32_t to, int together)
{
  c->batch.done = from;
  c->batch.count = to;
  if (together && dispatch->together (dispatch, &me->thread, &c->batch))
    return;
  dispatch->events (dispatch, &me->thread, &c->batch);
  if (c->batch.done != to)
    abort ();
}

static uint64_t
next_ticks (void)
{
  if (!me->ticks)
    return 0;
  me->ticks += any (20000);
  return any (8) ? me->ticks : me->ticks - any (100000);
}

static void
construct (void)
{
  struct construct *c = &me->construct[any (CONSTRUCTS)];
  uint64_t begun = accscope_ticks ();

  if (any (10) == 0)
    change (c);
  switch (any (20))	/* mostly a loop's */
    {
    case 0:
      c->stride = any (4);
      break;
    case 1:
      c->number = any (2) * 5000;
      break;
    }
  c->number += c->stride;
  for (int i = 0; i < STEPS; i++)
    {
      c->batch.step[i].ticks = next_ticks ();
      c->batch.step[i].correlation = i == 4 || i == 5 ? c->number : 0;
    }
  if (!me->ticks)
    c->batch.step[0].ticks = c->batch.step[1].ticks = begun - any (2) * 50000;
  raise_part (c, 0, LAUNCHED, any (4) > 0);
  if (!me->ticks)
    c->batch.step[5].ticks = c->batch.step[6].ticks = accscope_ticks ();
  raise_part (c, LAUNCHED, STEPS, 0);
}

static void
constructs (long rounds, int registering)
{
  int with = 0, event = 0;

  for (long i = 0; i < rounds; i++)
    {
      if (registering && any (40) == 0)	/* another tool comes, or goes */
	{
	  with = !with;
	  if (with)
	    event = step[any (STEPS)].event;
	  publish (event, with);
	}
      construct ();
    }
  if (with)
    publish (event, 0);
}

static void
run_as (struct runner *r, int id, FILE *said)
{
  memset (&r->thread, 0, sizeof r->thread);
  r->thread.thread_id = id;
  r->state = (uint64_t) id + 1;
  r->said = said;
  r->ticks = 0;
  if (!r->construct)
    {
      r->construct = malloc (CONSTRUCTS * sizeof *r->construct);
      if (!r->construct)
	exit (2);
      for (int i = 0; i < CONSTRUCTS; i++)
	compose (&r->construct[i], i + 1);
    }
  else
    for (int i = 0; i < CONSTRUCTS; i++)
      changed (&r->construct[i]);	/* they were another thread's */
  me = r;
}

struct job
{
  struct runner *runner;
  int id;
  long rounds;
  FILE *said;
};

static void *
work (void *argument)
{
  struct job *job = argument;

  run_as (job->runner, job->id, job->said);
  constructs (job->rounds, 0);
  return NULL;
}

/* Threads after one another, AT_ONCE at a time, on the memory of those before.  */
static void
threads (int number, int at_once, long rounds)
{
  struct runner *runner = calloc ((size_t) at_once, sizeof *runner);
  struct job *job = calloc ((size_t) at_once, sizeof *job);
  pthread_t *thread = calloc ((size_t) at_once, sizeof *thread);

  for (int done = 0; done < number; done += at_once)
    {
      char *text[16];
      size_t bytes[16];
      for (int i = 0; i < at_once; i++)
	{
	  job[i] = (struct job) { &runner[i], done + i + 1, rounds,
				  open_memstream (&text[i], &bytes[i]) };
	  if (pthread_create (&thread[i], NULL, work, &job[i]))
	    abort ();
	}
      for (int i = 0; i < at_once; i++)
	{
	  pthread_join (thread[i], NULL);
	  fclose (job[i].said);
	  fwrite (text[i], 1, bytes[i], stdout);
	  free (text[i]);
	}
    }
  free (job);
  free (thread);
}

static volatile sig_atomic_t handled;

/* Raises an event as a runtime does that keeps it.  */
static void
handler (int signal)
{
  static struct accscope_event kept = { .event = acc_ev_free };
  acc_callback_info info = { .event_type = acc_ev_free, .valid_bytes = sizeof info,
			     .thread_id = -1, .src_file = "batches.c" };
  acc_event_info event = { .data_event = { .event_type = acc_ev_free,
					   .valid_bytes = 56 } };
  acc_api_info api = { .valid_bytes = sizeof api };

  (void) signal;
  handled++;
  kept.info = &info;
  kept.event_info = &event;
  kept.api = &api;
  if (library_many && library_many (&kept, 1) == 1)
    return;
  library_one (&info, &event, &api);
  if (library_many)
    library_many (&kept + 1, 0);
}

int
main (int argc, char **argv)
{
  if (argc < 5)
    return 2;
  how = argv[2];
  const char *what = argv[3];
  long number = atol (argv[4]);
  void *handle = dlopen (argv[1], RTLD_NOW);
  void (*enter) (acc_prof_reg, acc_prof_reg, acc_prof_lookup_func)
    = handle ? (void (*) (acc_prof_reg, acc_prof_reg, acc_prof_lookup_func))
      dlsym (handle, "acc_register_library") : 0;
  dispatch = acc_dispatch_new ();
  if (!enter || !dispatch)
    {
      fprintf (stderr, "batches: %s\n", dlerror ());
      return 1;
    }
  enter (take, take, lookup);
  fprintf (stderr, library_many ? "many\n" : "one\n");

  struct runner runner = { 0 };
  run_as (&runner, 0, stdout);
  if (strcmp (what, "mixed") == 0)
    constructs (number, 1);
  else if (strcmp (what, "switched") == 0)
    {
      child_file = "";
      toggle_at = 100;
      constructs (number, 1);
    }
  else if (strcmp (what, "fork") == 0 || strcmp (what, "clone") == 0)
    {			/* in the middle of a batch */
      unseen = strcmp (what, "clone") == 0;
      child_file = argv[5];
      fork_at = (unsigned long) number / 2 * STEPS + 2;
      constructs (number, 0);
      if (child == 0)
	return fclose (me->said);
      int status;
      if (waitpid (child, &status, 0) != child || status != 0)
	return 3;
    }
  else if (strcmp (what, "times") == 0)
    {
      constructs (1, 0);
      me->ticks = accscope_ticks ();
      constructs (number, 0);
    }
  else if (strcmp (what, "threads") == 0)
    threads (12, atoi (argv[5]), number);
  else if (strcmp (what, "signals") == 0)
    {
      struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };
      struct itimerval often = { { 0, 50 }, { 0, 50 } }, never = { { 0, 0 }, { 0, 0 } };
      sigaction (SIGALRM, &action, 0);
      setitimer (ITIMER_REAL, &often, 0);
      while (handled < number)
	constructs (100, 0);
      setitimer (ITIMER_REAL, &never, 0);
    }
  else
    return 2;
  return 0;
}
