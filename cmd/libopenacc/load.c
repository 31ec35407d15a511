/* Opens the Go part, exactly once, at the first call that needs it, and hands
   it what was recorded before.  Also the end of the program.  */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
}

/* Counts kernels that the Go side runs on the calling thread.  */
static void
call (void (*function) (void *), void *block)
{
  struct thread *t = &accscope_self;

  t->kernels++;
  function (block);
  t->kernels--;
}

/* Held by the thread that ends the devices, while it does.  What it calls there
   may call us.  */
static pthread_mutex_t end = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

/* Ends the devices once; a use after that starts anew, and is ended when this
   library is.  A forked child has nothing to end.  From inside a kernel there is
   no way to: its queue is never done.  */
static void
end_program (void)
{
  int expected = phase_ready;
  bool inside;

  if (phase () != phase_ready)
    return;
  inside = accscope_inside_kernel ();
  pthread_mutex_lock (&end);
  if (__atomic_compare_exchange_n (&accscope_phase, &expected,
				   inside ? phase_abandoned : phase_ended,
				   false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)
      && !inside)
    accscope_engine.program_end (&self ()->shared);
  pthread_mutex_unlock (&end);
}

/* What the calling thread waits for may still be on its way while another thread
   shuts the devices down; afterwards it has come.  Then a third one may have begun
   to use the thread's device anew.  A kernel and a record function must not wait:
   they are waited for.  */
bool
accscope_ended (void)
{
  const struct accscope_device *d = accscope_self.shared.device;

  if (phase () == phase_abandoned || accscope_inside_kernel ()
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

  if (phase () == phase_abandoned || __atomic_load_n (&said, __ATOMIC_RELAXED)
      || !accscope_engine.dropped (&self ()->shared, host)
      || __atomic_exchange_n (&said, 1, __ATOMIC_RELAXED))
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

static void
give_up (const char *format, ...)
{
  char message[PATH_MAX + 512];
  va_list arguments;

  va_start (arguments, format);
  vsnprintf (message, sizeof message, format, arguments);
  va_end (arguments);
  accscope_complain ("%s", message);
  exit (1);
}

static void
open_engine (void)
{
  char path[PATH_MAX + sizeof ENGINE_FILE];
  struct accscope_host host = { 0 };
  void *handle, *symbol;
  int error;

  if (!own_folder (path))
    give_up ("cannot find out where libopenacc.so lies, so neither its other "
	     "part, " ENGINE_FILE ": load it by its absolute path");
  strcat (path, ENGINE_FILE);
  accscope_fork_engine (NULL);
  accscope_faults_begin ();
  handle = dlopen (path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (handle == NULL)
    give_up ("cannot open its other part, which belongs beside libopenacc.so: "
	     "%s", dlerror ());
#define RESOLVE(result, name, arguments)				\
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
  host.call = call;
  host.end_first = end_first;
  error = accscope_engine.start (&host);
  if (error != 0)
    give_up ("cannot start %s: %s", path, strerror (error));
  accscope_events_replay (host.dispatch);
}

const struct engine *
accscope_load (void)
{
  int state = phase ();

  if (state == phase_forked)
    accscope_forked_call ();
  if (state == phase_abandoned)
    {
      accscope_complain ("OpenACC was used while the program ends from inside "
			 "a kernel, where no device can be used any more");
      _exit (1);
    }
  if (state == phase_ended)
    {
      __atomic_compare_exchange_n (&accscope_phase, &state, phase_ready, false,
				   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
      return &accscope_engine;
    }
  pthread_mutex_lock (&loading);
  if (phase () == phase_none)
    {
      struct accscope_place place = accscope_self.shared.place;

      __atomic_store_n (&accscope_phase, phase_loading, __ATOMIC_RELEASE);
      self ();
      open_engine ();
      usable = true;
      accscope_early_replay_images ();
      accscope_early_replay ();
      accscope_activity_replay ();
      accscope_profilers_load ();
      atexit (end_program);
      accscope_self.shared.place = place;
      __atomic_store_n (&accscope_phase, phase_ready, __ATOMIC_RELEASE);
    }
  else if (phase () == phase_loading && !usable)
    give_up ("was called while opening " ENGINE_FILE " on the same thread");
  pthread_mutex_unlock (&loading);
  return &accscope_engine;
}

/* The engine if it can be called without opening it, else null.  */
const struct engine *
accscope_loaded (void)
{
  switch (phase ())
    {
    case phase_none:
      return NULL;
    case phase_loading:
      if (pthread_mutex_trylock (&loading) != 0)
	return accscope_load ();
      pthread_mutex_unlock (&loading);
      return usable ? &accscope_engine : NULL;
    default:
      return accscope_load ();
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

  va_start (arguments, format);
  vsnprintf (line + length, sizeof line - length - 1, format, arguments);
  va_end (arguments);
  length = strlen (line);
  line[length++] = '\n';
  ignored = write (STDERR_FILENO, line, length);
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
