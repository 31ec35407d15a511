#include <stddef.h>
#include <stdint.h>
#include "leaks.h"

/* Of a program built with -fsanitize=address or leak, if it is one.  */
extern void __lsan_register_root_region (const void *begin, size_t size)
  __attribute__ ((weak));

void
accscope_engine_leaks_begin (const void *object)
{
  /* Go's heap begins at a multiple of 64 MiB and grows upwards; what of the region is
     not mapped costs nothing.  */
  const uintptr_t arena = (uintptr_t) 64 << 20;
  const size_t most = (size_t) 64 << 30;

  if (__lsan_register_root_region != NULL)
    __lsan_register_root_region ((void *) ((uintptr_t) object & ~(arena - 1)),
				 most);
}
