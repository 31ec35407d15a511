/* The driver, its devices and contexts, and injected errors.  */
#include "standin.h"

#include <stdlib.h>
#include <string.h>

pthread_mutex_t standin_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t standin_progress = PTHREAD_COND_INITIALIZER;
CUresult standin_lost;

#define MOST_FAULTS 16
static struct fault
{
  char function[64];
  unsigned long nth, calls;
  CUresult result;
} fault[MOST_FAULTS];
static unsigned faults;
static int devices = 1, version = 12040;
static size_t memory = (size_t) 1 << 30;
static size_t stack;		/* of each thread, in bytes */

static unsigned long
number (const char *variable, unsigned long otherwise)
{
  const char *text = getenv (variable);

  return text != NULL && *text != '\0' ? strtoul (text, NULL, 0) : otherwise;
}

EXPORT CUresult
cuInit (unsigned flags)
{
  const char *text = getenv ("ACCSCOPE_STANDIN_FAIL");

  (void) flags;
  pthread_mutex_lock (&standin_lock);
  devices = number ("ACCSCOPE_STANDIN_DEVICES", 1);
  memory = number ("ACCSCOPE_STANDIN_MEMORY", 1ul << 30);
  standin_memory (memory, number ("ACCSCOPE_STANDIN_TAKEN", 0));
  standin_lost = CUDA_SUCCESS;
  stack = 1024;
  for (faults = 0; text != NULL && *text != '\0' && faults < MOST_FAULTS; faults++)
    {
      size_t length = strcspn (text, ":");
      char *end = NULL;
      memset (&fault[faults], 0, sizeof fault[faults]);
      if (text[length] == '\0' || length >= sizeof fault[faults].function)
	abort ();
      memcpy (fault[faults].function, text, length);
      fault[faults].nth = strtoul (text + length + 1, &end, 10);
      if (*end != ':')
	abort ();
      fault[faults].result = strtol (end + 1, &end, 10);
      text = *end == ',' ? end + 1 : end;
    }
  pthread_mutex_unlock (&standin_lock);
  return standin_fault ("cuInit");
}

/* Errors that a context does not recover from.  */
static int
sticky (CUresult result)
{
  return result == 4 || result == 214 || result == 700 || (result >= 709 && result <= 719);
}

CUresult
standin_fault (const char *function)
{
  CUresult result;
  unsigned i;

  pthread_mutex_lock (&standin_lock);
  result = standin_lost;
  for (i = 0; i < faults; i++)
    if (strcmp (fault[i].function, function) == 0
	&& ++fault[i].calls == fault[i].nth && result == CUDA_SUCCESS)
      {
	result = fault[i].result;
	if (sticky (result))
	  standin_lost = result;
      }
  pthread_mutex_unlock (&standin_lock);
  return result;
}

EXPORT CUresult
cuDriverGetVersion (int *value)
{
  *value = number ("ACCSCOPE_STANDIN_VERSION", version);
  return CUDA_SUCCESS;
}

static const struct
{
  CUresult result;
  const char *name, *text;
} texts[] = {
  { 0, "CUDA_SUCCESS", "no error" },
  { 1, "CUDA_ERROR_INVALID_VALUE", "invalid argument" },
  { 2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory" },
  { 100, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected" },
  { 101, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal" },
  { 218, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed" },
  { 500, "CUDA_ERROR_NOT_FOUND", "named symbol not found" },
  { 700, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered" },
  { 719, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure" },
};

static CUresult
describe (CUresult error, const char **text, int name)
{
  size_t i;

  for (i = 0; i < sizeof texts / sizeof texts[0]; i++)
    if (texts[i].result == error)
      {
	*text = name ? texts[i].name : texts[i].text;
	return CUDA_SUCCESS;
      }
  return CUDA_ERROR_INVALID_VALUE;
}

EXPORT CUresult
cuGetErrorName (CUresult error, const char **name)
{
  return describe (error, name, 1);
}

EXPORT CUresult
cuGetErrorString (CUresult error, const char **text)
{
  return describe (error, text, 0);
}

EXPORT CUresult
cuDeviceGetCount (int *count)
{
  FAULT ("cuDeviceGetCount");
  *count = devices;
  return CUDA_SUCCESS;
}

EXPORT CUresult
cuDeviceGet (CUdevice *device, int ordinal)
{
  if (ordinal < 0 || ordinal >= devices)
    return 101;
  *device = ordinal;
  return CUDA_SUCCESS;
}

EXPORT CUresult
cuDeviceGetName (char *name, int length, CUdevice device)
{
  (void) device;
  strncpy (name, "stand-in GPU", length);
  return CUDA_SUCCESS;
}

EXPORT CUresult
cuDeviceGetAttribute (int *value, int attribute, CUdevice device)
{
  (void) device;
  switch (attribute)
    {
    case CU_DEVICE_ATTRIBUTE_WARP_SIZE:
      *value = 32;
      break;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
      *value = 132;
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR:
      *value = 2048;
      break;
    case CU_DEVICE_ATTRIBUTE_CLOCK_RATE:
      *value = 1980000;
      break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
      *value = number ("ACCSCOPE_STANDIN_CAPABILITY", 90) / 10;
      break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
      *value = number ("ACCSCOPE_STANDIN_CAPABILITY", 90) % 10;
      break;
    default:
      *value = 0;
    }
  return CUDA_SUCCESS;
}

EXPORT CUresult
cuDeviceTotalMem_v2 (size_t *bytes, CUdevice device)
{
  (void) device;
  *bytes = memory;
  return CUDA_SUCCESS;
}

/* A context is an address, one for each device.  */
static char contexts[64];
static _Thread_local CUcontext current;

uint32_t
standin_device (void)
{
  return current == NULL ? 0 : (uint32_t) ((char *) current - contexts);
}

EXPORT CUresult
cuDevicePrimaryCtxRetain (CUcontext *context, CUdevice device)
{
  FAULT ("cuDevicePrimaryCtxRetain");
  *context = (CUcontext) &contexts[device];
  return CUDA_SUCCESS;
}

EXPORT CUresult
cuDevicePrimaryCtxRelease_v2 (CUdevice device)
{
  (void) device;
  return CUDA_SUCCESS;
}

EXPORT CUresult
cuCtxGetCurrent (CUcontext *context)
{
  *context = current;
  return CUDA_SUCCESS;
}

EXPORT CUresult
cuCtxSetCurrent (CUcontext context)
{
  current = context;
  return CUDA_SUCCESS;
}

EXPORT CUresult
cuCtxGetLimit (size_t *value, int limit)
{
  FAULT ("cuCtxGetLimit");
  *value = stack;
  return limit == CU_LIMIT_STACK_SIZE ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

EXPORT CUresult
cuCtxSetLimit (int limit, size_t value)
{
  FAULT ("cuCtxSetLimit");
  if (limit != CU_LIMIT_STACK_SIZE)
    return CUDA_ERROR_INVALID_VALUE;
  stack = value;
  return CUDA_SUCCESS;
}
