#include "nvml.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

/* As NVML's documentation has them.  */
typedef int nvml_return;
typedef struct nvml_device_opaque *nvml_device;
struct nvml_utilization { unsigned gpu, memory; };
struct nvml_memory { unsigned long long total, free, used; };
enum { NVML_SUCCESS = 0, NVML_TEMPERATURE_GPU = 0, NVML_CLOCK_SM = 1, NVML_CLOCK_MEMORY = 2 };

struct accscope_nvml
{
  void *library;
  nvml_return (*shutdown) (void);
  nvml_return (*count) (unsigned *);
  nvml_return (*handle) (unsigned, nvml_device *);
  nvml_return (*name) (nvml_device, char *, unsigned);
  nvml_return (*utilization) (nvml_device, struct nvml_utilization *);
  nvml_return (*memory) (nvml_device, struct nvml_memory *);
  nvml_return (*power) (nvml_device, unsigned *);
  nvml_return (*temperature) (nvml_device, int, unsigned *);
  nvml_return (*clock) (nvml_device, int, unsigned *);
};

struct accscope_nvml *
accscope_nvml_open (const char *name, char *problem, unsigned bytes)
{
  void *library = dlopen (name, RTLD_LAZY | RTLD_LOCAL);
  if (!library)
    {
      snprintf (problem, bytes, "%s", dlerror ());
      return NULL;
    }
  nvml_return (*init) (void) = (nvml_return (*) (void)) dlsym (library, "nvmlInit_v2");
  struct accscope_nvml *nvml = calloc (1, sizeof *nvml);
  if (nvml)
    *nvml = (struct accscope_nvml) {
      .library = library,
      .shutdown = (nvml_return (*) (void)) dlsym (library, "nvmlShutdown"),
      .count = (nvml_return (*) (unsigned *)) dlsym (library, "nvmlDeviceGetCount_v2"),
      .handle = (nvml_return (*) (unsigned, nvml_device *)) dlsym (library, "nvmlDeviceGetHandleByIndex_v2"),
      .name = (nvml_return (*) (nvml_device, char *, unsigned)) dlsym (library, "nvmlDeviceGetName"),
      .utilization = (nvml_return (*) (nvml_device, struct nvml_utilization *)) dlsym (library, "nvmlDeviceGetUtilizationRates"),
      .memory = (nvml_return (*) (nvml_device, struct nvml_memory *)) dlsym (library, "nvmlDeviceGetMemoryInfo"),
      .power = (nvml_return (*) (nvml_device, unsigned *)) dlsym (library, "nvmlDeviceGetPowerUsage"),
      .temperature = (nvml_return (*) (nvml_device, int, unsigned *)) dlsym (library, "nvmlDeviceGetTemperature"),
      .clock = (nvml_return (*) (nvml_device, int, unsigned *)) dlsym (library, "nvmlDeviceGetClockInfo"),
    };
  if (!nvml || !init || !nvml->shutdown || !nvml->count || !nvml->handle || !nvml->name)
    snprintf (problem, bytes, "%s has not the functions of NVML", name);
  else
    {
      nvml_return status = init ();
      if (status == NVML_SUCCESS)
	return nvml;
      const char *(*text) (nvml_return) = (const char *(*) (nvml_return)) dlsym (library, "nvmlErrorString");
      snprintf (problem, bytes, "%s: %s (%d)", name, text ? text (status) : "it can't begin", status);
    }
  free (nvml);
  dlclose (library);
  return NULL;
}

unsigned
accscope_nvml_count (struct accscope_nvml *nvml)
{
  unsigned count = 0;
  return nvml->count (&count) == NVML_SUCCESS ? count : 0;
}

int
accscope_nvml_name (struct accscope_nvml *nvml, unsigned index, char name[NVML_NAME_BYTES])
{
  nvml_device device;
  if (nvml->handle (index, &device) != NVML_SUCCESS || nvml->name (device, name, NVML_NAME_BYTES) != NVML_SUCCESS)
    return 0;
  name[NVML_NAME_BYTES - 1] = 0;
  return 1;
}

void
accscope_nvml_read (struct accscope_nvml *nvml, unsigned index, struct accscope_nvml_figures *figures)
{
  long long *values = figures->values;
  for (int i = 0; i < NVML_FIGURES; i++)
    values[i] = -1;
  nvml_device device;
  if (nvml->handle (index, &device) != NVML_SUCCESS)
    return;
  struct nvml_utilization utilization;
  struct nvml_memory memory;
  unsigned figure;
  if (nvml->utilization && nvml->utilization (device, &utilization) == NVML_SUCCESS)
    {
      values[0] = utilization.gpu;
      values[1] = utilization.memory;
    }
  if (nvml->memory && nvml->memory (device, &memory) == NVML_SUCCESS)
    values[2] = (long long) memory.used;
  if (nvml->power && nvml->power (device, &figure) == NVML_SUCCESS)
    values[3] = figure;
  if (nvml->temperature && nvml->temperature (device, NVML_TEMPERATURE_GPU, &figure) == NVML_SUCCESS)
    values[4] = figure;
  if (nvml->clock && nvml->clock (device, NVML_CLOCK_SM, &figure) == NVML_SUCCESS)
    values[5] = figure;
  if (nvml->clock && nvml->clock (device, NVML_CLOCK_MEMORY, &figure) == NVML_SUCCESS)
    values[6] = figure;
}

void
accscope_nvml_close (struct accscope_nvml *nvml)
{
  /* The library stays: it may have threads of its own.  */
  nvml->shutdown ();
  free (nvml);
}
