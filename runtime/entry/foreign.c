/* If the process holds another OpenACC runtime than GCC's, every entry point
   forwards to it and we stay out: two runtimes would each see half of the
   program.  */
#define _GNU_SOURCE
#include "foreign.h"

#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include "library.h"

/* A name that every runtime has and no tool defines.  */
#define CHARACTERISTIC "acc_get_num_devices"

static void
missing (void)
{
  accscope_complain ("a routine was called that the process's other OpenACC "
		     "runtime does not define; run without libopenacc.so");
  _exit (1);
}

/* A handle of the first loaded object that is an OpenACC runtime and is neither
   ours, nor libgomp, nor the program itself.  */
static void *
other_runtime (void)
{
  struct objects all;
  void *handle = NULL;
  size_t i;

  if (!accscope_objects (&all))
    return NULL;
  for (i = 0; i < all.count && handle == NULL; i++)
    {
      const struct object *o = &all.object[i];
      if (o->name[0] == '\0' || accscope_is_self (o) || accscope_is_libgomp (o))
	continue;
      if (accscope_object_symbol (o, CHARACTERISTIC) != NULL)
	handle = dlopen (o->name, RTLD_LAZY | RTLD_NOLOAD);
    }
  accscope_objects_free (&all);
  return handle;
}

void
accscope_bind (void)
{
  static void *const ours = (void *) &accscope_entry;
  static void *decided;		/* a handle of the other runtime, or ours; null: not yet */
  static __thread bool looking;
  void *foreign = NULL, *before = NULL;
  unsigned i;
  int cancel;

  pthread_setcancelstate (PTHREAD_CANCEL_DISABLE, &cancel);
  /* Looking into another object runs its constructors if that has not happened
     yet, and one that registers an image comes here again: for the time being the
     entries are our own.  No lock is held: a thread that opens an object has the
     dynamic linker to itself while the object's constructors call us.  */
  if (!looking)
    {
      looking = true;
      foreign = other_runtime ();
      looking = false;
      if (!__atomic_compare_exchange_n (&decided, &before, foreign ? foreign : ours,
					false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
	foreign = before != ours ? before : NULL;
    }
  for (i = 0; i < accscope_entries; i++)
    {
      const struct entry *e = &accscope_entry[i];
      const void *target = e->function;
      if (foreign != NULL)
	{
	  target = dlsym (foreign, e->name);
	  if (target == NULL)
	    target = dlsym (RTLD_NEXT, e->name);
	  if (target == NULL)
	    target = (const void *) missing;
	}
      __atomic_store_n (e->slot, (void *) target, __ATOMIC_RELEASE);
    }
  pthread_setcancelstate (cancel, NULL);
}
