/* The stack of each thread on the device.  The driver's functions for it are looked for where
   its others are from: one that lacks them only has no other stack than its own.  */
#define _GNU_SOURCE
#include "cuda.h"

#include <dlfcn.h>

enum { CU_LIMIT_STACK_SIZE = 0, NOT_SUPPORTED = 801 };

/* NULL if there is none of the name.  */
static void *
function (const struct accscope_cuda_driver *cuda, const char *name)
{
  void *library, *found;
  Dl_info of;

  if (dladdr ((void *) cuda->cuInit, &of) == 0
      || (library = dlopen (of.dli_fname, RTLD_LAZY | RTLD_NOLOAD)) == NULL)
    return NULL;
  found = dlsym (library, name);
  dlclose (library);		/* it stays open */
  return found;
}

/* Gives each thread so many bytes, 0: leaves them what they have, and tells how many they
   have, 0: that is not known.  */
struct accscope_cuda_answer
accscope_cuda_stack (struct accscope_cuda_device *d, size_t wanted, size_t *bytes)
{
  CUresult (*set) (int, size_t) = (CUresult (*) (int, size_t)) function (d->cuda, "cuCtxSetLimit");
  CUresult (*get) (size_t *, int) = (CUresult (*) (size_t *, int)) function (d->cuda, "cuCtxGetLimit");
  struct accscope_cuda_answer a = SUCCESS;

  ENTERED (d);
  *bytes = 0;
  if (wanted > 0)
    a = ANSWER (cuCtxSetLimit, set != NULL ? set (CU_LIMIT_STACK_SIZE, wanted)
			       : NOT_SUPPORTED);
  if (!FAILED (a) && get != NULL)
    a = ANSWER (cuCtxGetLimit, get (bytes, CU_LIMIT_STACK_SIZE));
  return a;
}
