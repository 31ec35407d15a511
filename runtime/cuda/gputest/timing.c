/* Times kernels by CUDA's own events on the stream of an OpenACC queue, to
   compare with the times in a trace of the same run: prints the milliseconds of
   all kernels.  They take milliseconds each: the events are some ten microseconds
   farther apart than a kernel's begin and end.  */
#include "../driver.h"

#include <openacc.h>
#include <stdio.h>

static struct accscope_cuda_driver cuda;
enum { N = 1 << 22 };
static float a[N];

int
main (void)
{
  enum { ROUNDS = 20 };
  CUevent event[ROUNDS][2];
  double total = 0;
  char reason[256];
  int i, round;

  if (accscope_cuda_load (&cuda, "libcuda.so.1", reason, sizeof reason) != 0)
    {
      fprintf (stderr, "%s\n", reason);
      return 1;
    }
#pragma acc enter data create (a) async (1)
#pragma acc wait (1)
  for (round = 0; round < ROUNDS; round++)
    {
      CUstream stream = acc_get_cuda_stream (1);
      if (cuda.cuEventCreate (&event[round][0], 0) != 0
	  || cuda.cuEventCreate (&event[round][1], 0) != 0)
	return 1;
      cuda.cuEventRecord (event[round][0], stream);
#pragma acc parallel loop present (a) async (1)
      for (i = 0; i < N; i++)
	{
	  float x = i;
	  for (int k = 0; k < 20000; k++)
	    x = x * 0.999f + 1;
	  a[i] = x;
	}
      cuda.cuEventRecord (event[round][1], stream);
    }
#pragma acc wait (1)
  for (round = 0; round < ROUNDS; round++)
    {
      float milliseconds = 0;
      if (cuda.cuEventElapsedTime (&milliseconds, event[round][0], event[round][1]) != 0)
	return 1;
      total += milliseconds;
    }
  printf ("%.4f\n", total);
  return 0;
}
