/* What happens before anything needs the Go part is recorded here and replayed
   when it is opened: images with device code, registered by constructors of
   the program; and callbacks, registered by tools that libgomp's constructor
   loads, by constructors, or by a program before its first construct.  A shell
   or launcher that does no more than that never gets a Go runtime.  */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "library.h"

struct registration
{
  int event;
  void *callback;
  int mode;
  bool unregister;
};

struct image
{
  unsigned version;
  const void *host_table;
  int type;
  const void *data;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool replayed;		/* from now on the Go part is asked directly */
static struct registration *registration;
static size_t registrations;
static struct image *image;
static size_t images;
static bool images_replayed;

/* Addresses that registered or looked something up early: a tool whose code
   they are in has been called already.  */
static struct { uintptr_t caller, callback; } *evidence;
static size_t evidences;

void
accscope_early_in_child (void)
{
  lock = (pthread_mutex_t) PTHREAD_MUTEX_INITIALIZER;
}

/* list with room for one more, or null.  */
static void *
grow (void *list, size_t count, size_t size)
{
  void *grown = realloc (list, (count + 1) * size);
  if (grown == NULL)
    accscope_complain ("no memory to record an early call");
  return grown;
}

static void
note (const void *caller, const void *callback)
{
  void *grown = grow (evidence, evidences, sizeof *evidence);
  if (grown == NULL)
    return;
  evidence = grown;
  evidence[evidences].caller = (uintptr_t) caller;
  evidence[evidences].callback = (uintptr_t) callback;
  evidences++;
}

void
accscope_early_caller (const void *caller)
{
  pthread_mutex_lock (&lock);
  note (caller, NULL);
  pthread_mutex_unlock (&lock);
}

/* False if it is too late: the Go part must be called.  */
bool
accscope_early_register (int event, void *callback, int mode, bool unregister,
			 const void *caller)
{
  struct registration *grown;
  bool recorded = false;

  pthread_mutex_lock (&lock);
  if (!replayed)
    {
      recorded = true;
      if (!unregister)
	note (caller, callback);
      grown = grow (registration, registrations, sizeof *registration);
      if (grown != NULL)
	{
	  registration = grown;
	  registration[registrations++]
	    = (struct registration) { event, callback, mode, unregister };
	}
    }
  pthread_mutex_unlock (&lock);
  return recorded;
}

void
accscope_early_replay (void)
{
  struct thread *t = self ();
  size_t i;

  pthread_mutex_lock (&lock);
  for (i = 0; i < registrations; i++)
    {
      const struct registration *r = &registration[i];
      accscope_register (t, r->event, r->callback, r->mode, r->unregister);
    }
  free (registration);
  registration = NULL;
  registrations = 0;
  replayed = true;
  pthread_mutex_unlock (&lock);
}

/* Whether the tool that lies at [low, high) has registered already, so that its
   acc_register_library (function) must not be called again.  The program itself
   may hold a tool beside code of its own that registers: of it, only calls from
   within the function count.  */
bool
accscope_early_tool (uintptr_t low, uintptr_t high, bool program,
		     uintptr_t function, size_t function_size)
{
  bool found = false;
  size_t i;

  pthread_mutex_lock (&lock);
  for (i = 0; i < evidences && !found; i++)
    {
      uintptr_t caller = evidence[i].caller, callback = evidence[i].callback;
      if (program)
	found = caller > function && caller <= function + function_size;
      else
	found = (caller >= low && caller < high)
		|| (callback >= low && callback < high);
    }
  pthread_mutex_unlock (&lock);
  return found;
}

/* Notes an image, or forgets it again.  False if the Go part knows them.  */
bool
accscope_early_image (bool add, unsigned version, const void *host_table,
		      int type, const void *data)
{
  struct image *grown;
  bool recorded = false;
  size_t i;

  pthread_mutex_lock (&lock);
  if (!images_replayed)
    {
      recorded = true;
      if (add && (grown = grow (image, images, sizeof *image)) != NULL)
	{
	  image = grown;
	  image[images++] = (struct image) { version, host_table, type, data };
	}
      for (i = 0; !add && i < images; i++)
	if (image[i].host_table == host_table && image[i].data == data)
	  {
	    memmove (&image[i], &image[i + 1],
		     (images - i - 1) * sizeof *image);
	    images--;
	    break;
	  }
    }
  pthread_mutex_unlock (&lock);
  return recorded;
}

void
accscope_early_replay_images (void)
{
  size_t i;

  pthread_mutex_lock (&lock);
  for (i = 0; i < images; i++)
    accscope_engine.register_image (image[i].version, image[i].host_table,
				    image[i].type, image[i].data);
  free (image);
  image = NULL;
  images = 0;
  images_replayed = true;
  pthread_mutex_unlock (&lock);
}
