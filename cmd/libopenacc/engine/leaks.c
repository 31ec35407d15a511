#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "leaks.h"

#define ARENA ((uintptr_t) 64 << 20)	/* Go's heap consists of them, at their multiples */

/* Of a program built with -fsanitize=address or leak, if it is one.  */
extern void __lsan_register_root_region (const void *begin, size_t size)
  __attribute__ ((weak));

/* Whether nothing is mapped from BEGIN to END.  */
static int
unmapped (uintptr_t begin, uintptr_t end)
{
  uintptr_t from, to;
  int result = 1;
  FILE *maps = fopen ("/proc/self/maps", "re");

  if (maps == NULL)
    return 0;
  while (fscanf (maps, "%" SCNxPTR "-%" SCNxPTR "%*[^\n]", &from, &to) == 2)
    if (from < end && begin < to)
      result = 0;
  fclose (maps);
  return result;
}

/* The heap grows upwards from its first arena, where there is room, and what of the region
   is not mapped costs nothing.  Where Go found no such place its heap is among libraries:
   of what is mapped there not all can be read that says so (the kernel's [vvar]), and most
   is the checker's business already.  */
void
accscope_engine_leaks_begin (const void *object)
{
  const uintptr_t begin = (uintptr_t) object & ~(ARENA - 1);
  const size_t most = (size_t) 64 << 30;

  if (__lsan_register_root_region != NULL)
    __lsan_register_root_region ((void *) begin,
				 unmapped (begin + ARENA, begin + most) ? most : ARENA);
}
