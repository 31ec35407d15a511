/* acc_attach and acc_detach for Fortran: one name for each type of pointer that
   the module openacc_attach knows.  The argument is the program's own
   descriptor, whose first member is the pointer to attach.  */
#include "memory.h"
#include "routine.h"

#define SYNC ACCSCOPE_ASYNC_SYNC

#define ROUTINES(type)							\
  PROCEDURE (acc_attach_##type##_, (void **pointer),			\
	     accscope_attach (t, pointer, SYNC))			\
  PROCEDURE (acc_attach_async_##type##_, (void **pointer, int async),	\
	     accscope_attach (t, pointer, async))			\
  LAST_PROCEDURE (acc_detach_##type##_, (void **pointer),		\
		  accscope_detach (t, pointer, SYNC, 0))		\
  LAST_PROCEDURE (acc_detach_async_##type##_, (void **pointer, int async), \
		  accscope_detach (t, pointer, async, 0))		\
  LAST_PROCEDURE (acc_detach_finalize_##type##_, (void **pointer),	\
		  accscope_detach (t, pointer, SYNC, 1))		\
  LAST_PROCEDURE (acc_detach_finalize_async_##type##_,			\
		  (void **pointer, int async),				\
		  accscope_detach (t, pointer, async, 1))

#define BOTH(type) ROUTINES (type##_p) ROUTINES (type##_a)

BOTH (i4)
BOTH (i8)
BOTH (r4)
BOTH (r8)
BOTH (c4)
BOTH (c8)
BOTH (l4)
