/* Whether the calling thread is inside a kernel.  A kernel may end the program
   (a failed assertion calls abort, but Fortran's stop and C's exit run the exit
   handlers); waiting for its device would then never end.  The outlined
   functions that the Go part was given are remembered, and at the exit the stack
   is searched for one.  */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <unwind.h>

#include "library.h"

#define FUNCTIONS 4096		/* of a program; more are not remembered */

static void *function_set[FUNCTIONS];

static size_t
place_of (const void *function)
{
  return ((uintptr_t) function * 0x9e3779b97f4a7c15u) >> 52;
}

void
accscope_kernel_note (void (*function) (void *))
{
  void *wanted = (void *) function, *found;
  size_t i, at = place_of (wanted);

  for (i = 0; i < FUNCTIONS; i++, at = (at + 1) % FUNCTIONS)
    {
      found = __atomic_load_n (&function_set[at], __ATOMIC_RELAXED);
      if (found == NULL)
	__atomic_compare_exchange_n (&function_set[at], &found, wanted, false,
				     __ATOMIC_RELAXED, __ATOMIC_RELAXED);
      if (found == NULL || found == wanted)
	return;
    }
}

static bool
noted (const void *function)
{
  size_t i, at = place_of (function);

  for (i = 0; i < FUNCTIONS && function_set[at] != NULL; i++)
    {
      if (function_set[at] == function)
	return true;
      at = (at + 1) % FUNCTIONS;
    }
  return false;
}

/* A look through the calling thread's stack, with libgcc's unwinder, which a
   process that needs none does not load.  */
struct search
{
  __typeof__ (_Unwind_Backtrace) *backtrace;
  __typeof__ (_Unwind_GetIP) *address;
  __typeof__ (_Unwind_FindEnclosingFunction) *function;
  bool inside;
};

static _Unwind_Reason_Code
look_at (struct _Unwind_Context *frame, void *argument)
{
  struct search *s = argument;
  char *address = (char *) s->address (frame);

  /* A return address may lie behind its function's last instruction.  */
  if (address != NULL && noted (s->function (address - 1)))
    {
      s->inside = true;
      return _URC_END_OF_STACK;
    }
  return _URC_NO_REASON;
}

bool
accscope_inside_kernel (void)
{
  struct search s = { .inside = false };
  void *handle;

  if (accscope_self.kernels != 0)
    return true;
  handle = dlopen ("libgcc_s.so.1", RTLD_LAZY);
  if (handle == NULL)
    return false;
  *(void **) &s.backtrace = dlsym (handle, "_Unwind_Backtrace");
  *(void **) &s.address = dlsym (handle, "_Unwind_GetIP");
  *(void **) &s.function = dlsym (handle, "_Unwind_FindEnclosingFunction");
  if (s.backtrace != NULL && s.address != NULL && s.function != NULL)
    s.backtrace (look_at, &s);
  return s.inside;
}
