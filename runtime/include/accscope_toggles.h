/* accscope_toggles.h - when callbacks are switched off and on again: an inquiry function
   of accscope's OpenACC runtime (OpenACC 3.3, 5.3.1).

   A program or a tool may switch callbacks off for a while (5.4.2).  A tool that
   records then has nothing to tell by that its record is not whole, unless it has a
   function called at each change:

	accscope_toggles_function tell
	  = (accscope_toggles_function) lookup (ACCSCOPE_TOGGLES_NAME);
	if (tell)
	  tell (toggled);

   Other runtimes answer the look-up with a null pointer.  */
#ifndef ACCSCOPE_TOGGLES_H
#define ACCSCOPE_TOGGLES_H 1

#ifdef __cplusplus
extern "C" {
#endif

#define ACCSCOPE_TOGGLES_NAME "accscope_toggles_v1"

/* Called on the thread that has switched callbacks, behind the change, with what it gave
   acc_callback_register (on is 1) or acc_callback_unregister (0) where mode is acc_toggle
   or acc_toggle_per_thread.  It must not call the OpenACC API.  What the runtime itself
   switches off behind acc_ev_runtime_shutdown is not told.  */
typedef void (*accscope_toggled_function) (int event, void *callback, int mode, int on);

/* What acc_prof_lookup (ACCSCOPE_TOGGLES_NAME) answers, cast to acc_query_fn.  Returns 0,
   or EBUSY if another tool has asked.  */
typedef int (*accscope_toggles_function) (accscope_toggled_function);

#ifdef __cplusplus
}
#endif

#endif
