/* acc_attach and acc_detach for Fortran: one name for each type of pointer that
   the module openacc_attach knows.  The argument is the program's own
   descriptor, whose first member is the pointer to attach.  */
#include "memory.h"

#define SUBROUTINE(name, call)						\
void									\
ENTRY (name) (void **pointer)						\
{									\
  BEGIN;								\
  call;									\
  END;									\
}

#define SUBROUTINE_ASYNC(name, call)					\
void									\
ENTRY (name) (void **pointer, int async)				\
{									\
  BEGIN;								\
  call;									\
  END;									\
}

#define LAST_SUBROUTINE(name, call)					\
void									\
ENTRY (name) (void **pointer)						\
{									\
  if (ended ())								\
    return;								\
  BEGIN;								\
  call;									\
  END;									\
}

#define LAST_SUBROUTINE_ASYNC(name, call)				\
void									\
ENTRY (name) (void **pointer, int async)				\
{									\
  if (ended ())								\
    return;								\
  BEGIN;								\
  call;									\
  END;									\
}

#define SYNC ACCSCOPE_ASYNC_SYNC

#define ROUTINES(type)							\
  SUBROUTINE (acc_attach_##type##_, accscope_attach (t, pointer, SYNC))	\
  SUBROUTINE_ASYNC (acc_attach_async_##type##_,				\
		    accscope_attach (t, pointer, async))		\
  LAST_SUBROUTINE (acc_detach_##type##_,				\
		   accscope_detach (t, pointer, SYNC, 0))		\
  LAST_SUBROUTINE_ASYNC (acc_detach_async_##type##_,			\
			 accscope_detach (t, pointer, async, 0))	\
  LAST_SUBROUTINE (acc_detach_finalize_##type##_,			\
		   accscope_detach (t, pointer, SYNC, 1))		\
  LAST_SUBROUTINE_ASYNC (acc_detach_finalize_async_##type##_,		\
			 accscope_detach (t, pointer, async, 1))

#define BOTH(type) ROUTINES (type##_p) ROUTINES (type##_a)

BOTH (i4)
BOTH (i8)
BOTH (r4)
BOTH (r8)
BOTH (c4)
BOTH (c8)
BOTH (l4)
