/* Opens the Go part, exactly once, at the first call that needs it, and hands
   it what was recorded before.  Also the end of the program.  */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../device/signals.h"
#include "library.h"

#define ENGINE_FILE "libopenacc-engine.so"

int accscope_phase;
struct engine accscope_engine;
struct acc_dispatch *accscope_dispatch;

/* Held while the Go part is being opened.  Its owner passes: tools that are
   loaded meanwhile call us on the same thread.  */
static pthread_mutex_t loading = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static bool usable;		/* by the owner of loading */

/* Constructor and destructor of the library.  Before main nothing but this
   happens; in particular no Go.  */
static void begin (void) __attribute__ ((constructor));
static void finish (void) __attribute__ ((destructor));

static void
begin (void)
{
  accscope_objects_begin ();
  accscope_profilers_begin ();
  accscope_fork_begin ();
  accscope_threads_begin ();
}

/* A kernel is the program's own code, which may call us.  */
void
accscope_call (void (*function) (void *), void *block)
{
  struct thread *t = &accscope_self;
  uint32_t inside = t->shared.dispatch.inside;

  t->shared.dispatch.inside = 0;
  t->kernels++;
  if (!t->known || t->shared.place.return_address == NULL)	/* a device's own thread */
    function (block);
  else
    accscope_outward (&t->shared.place, (uintptr_t) function, block, NULL, NULL);
  t->kernels--;
  t->shared.dispatch.inside = inside;
}

/* So are exit handlers.  */
static void
leave_and_exit (int status)
{
  accscope_self.shared.dispatch.inside = 0;
  exit (status);
}

/* Held by the thread that ends the devices, while it does.  What it calls there
   may call us, which is no use after the end.  */
static pthread_mutex_t end = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static __thread bool ends __attribute__ ((tls_model ("initial-exec")));

/* Ends the devices once; a use after that starts anew, and is ended when this
   library is.  A forked child has nothing to end.  From inside a kernel there is
   no way to, because its queue is never done, nor from a signal handler or after a
   jump out of the Go part.  */
static void
end_program (void)
{
  struct thread *t = self ();
  int expected = phase_ready;
  struct passage passage;
  bool able;

  if (phase () != phase_ready)
    return;
  able = t->kernels == 0 && !accscope_has_left (t)
	 && accscope_enter (t, &passage, NULL);
  pthread_mutex_lock (&end);
  if (__atomic_compare_exchange_n (&accscope_phase, &expected,
				   able ? phase_ended : phase_abandoned,
				   false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)
      && able)
    {
      ends = true;
      accscope_engine.program_end (T);
      ends = false;
    }
  pthread_mutex_unlock (&end);
  if (able)
    accscope_leave (&passage);
}

/* What the calling thread waits for may still be on its way while another thread
   shuts the devices down; afterwards it has come.  Then a third one may have begun
   to use the thread's device anew.  A kernel and a record function must not wait:
   they are waited for.  */
bool
accscope_ended (void)
{
  const struct accscope_device *d = accscope_self.shared.device;

  if (phase () == phase_abandoned || accscope_self.kernels != 0
      || accscope_engine.recording ())
    return true;
  pthread_mutex_lock (&end);
  pthread_mutex_unlock (&end);
  return d == NULL || !__atomic_load_n (&d->open, __ATOMIC_ACQUIRE);
}

void
accscope_uncopied (const char *what, const void *host)
{
  static int said;
  struct thread *t = self ();
  struct passage passage;
  bool dropped;

  if (phase () == phase_abandoned || __atomic_load_n (&said, __ATOMIC_RELAXED)
      || !accscope_enter (t, &passage, what))
    return;
  dropped = accscope_engine.dropped (T, host);
  accscope_leave (&passage);
  if (!dropped || __atomic_exchange_n (&said, 1, __ATOMIC_RELAXED))
    return;
  accscope_complain ("%s came after the end of the program had shut the device "
		     "down: its data was not copied to the host; let main and "
		     "exit wait for all threads that use the device, and copy "
		     "before destructors and exit handlers", what);
}

static void
end_first (void)
{
  atexit (end_program);
}

static void
finish (void)
{
  end_program ();
}

/* The folder of this library, with its slash.  The dynamic linker may know the
   file by a name relative to a folder that the program has left: the kernel
   knows better.  */
static bool
own_folder (char folder[PATH_MAX])
{
  char line[PATH_MAX + 128];
  uintptr_t here = (uintptr_t) own_folder;
  bool found = false;
  FILE *maps;
  char *slash;
  Dl_info info;

  if (dladdr ((void *) here, &info) != 0 && info.dli_fname[0] == '/'
      && strlen (info.dli_fname) < PATH_MAX)
    {
      strcpy (folder, info.dli_fname);
      found = true;
    }
  else if ((maps = fopen ("/proc/self/maps", "re")) != NULL)
    {
      while (!found && fgets (line, sizeof line, maps) != NULL)
	{
	  unsigned long low, high;
	  char *path = strchr (line, '/');
	  if (path != NULL && sscanf (line, "%lx-%lx", &low, &high) == 2
	      && here >= low && here < high && strlen (path) < PATH_MAX)
	    {
	      path[strcspn (path, "\n")] = '\0';
	      strcpy (folder, path);
	      found = true;
	    }
	}
      fclose (maps);
    }
  if (!found || (slash = strrchr (folder, '/')) == NULL)
    return false;
  slash[1] = '\0';
  return true;
}

static void give_up (const char *format, ...)
  __attribute__ ((noreturn, format (printf, 1, 2)));

/* The mask of the thread that opens the Go part, and whether it has another one.  */
static struct { sigset_t before; bool away; } signals;

static void
signals_back (void)
{
  if (signals.away)
    pthread_sigmask (SIG_SETMASK, &signals.before, NULL);
  signals.away = false;
}

/* Exit handlers find the thread as it was.  */
static void
give_up (const char *format, ...)
{
  char message[PATH_MAX + 512];
  va_list arguments;

  va_start (arguments, format);
  vsnprintf (message, sizeof message, format, arguments);
  va_end (arguments);
  signals_back ();
  accscope_complain ("%s", message);
  exit (1);
}

static void
open_engine (void)
{
  char path[PATH_MAX + sizeof ENGINE_FILE];
  struct accscope_host host = { 0 };
  void *handle, *symbol;
  sigset_t blocked;
  int error;

  if (!own_folder (path))
    give_up ("cannot find out where libopenacc.so lies, so neither its other "
	     "part, " ENGINE_FILE ": load it by its absolute path");
  strcat (path, ENGINE_FILE);
  accscope_fork_engine (NULL);
  accscope_faults_begin ();
  accscope_limits_widen ();
  /* Go's own threads begin with the mask of the thread that opens it.  A handler of
     the program that ran on one, where it interrupts Go, could make no call.  */
  accscope_asynchronous_signals (&blocked);
  pthread_sigmask (SIG_SETMASK, &blocked, &signals.before);
  signals.away = true;
  handle = dlopen (path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (handle == NULL)
    give_up ("cannot open its other part, which belongs beside libopenacc.so: "
	     "%s", dlerror ());
#define RESOLVE(result, name, parameters, arguments)			\
  symbol = dlsym (handle, "accscope_engine_" #name);			\
  if (symbol == NULL)							\
    give_up ("%s lacks accscope_engine_" #name				\
	     ": it is from another version than libopenacc.so", path);	\
  *(void **) &accscope_engine.name = symbol;
  ACCSCOPE_ENGINE_FUNCTIONS (RESOLVE, struct accscope_thread *)
#undef RESOLVE
  accscope_fork_engine (*(void **) &accscope_engine.start);

  host.version = ACCSCOPE_ENGINE_VERSION;
  host.dispatch = acc_dispatch_new ();
  if (host.dispatch == NULL)
    give_up ("no memory");
  host.dispatch->carry_out = accscope_carry_out;
  host.call = accscope_call;
  host.exit = leave_and_exit;
  host.end_first = end_first;
  error = accscope_engine.start (&host);
  signals_back ();
  accscope_limits_restore ();
  if (error != 0)
    give_up ("cannot start %s: %s", path, strerror (error));
  accscope_events_replay (host.dispatch);
}

/* With the Go part, what was recorded before, and the tools of the process.  */
static void
open_all (struct thread *t)
{
  open_engine ();
  usable = true;
  accscope_names_replay ();
  accscope_activity_replay ();
  /* Tools come before the program's own callbacks, of which one for errors may end
     the program.  */
  t->shared.dispatch.inside = 0;	/* tools may call us */
  accscope_profilers_load ();
  t->shared.dispatch.inside = 1;
  accscope_early_replay ();
  atexit (end_program);
  /* Until here constructors of objects that other threads open have their images noted,
     and do not wait for us: the tools' objects have to wait for theirs.  */
  accscope_early_replay_images ();
}

static void open_beside (void);

/* Bytes of stack that opening takes, with the tools that are loaded then.  */
#define OPENING_STACK ((uintptr_t) 64 << 10)

void
accscope_load (void)
{
  const struct thread *own = &accscope_self;
  int state = phase ();

  if (state == phase_forked)
    accscope_forked_call ();
  if (state == phase_abandoned)
    {
      accscope_complain ("OpenACC was used while the program ends from inside "
			 "a kernel or a call, where no device can be used any "
			 "more");
      _exit (1);
    }
  if (state == phase_ended)
    {
      if (!ends)
	__atomic_compare_exchange_n (&accscope_phase, &state, phase_ready, false,
				     __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
      return;
    }
  if ((uintptr_t) __builtin_frame_address (0) - own->stack_low < OPENING_STACK)
    {
      open_beside ();
      return;
    }
  pthread_mutex_lock (&loading);
  if (phase () == phase_none)
    {
      struct thread *t = &accscope_self;
      struct accscope_place place = t->shared.place;

      __atomic_store_n (&accscope_phase, phase_loading, __ATOMIC_RELEASE);
      if (accscope_resources_suffice ())
	open_all (t);
      else
	accscope_alone (&accscope_engine);
      t->shared.place = place;
      __atomic_store_n (&accscope_phase, phase_ready, __ATOMIC_RELEASE);
    }
  pthread_mutex_unlock (&loading);
}

static void *
open_here (void *unused)
{
  struct passage passage;

  if (accscope_enter (self (), &passage, NULL))
    {
      accscope_load ();
      accscope_leave (&passage);
    }
  return unused;
}

/* Opens the Go part on a thread with a stack for it, which leaves signals to the
   program's own.  */
static void
open_beside (void)
{
  pthread_attr_t attributes;
  sigset_t blocked, before;
  pthread_t thread;
  int error;

  pthread_attr_init (&attributes);
  pthread_attr_setstacksize (&attributes, 16 * OPENING_STACK);
  accscope_asynchronous_signals (&blocked);
  pthread_sigmask (SIG_SETMASK, &blocked, &before);
  error = pthread_create (&thread, &attributes, open_here, NULL);
  pthread_sigmask (SIG_SETMASK, &before, NULL);
  if (error != 0)
    give_up ("cannot open " ENGINE_FILE " on the little stack of the calling "
	     "thread, nor start another: %s", strerror (error));
  pthread_join (thread, NULL);
  pthread_attr_destroy (&attributes);
}

const struct engine *
accscope_loaded (void)
{
  switch (phase ())
    {
    case phase_none:
      return NULL;
    case phase_loading:
      if (pthread_mutex_trylock (&loading) != 0)
	return engine ();
      pthread_mutex_unlock (&loading);
      return usable ? engine () : NULL;
    default:
      return engine ();
    }
}

void
accscope_load_in_child (void)
{
  loading = (pthread_mutex_t) PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
}

void
accscope_complain (const char *format, ...)
{
  char line[PATH_MAX + 512] = "libopenacc: ";
  size_t length = strlen (line);
  va_list arguments;
  ssize_t ignored;
  int cancel;

  va_start (arguments, format);
  vsnprintf (line + length, sizeof line - length - 1, format, arguments);
  va_end (arguments);
  length = strlen (line);
  line[length++] = '\n';
  pthread_setcancelstate (PTHREAD_CANCEL_DISABLE, &cancel);	/* locks may be held */
  ignored = write (STDERR_FILENO, line, length);
  pthread_setcancelstate (cancel, NULL);
  (void) ignored;		/* nothing can be done about a closed stream */
}

void
accscope_error (struct thread *t, int code, const char *routine,
		const char *format, ...)
{
  char message[1024];
  va_list arguments;

  va_start (arguments, format);
  vsnprintf (message, sizeof message, format, arguments);
  va_end (arguments);
  engine ()->error (&t->shared, code, routine, message);
}
