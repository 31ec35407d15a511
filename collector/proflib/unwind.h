/* unwind.h - return addresses of the program for an event.  */
#ifndef ACCSCOPE_UNWIND_H
#define ACCSCOPE_UNWIND_H

#include <stdint.h>
#include "acc_callback.h"

/* The return addresses outside this library and the OpenACC runtime, innermost
   first, at most LIMIT; their number, 0 if none is found.  */
unsigned unwind_stack (uint64_t *stack, unsigned limit);

/* The way to the innermost one: words above the stack pointer that have been
   read on it.  A return address is what it is; a saved frame pointer lies where it
   does above the stack pointer.  */
#define WALK_WORDS 12
#define WALK_REGISTER UINT32_MAX	/* the frame pointer itself */

struct walk
{
  unsigned words;		/* 0: no way is known */
  uint32_t offset[WALK_WORDS];	/* bytes above the stack pointer */
  uint64_t value[WALK_WORDS];
  uint64_t relative;		/* bit i: the i-th value is above the stack pointer */
};

/* The innermost of them, 0 if none is found.  The same way as the last time,
   which WALK keeps, is not looked for again.  */
uint64_t unwind_caller (struct walk *walk);

/* The return address of the function whose frame an address on the stack lies in, 0 if
   it is not found.  */
uint64_t unwind_caller_of (uint64_t address);

/* Asks a runtime whether it tells where the program called.  */
void unwind_prepare (acc_prof_lookup_func lookup);

#endif
