/* Registration of callbacks, chapter 5: acc_callback_* and acc_prof_*.  The Go
   part does it once it is there; before, it is noted (early.c).  */
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "accscope_caller.h"
#include "acc_callback.h"
#include "accscope_names.h"
#include "accscope_toggles.h"
#include "library.h"

/* accscope_toggles.h: the function of the one tool that asked.  */
static accscope_toggled_function toggled;

static int
tell_toggles (accscope_toggled_function function)
{
  accscope_toggled_function none = NULL;

  return function != NULL
	 && __atomic_compare_exchange_n (&toggled, &none, function, false,
					 __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)
	 ? 0 : EBUSY;
}

void
accscope_register (struct thread *t, int event, void *callback, int mode, bool unregister)
{
  accscope_toggled_function tell;

  if (unregister)
    accscope_engine.callback_unregister (T, event, callback, mode);
  else
    accscope_engine.callback_register (T, event, callback, mode);
  tell = __atomic_load_n (&toggled, __ATOMIC_ACQUIRE);
  if (tell != NULL && (mode == acc_toggle || mode == acc_toggle_per_thread))
    tell (event, callback, mode, !unregister);
}

static void
change (struct thread *t, int event, void *callback, int mode, bool unregister,
	const void *caller)
{
  if (accscope_loaded () == NULL)
    {
      if (accscope_early_register (event, callback, mode, unregister, caller))
	return;
      engine ();
    }
  accscope_register (t, event, callback, mode, unregister);
}

#define REGISTRATION(name, unregister)					\
void									\
ENTRY (name) (int event, void *callback, int mode)			\
{									\
  BEGIN;								\
  change (t, event, callback, mode, unregister,				\
	  t->shared.place.return_address);				\
  END;									\
}

REGISTRATION (acc_callback_register, false)
REGISTRATION (acc_callback_unregister, true)
REGISTRATION (acc_prof_register, false)
REGISTRATION (acc_prof_unregister, true)

static int
find_caller (struct accscope_caller *caller)
{
  const struct accscope_place *place = &accscope_self.shared.place;

  if (!accscope_self.known || place->return_address == NULL)
    return -1;
  caller->return_address = (uintptr_t) place->return_address;
  caller->stack_pointer = (uintptr_t) place->stack_pointer;
  caller->frame_pointer = (uintptr_t) place->frame_pointer;
  return 0;
}

/* accscope_events.h: the tool that takes events together.  It may declare itself before
   the registry is there.  */
static const struct accscope_taker *taker;

static int
declare (const struct accscope_taker *given)
{
  const struct accscope_taker *none = NULL;
  struct acc_dispatch *d;

  if (given == NULL || given->one == NULL || given->many == NULL
      || (!__atomic_compare_exchange_n (&taker, &none, given, false, __ATOMIC_SEQ_CST,
					__ATOMIC_SEQ_CST)
	  && none != given))
    return EBUSY;
  d = __atomic_load_n (&accscope_dispatch, __ATOMIC_SEQ_CST);
  if (d != NULL)
    acc_dispatch_declare (d, given);
  return 0;
}

void
accscope_events_replay (struct acc_dispatch *d)
{
  __atomic_store_n (&accscope_dispatch, d, __ATOMIC_SEQ_CST);
  acc_dispatch_declare (d, __atomic_load_n (&taker, __ATOMIC_SEQ_CST));
}

/* accscope_names.h: the function of the one tool that asked.  The Go part is told when
   it is there.  */
static accscope_site_function site_function;

static int
names_later (accscope_site_function site)
{
  const struct engine *e;
  accscope_site_function none = NULL;

  if (site == NULL
      || !__atomic_compare_exchange_n (&site_function, &none, site, false,
				       __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    return EBUSY;
  e = accscope_loaded ();
  if (e != NULL)
    e->names_later ((void *) site);
  return 0;
}

void
accscope_names_replay (void)
{
  accscope_site_function site = __atomic_load_n (&site_function, __ATOMIC_ACQUIRE);

  if (site != NULL)
    accscope_engine.names_later ((void *) site);
}

void *
ENTRY (acc_prof_lookup) (const char *name)
{
  BEGIN;
  const struct engine *e = accscope_loaded ();
  void *value;

  if (name != NULL && strcmp (name, ACCSCOPE_CALLER_NAME) == 0)
    {
      END;
      return (void *) find_caller;
    }
  if (name != NULL && strcmp (name, ACCSCOPE_EVENTS_NAME) == 0)
    {
      END;
      return (void *) declare;
    }
  if (name != NULL && strcmp (name, ACCSCOPE_NAMES_NAME) == 0)
    {
      END;
      return (void *) names_later;
    }
  if (name != NULL && strcmp (name, ACCSCOPE_TOGGLES_NAME) == 0)
    {
      END;
      return (void *) tell_toggles;
    }
  if (e != NULL)
    value = e->lookup (T, name);
  else
    {
      accscope_early_caller (t->shared.place.return_address);
      value = accscope_early_lookup (name);
    }
  END;
  return value;
}

/* The definition for processes without a tool (5.3.1).  */
void
ENTRY (acc_register_library) (void *reg, void *unreg, void *lookup)
{
  (void) reg;
  (void) unreg;
  (void) lookup;
}
