#include "driver.h"

#include <dlfcn.h>
#include <stdio.h>

int
accscope_cuda_load (struct accscope_cuda_driver *table, const char *library,
		    char *reason, size_t room)
{
  void *handle = dlopen (library, RTLD_NOW | RTLD_LOCAL);

  if (handle == NULL)
    {
      const char *text = dlerror ();
      snprintf (reason, room, "%s", text != NULL ? text : library);
      return -1;
    }
#define X(name, symbol, parameters)					\
  *(void **) &table->name = dlsym (handle, symbol);			\
  if (table->name == NULL)						\
    {									\
      snprintf (reason, room, "%s has no function %s", library, symbol);	\
      dlclose (handle);							\
      return -1;							\
    }
  ACCSCOPE_CUDA_FUNCTIONS (X)
#undef X
  return 0;
}

const char *
accscope_cuda_text (const struct accscope_cuda_driver *table, CUresult result,
		    int what)
{
  const char *text = NULL;

  if ((what == 0 ? table->cuGetErrorName : table->cuGetErrorString)
      (result, &text) != CUDA_SUCCESS)
    return NULL;
  return text;
}

/* What the Go side asks before a device is open.  */
CUresult
accscope_cuda_start (const struct accscope_cuda_driver *table, int *version,
		     int *count)
{
  CUresult result = table->cuDriverGetVersion (version);

  if (result == CUDA_SUCCESS)
    result = table->cuInit (0);
  return result == CUDA_SUCCESS ? table->cuDeviceGetCount (count) : result;
}

CUresult
accscope_cuda_describe (const struct accscope_cuda_driver *table, int number,
			char *name, int room, size_t *memory)
{
  CUdevice device;
  CUresult result = table->cuDeviceGet (&device, number);

  if (result == CUDA_SUCCESS)
    result = table->cuDeviceGetName (name, room, device);
  return result == CUDA_SUCCESS ? table->cuDeviceTotalMem (memory, device) : result;
}

CUresult
accscope_cuda_free_memory (const struct accscope_cuda_driver *table, int number,
			   size_t *free)
{
  CUcontext before = NULL, context;
  CUdevice device;
  size_t total;
  CUresult result = table->cuDeviceGet (&device, number), restored;

  if (result == CUDA_SUCCESS)
    result = table->cuDevicePrimaryCtxRetain (&context, device);
  if (result != CUDA_SUCCESS)
    return result;
  result = table->cuCtxGetCurrent (&before);
  if (result == CUDA_SUCCESS)
    result = table->cuCtxSetCurrent (context);
  if (result == CUDA_SUCCESS)
    {
      result = table->cuMemGetInfo (free, &total);
      restored = table->cuCtxSetCurrent (before);
      if (result == CUDA_SUCCESS)
	result = restored;
    }
  restored = table->cuDevicePrimaryCtxRelease (device);
  return result == CUDA_SUCCESS ? restored : result;
}

CUresult
accscope_cuda_device (const struct accscope_cuda_driver *table, int number,
		      CUdevice *device)
{
  return table->cuDeviceGet (device, number);
}

int
accscope_cuda_attribute (const struct accscope_cuda_driver *table, CUdevice device,
			 int attribute)
{
  int value = 0;

  if (table->cuDeviceGetAttribute (&value, attribute, device) != CUDA_SUCCESS)
    return 0;
  return value;
}

int
accscope_cuda_multiprocessors (const struct accscope_cuda_driver *table, int number)
{
  CUdevice device;

  if (table->cuDeviceGet (&device, number) != CUDA_SUCCESS)
    return 0;
  return accscope_cuda_attribute (table, device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
}
