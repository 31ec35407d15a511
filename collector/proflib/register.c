/* register.c - how OpenACC runtimes find the library (OpenACC 3.3 §5.3), and
   the beginning and end of the process.  */
#define _GNU_SOURCE
#include "proflib.h"
#include "unwind.h"
#include <dlfcn.h>
#include <stdlib.h>

#define EXPORTED __attribute__ ((visibility ("default")))

/* The version of the library's interface.  A second copy of the library in one
   process, from another file, finds the first one's by its name.  */
struct accscope_proflib
{
  uint32_t version;
  uint32_t registered;
};
extern EXPORTED struct accscope_proflib accscope_proflib_version;
EXPORTED struct accscope_proflib accscope_proflib_version = { 1, 0 };

/* However often and from wherever we are registered, once counts.  */
static int
claim (void)
{
  struct accscope_proflib *visible
    = dlsym (RTLD_DEFAULT, "accscope_proflib_version");
  if (!visible || visible->version != accscope_proflib_version.version)
    visible = &accscope_proflib_version;
  return __atomic_exchange_n (&visible->registered, 1, __ATOMIC_ACQ_REL) == 0;
}

/* From a runtime that raises several events at once, unless each has to be looked
   at.  */
static void
declare_many (acc_prof_lookup_func lookup)
{
  static const struct accscope_taker taker = { record_callback, record_events };
  accscope_events_function declare
    = (accscope_events_function) (void *) lookup (ACCSCOPE_EVENTS_NAME);
  if (declare && !settings.filtering && !settings.hash && settings.stack != STACK_FULL)
    declare (&taker);
}

static void
register_callbacks (acc_prof_reg reg)
{
  acc_callback record = settings.filtering ? record_filtered : record_callback;
  for (int kind = acc_ev_device_init_start; kind <= acc_ev_wait_end; kind++)
    if (settings.hash && content_callback (kind))
      reg ((acc_event_t) kind, content_callback (kind), acc_reg);
    else if (settings.event_mask & event_bit (kind))
      reg ((acc_event_t) kind, record, acc_reg);
  if (settings.event_mask & event_bit (acc_ev_error))
    reg (acc_ev_error, record, acc_reg);
  if (!settings.armed && local_generation () == 0)
    process_begin ();	/* for somebody to attach to */
}

static void
quit (void)
{
  process_end (CAPTURE_END_QUICK_EXIT);
}

/* Of glibc: the one handler of exit that is told the status.  Other C libraries have
   none.  */
#pragma weak on_exit
extern int on_exit (void (*) (int, void *), void *);

static void
prepare (void)
{
  static int prepared;
  if (__atomic_exchange_n (&prepared, 1, __ATOMIC_ACQ_REL))
    return;
  settings_read ();
  clock_prepare ();
  process_prepare ();
  ring_prepare ();
  content_prepare ();
  at_quick_exit (quit);
  if (on_exit)
    on_exit (process_exits, NULL);
}

EXPORTED void
acc_register_library (acc_prof_reg reg, acc_prof_reg unreg,
		      acc_prof_lookup_func lookup)
{
  (void) unreg;
  prepare ();
  if (lookup)
    {
      activity_subscribe (lookup);
      unwind_prepare (lookup);
      declare_many (lookup);
      names_declare (lookup);
      toggles_declare (lookup);
    }
  if (reg && claim ())
    register_callbacks (reg);
}

/* GCC's library never calls an acc_register_library that was preloaded or
   linked.  Every other runtime does, by the specification, and some of them
   should not be woken before the program needs them; so we register ourselves
   only where the routine belongs to the object that also has GCC's OpenMP.  */
static __attribute__ ((constructor)) void
loaded (void)
{
  prepare ();
  void *reg = dlsym (RTLD_DEFAULT, "acc_prof_register");
  void *openmp = dlsym (RTLD_DEFAULT, "GOMP_parallel");
  Dl_info of_reg, of_openmp;
  if (reg && openmp && dladdr (reg, &of_reg) && dladdr (openmp, &of_openmp)
      && of_reg.dli_fbase == of_openmp.dli_fbase && claim ())
    register_callbacks ((acc_prof_reg) reg);
}

static __attribute__ ((destructor)) void
unloaded (void)
{
  process_end (CAPTURE_END_EXIT);
}
