/* A management library of two GPUs, whose figures change from call to call; the second
   one has no power figure, as a part of a GPU has none.  */
#include <stdlib.h>
#include <string.h>

struct utilization { unsigned gpu, memory; };
struct memory { unsigned long long total, free, used; };

static unsigned calls;

int nvmlInit_v2 (void) { return getenv ("STANDIN_NVML_FAILS") ? 9 : 0; }
int nvmlShutdown (void) { return 0; }
const char *nvmlErrorString (int status) { return status == 9 ? "Driver Not Loaded" : "?"; }
int nvmlDeviceGetCount_v2 (unsigned *count) { *count = 2; return 0; }
int nvmlDeviceGetHandleByIndex_v2 (unsigned index, void **device) { *device = (void *) (size_t) (index + 1); return index < 2 ? 0 : 2; }
int nvmlDeviceGetName (void *device, char *name, unsigned length) { strncpy (name, device == (void *) 1 ? "Stand-in A" : "Stand-in B", length); return 0; }
int nvmlDeviceGetUtilizationRates (void *device, struct utilization *u)
{
  u->gpu = device == (void *) 1 ? ++calls % 100 : 7;
  u->memory = 3;
  return 0;
}
int nvmlDeviceGetMemoryInfo (void *device, struct memory *m)
{
  m->total = 80ull << 30;
  m->used = (size_t) device * (5ull << 30);
  m->free = m->total - m->used;
  return 0;
}
int nvmlDeviceGetPowerUsage (void *device, unsigned *power) { *power = 312500; return device == (void *) 1 ? 0 : 3; }
int nvmlDeviceGetTemperature (void *device, int sensor, unsigned *celsius) { *celsius = 40 + (size_t) device; return sensor; }
int nvmlDeviceGetClockInfo (void *device, int type, unsigned *clock) { (void) device; *clock = type == 1 ? 1980 : 2619; return type == 1 || type == 2 ? 0 : 2; }
