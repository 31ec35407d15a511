/* What the runtime core asks of the loaded program and shared objects.  */
#ifndef ACCSCOPE_MODULES_H
#define ACCSCOPE_MODULES_H

#include <stdint.h>
#include <stdlib.h>

struct accscope_module
{
  uintptr_t base;		/* what its addresses are relative to */
  char path[4096];
};

/* Whether address lies in a loadable segment of the program or of a shared
   object, and of which.  */
int accscope_module_of (uintptr_t address, struct accscope_module *module);

/* Fills in the loaded modules, at most limit; returns how many there are.  */
int accscope_modules (struct accscope_module *modules, int limit);

/* How many modules have been closed so far.  */
unsigned long long accscope_closed_modules (void);

/* Whether address lies in constant data or code of a loaded module.  */
int accscope_read_only (uintptr_t address);

/* The end of the calling thread's stack, 1 if it cannot be known.  */
uintptr_t accscope_stack_end (void);

static inline uintptr_t
accscope_string_address (char *string)
{
  return (uintptr_t) string;
}

static inline void
accscope_string_free (uintptr_t string)
{
  free ((void *) string);
}

#endif
