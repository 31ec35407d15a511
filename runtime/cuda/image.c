/* Images of device code: linked by the driver from PTX, and what is in them.  */
#include <stdlib.h>
#include <string.h>

#include "cuda.h"

struct accscope_cuda_answer
accscope_cuda_link (struct accscope_cuda_device *d, const void *objects,
		    unsigned count, int optimisation, CUmodule *module,
		    void **code, size_t *bytes, char *log, size_t room)
{
  const struct accscope_cuda_object *object = objects;
  int options[3] = { CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
		     CU_JIT_OPTIMIZATION_LEVEL };
  void *values[3] = { log, (void *) room, (void *) (uintptr_t) optimisation };
  struct accscope_cuda_answer a;
  CUlinkState state;
  void *image;
  size_t size;
  unsigned i;

  ENTERED (d);
  log[0] = '\0';
  a = CALL (d, cuLinkCreate, optimisation >= 0 ? 3 : 2, options, values, &state);
  if (!FAILED (a))
    {
      for (i = 0; i < count && !FAILED (a); i++)
	a = CALL (d, cuLinkAddData, state, CU_JIT_INPUT_PTX,
		  (void *) object[i].code, object[i].size, NULL, 0, NULL, NULL);
      if (!FAILED (a))
	a = CALL (d, cuLinkComplete, state, &image, &size);
      if (!FAILED (a) && (*code = malloc (size)) != NULL)
	{
	  memcpy (*code, image, size);
	  *bytes = size;
	}
      if (!FAILED (a))
	a = CALL (d, cuModuleLoadData, module, image);
      GIVE_BACK (d, cuLinkDestroy, state);
    }
  return a;
}

struct accscope_cuda_answer
accscope_cuda_load_text (struct accscope_cuda_device *d, const char *text,
			 CUmodule *module, char *log, size_t room)
{
  int options[2] = { CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES };
  void *values[2] = { log, (void *) room };

  ENTERED (d);
  log[0] = '\0';
  return CALL (d, cuModuleLoadDataEx, module, text, 2, options, values);
}

struct accscope_cuda_answer
accscope_cuda_load_code (struct accscope_cuda_device *d, const void *code,
			 CUmodule *module)
{
  ENTERED (d);
  return CALL (d, cuModuleLoadData, module, code);
}

struct accscope_cuda_answer
accscope_cuda_function (struct accscope_cuda_device *d, CUmodule module,
			const char *name, CUfunction *function, int *threads)
{
  ENTERED (d);
  struct accscope_cuda_answer a
    = CALL (d, cuModuleGetFunction, function, module, name);

  return FAILED (a) ? a : CALL (d, cuFuncGetAttribute, threads,
				CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, *function);
}

struct accscope_cuda_answer
accscope_cuda_variable (struct accscope_cuda_device *d, CUmodule module,
			const char *name, CUdeviceptr *address, size_t *bytes)
{
  ENTERED (d);
  return CALL (d, cuModuleGetGlobal, address, bytes, module, name);
}

struct accscope_cuda_answer
accscope_cuda_set (struct accscope_cuda_device *d, CUmodule module,
		   const char *name, const void *value, size_t bytes)
{
  ENTERED (d);
  CUdeviceptr address;
  size_t size;
  struct accscope_cuda_answer a
    = CALL (d, cuModuleGetGlobal, &address, &size, module, name);

  if (a.result == CUDA_ERROR_NOT_FOUND)
    return SUCCESS;
  return FAILED (a) || size != bytes ? a : CALL (d, cuMemcpyHtoD, address, value, bytes);
}

struct accscope_cuda_answer
accscope_cuda_unload (struct accscope_cuda_device *d, CUmodule module)
{
  ENTERED (d);
  return CALL (d, cuModuleUnload, module);
}

struct accscope_cuda_answer
accscope_cuda_occupancy (struct accscope_cuda_device *d, CUfunction function,
			 int limit, int *grid, int *block)
{
  ENTERED (d);
  return CALL (d, cuOccupancyMaxPotentialBlockSize, grid, block, function, NULL, 0,
	    limit);
}
