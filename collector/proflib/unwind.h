/* unwind.h - return addresses of the program for an event.  */
#ifndef ACCSCOPE_UNWIND_H
#define ACCSCOPE_UNWIND_H

#include <stdint.h>
#include "acc_callback.h"

/* The return addresses outside this library and the OpenACC runtime, innermost
   first, at most LIMIT; their number, 0 if none is found.  */
unsigned unwind_stack (uint64_t *stack, unsigned limit);

/* Asks a runtime whether it tells where the program called.  */
void unwind_prepare (acc_prof_lookup_func lookup);

#endif
