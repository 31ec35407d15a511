/* The C side of package loaded.  */
#ifndef ACCSCOPE_LOADED_H
#define ACCSCOPE_LOADED_H

#include <stdint.h>

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

/* Where the program's own variables lie, those of no shared object: up to the end that
   is returned.  Both are 0 if there are none.  */
uintptr_t accscope_program_data (uintptr_t *start);

/* The end of the calling thread's stack, 1 if it cannot be known.  */
uintptr_t accscope_stack_end (void);

#endif
