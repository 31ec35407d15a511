/* Tools that come with the process (OpenACC 3.3, 5.3): libraries named by
   ACC_PROFLIB, and acc_register_library in the program's own scope, from a
   library that is preloaded or linked.  Each is called once, however it came.

   libgomp, which stays in the process, has its constructor load ACC_PROFLIB's
   libraries too, and hands them our registration routines, because ours come
   first in the scope.  Those tools have been called then.  Its own definition
   of acc_register_library aborts; ours is for programs that call it.  */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "library.h"
#include "profilers.h"

#define ROUTINE "acc_register_library"

static bool proflib_at_start;

/* Objects whose routine has been called, by us or by libgomp.  */
static uintptr_t *called;
static size_t called_count;

void
accscope_profilers_begin (void)
{
  proflib_at_start = secure_getenv ("ACC_PROFLIB") != NULL;
}

static bool
was_called (const struct object *o)
{
  size_t i;

  for (i = 0; i < called_count; i++)
    if (called[i] == o->low)
      return true;
  return false;
}

static void
mark_called (const struct object *o)
{
  uintptr_t *grown = realloc (called, (called_count + 1) * sizeof *called);
  if (grown == NULL)
    return;
  called = grown;
  called[called_count++] = o->low;
}

/* Calls the routine of a tool, unless that has happened.  */
static void
call_tool (const struct object *o, void *routine)
{
  acc_register_library_function function;
  const ElfW (Sym) *symbol = NULL;
  Dl_info info;
  size_t size = 0;

  if (was_called (o))
    return;
  mark_called (o);
  if (dladdr1 (routine, &info, (void **) &symbol, RTLD_DL_SYMENT) != 0
      && symbol != NULL)
    size = symbol->st_size;
  if (accscope_early_tool (o->low, o->high, o->name[0] == '\0',
			   (uintptr_t) routine, size))
    return;
  *(void **) &function = routine;
  function (acc_prof_register, acc_prof_unregister, acc_prof_lookup);
}

static const struct object *
object_at (const struct objects *all, const void *address)
{
  size_t i;

  for (i = 0; i < all->count; i++)
    if ((uintptr_t) address >= all->object[i].low
	&& (uintptr_t) address < all->object[i].high)
      return &all->object[i];
  return NULL;
}

/* Whether libgomp has already called the tools of ACC_PROFLIB with our
   registration routines.  */
static bool
libgomp_did (void)
{
  void *handle = dlopen ("libgomp.so.1", RTLD_LAZY | RTLD_NOLOAD);
  bool did;

  if (handle == NULL)
    {
      dlerror ();
      return false;
    }
  did = proflib_at_start && dlsym (handle, "acc_prof_register") != NULL
	&& dlsym (RTLD_DEFAULT, "acc_prof_register")
	   == (void *) acc_prof_register;
  dlclose (handle);
  return did;
}

static void
load_library (const char *name, bool loaded_before)
{
  struct objects all;
  const struct object *o;
  void *handle, *routine;

  handle = dlopen (name, RTLD_LAZY | (loaded_before ? RTLD_NOLOAD : 0));
  if (handle == NULL)
    {
      const char *why = dlerror ();
      if (!loaded_before)	/* else libgomp has said so */
	accscope_complain ("ACC_PROFLIB: cannot open \"%s\": %s", name, why);
      return;
    }
  routine = dlsym (handle, ROUTINE);
  if (!accscope_objects (&all))
    return;
  o = routine != NULL ? object_at (&all, routine) : NULL;
  if (o == NULL || accscope_is_self (o) || accscope_is_libgomp (o))
    {
      if (!loaded_before)
	accscope_complain ("ACC_PROFLIB: \"%s\" is no profiling library: it "
			   "has no " ROUTINE, name);
    }
  else if (loaded_before)
    mark_called (o);
  else
    call_tool (o, routine);
  accscope_objects_free (&all);
}

static void
load_proflib (void)
{
  const char *list = secure_getenv ("ACC_PROFLIB");
  bool loaded_before;
  char *copy, *next, *name, *end;

  if (list == NULL || (copy = strdup (list)) == NULL)
    return;
  loaded_before = libgomp_did ();
  next = copy;
  while ((name = strsep (&next, ";")) != NULL)
    {
      name += strspn (name, " \t");
      for (end = name + strlen (name);
	   end > name && (end[-1] == ' ' || end[-1] == '\t'); end--)
	end[-1] = '\0';
      if (name[0] != '\0')
	load_library (name, loaded_before);
    }
  free (copy);
}

/* The program's scope is what was loaded when it started, in its order.  */
static void
call_scope (void)
{
  struct objects all;
  size_t i;

  if (!accscope_objects (&all))
    return;
  for (i = 0; i < all.initial; i++)
    {
      const struct object *o = &all.object[i];
      void *routine;
      if (accscope_is_self (o) || accscope_is_libgomp (o) || was_called (o))
	continue;
      routine = accscope_object_symbol (o, ROUTINE);
      if (routine != NULL)
	call_tool (o, routine);
    }
  accscope_objects_free (&all);
}

void
accscope_profilers_load (void)
{
  load_proflib ();
  call_scope ();
}
