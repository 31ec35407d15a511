/* The floor: the same work through the CUDA driver API alone.  */
#include "../driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct accscope_cuda_driver cuda;

static double
now (void)
{
  struct timespec t;
  clock_gettime (CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

static const char ptx[] = ".version 6.0\n.target sm_30\n.address_size 64\n"
  ".visible .entry nothing (.param .u64 p) { ret; }\n";

#define TRY(call)							\
  do									\
    {									\
      CUresult result = (call);						\
      if (result != 0)							\
	{								\
	  fprintf (stderr, "%s: CUDA error %d\n", #call, result);	\
	  exit (1);							\
	}								\
    }									\
  while (0)

int
main (void)
{
  char reason[256];
  CUdevice device;
  CUcontext context;
  CUmodule module;
  CUfunction function;
  CUstream stream;
  CUdeviceptr memory, argument = 0;
  CUevent start, end;
  void *parameters[] = { &argument }, *pinned;
  size_t big = (size_t) 256 << 20;
  char *pageable = malloc (big);
  double t;
  int i, j;

  if (accscope_cuda_load (&cuda, "libcuda.so.1", reason, sizeof reason) != 0)
    {
      fprintf (stderr, "%s\n", reason);
      return 1;
    }
  memset (pageable, 1, big);
  TRY (cuda.cuInit (0));
  TRY (cuda.cuDeviceGet (&device, 0));
  TRY (cuda.cuDevicePrimaryCtxRetain (&context, device));
  TRY (cuda.cuCtxSetCurrent (context));
  TRY (cuda.cuModuleLoadData (&module, ptx));
  TRY (cuda.cuModuleGetFunction (&function, module, "nothing"));
  TRY (cuda.cuStreamCreate (&stream, 0));
  TRY (cuda.cuMemAlloc (&memory, big));
  TRY (cuda.cuMemHostAlloc (&pinned, big, 0));
  TRY (cuda.cuEventCreate (&start, 0));
  TRY (cuda.cuEventCreate (&end, 0));

#define REPORT(name, unit, per, body)			\
  for (j = 0; j < 3; j++)				\
    {							\
      t = now ();					\
      body;						\
      t = (now () - t) / (per);				\
      if (j == 2)					\
	printf ("%-26s %10.3f %s\n", name,		\
		unit[0] == 'G' ? big / 1e3 / t : t, unit);	\
    }

#define LAUNCH TRY (cuda.cuLaunchKernel (function, 8, 1, 1, 32, 1, 1, 0, stream, parameters, NULL))
  REPORT ("launch, synchronous", "us", 1000, {
    for (i = 0; i < 1000; i++)
      {
	LAUNCH;
	TRY (cuda.cuStreamSynchronize (stream));
      }
  });
  REPORT ("launch between events", "us", 1000, {
    for (i = 0; i < 1000; i++)
      {
	float milliseconds;
	TRY (cuda.cuEventRecord (start, stream));
	LAUNCH;
	TRY (cuda.cuEventRecord (end, stream));
	TRY (cuda.cuStreamSynchronize (stream));
	TRY (cuda.cuEventElapsedTime (&milliseconds, start, end));
      }
  });
  REPORT ("launch, 64 then wait", "us", 64 * 20, {
    for (i = 0; i < 20 * 64; i++)
      {
	LAUNCH;
	if (i % 64 == 63)
	  TRY (cuda.cuStreamSynchronize (stream));
      }
  });
  REPORT ("upload 8 B, synchronous", "us", 1000, {
    for (i = 0; i < 1000; i++)
      {
	TRY (cuda.cuMemcpyHtoDAsync (memory, pageable, 8, stream));
	TRY (cuda.cuStreamSynchronize (stream));
      }
  });
  REPORT ("pageable upload 256 MiB", "GB/s", 1, {
    TRY (cuda.cuMemcpyHtoDAsync (memory, pageable, big, stream));
    TRY (cuda.cuStreamSynchronize (stream));
  });
  REPORT ("pinned upload 256 MiB", "GB/s", 1, {
    TRY (cuda.cuMemcpyHtoDAsync (memory, pinned, big, stream));
    TRY (cuda.cuStreamSynchronize (stream));
  });
  REPORT ("pageable download 256 MiB", "GB/s", 1, {
    TRY (cuda.cuMemcpyDtoHAsync (pageable, memory, big, stream));
    TRY (cuda.cuStreamSynchronize (stream));
  });
  REPORT ("pinned download 256 MiB", "GB/s", 1, {
    TRY (cuda.cuMemcpyDtoHAsync (pinned, memory, big, stream));
    TRY (cuda.cuStreamSynchronize (stream));
  });
  return 0;
}
