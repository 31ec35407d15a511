/* What the runtime core asks of the loaded program and shared objects.  */
#ifndef ACCSCOPE_MODULES_H
#define ACCSCOPE_MODULES_H

#include <stdint.h>

/* Whether address lies in a loadable segment of the program or of a shared
   object: then it is that of a global, not of heap or stack memory.  */
int accscope_in_module (uintptr_t address);

static inline uintptr_t
accscope_string_address (char *string)
{
  return (uintptr_t) string;
}

#endif
