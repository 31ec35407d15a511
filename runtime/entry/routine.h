/* What the entry points of API routines have in common, for the C and the Fortran
   names: parameters in parentheses, and the call that is the routine.  */
#ifndef ACCSCOPE_ROUTINE_H
#define ACCSCOPE_ROUTINE_H

#include "library.h"

#define ROUTINE(result, name, parameters, call)				\
result									\
ENTRY (name) parameters							\
{									\
  BEGIN;								\
  result value = call;							\
  END;									\
  return value;								\
}

#define PROCEDURE(name, parameters, call)				\
  PROCEDURE_UNLESS (false, name, parameters, call)

/* One that only takes down or waits for what is there: after the end of the
   program that is nothing.  */
#define LAST_PROCEDURE(name, parameters, call)				\
  PROCEDURE_UNLESS (ended (), name, parameters, call)

/* One that copies bytes to host.  */
#define LAST_COPY(name, parameters, call)				\
  PROCEDURE_UNLESS (ended_copy (#name, host, bytes != 0), name, parameters, call)

#define PROCEDURE_UNLESS(late, name, parameters, call)			\
void									\
ENTRY (name) parameters							\
{									\
  if (late)								\
    return;								\
  BEGIN;								\
  call;									\
  END;									\
}

/* ended (), where a routine was to copy to the host, if there is any data: says
   that it does not.  */
static inline bool
ended_copy (const char *routine, const void *host, bool any)
{
  if (!ended ())
    return false;
  if (host != NULL && any)
    accscope_uncopied (routine, host);
  return true;
}

#endif
