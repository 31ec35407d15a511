/* Copies between two GPUs; status 77 where there is one, or a runtime that has no such routine.  */
#define _GNU_SOURCE
#include "times.h"

#include <dlfcn.h>
#include <openacc.h>

int
main (void)
{
  enum { ROUNDS = 9 };
  const size_t bytes = (size_t) 1 << 30;
  double rates[2][ROUNDS], calls[ROUNDS];
  /* GCC 12's header does not declare them.  */
  void (*copy) (void *, void *, size_t, int, int) = dlsym (RTLD_DEFAULT, "acc_memcpy_d2d");
  void (*copy_async) (void *, void *, size_t, int, int, int) = dlsym (RTLD_DEFAULT, "acc_memcpy_d2d_async");
  if (copy == NULL || copy_async == NULL || acc_get_num_devices (acc_device_nvidia) < 2)
    return 77;
  char *memory = malloc (bytes);
  for (int device = 0; device < 2; device++)
    {
      acc_set_device_num (device, acc_device_nvidia);
      acc_create (memory, bytes);
#pragma acc parallel loop present(memory[0:bytes])
      for (size_t i = 0; i < bytes; i++)
	memory[i] = device;
    }
  for (int round = -1; round < ROUNDS; round++)
    for (int way = 0; way < 2; way++)
      {
	double start = now ();
	copy (memory, memory, bytes, !way, way);
	if (round >= 0)
	  rates[way][round] = bytes / 1e3 / (now () - start);
      }
  acc_set_device_num (0, acc_device_nvidia);
  for (int round = 0; round < ROUNDS; round++)
    {
      double start = now ();
      copy_async (memory, memory, bytes, 1, 0, 5);
      calls[round] = now () - start;
      acc_wait (5);
    }
  for (int way = 0; way < 2; way++)
    {
      qsort (rates[way], ROUNDS, sizeof (double), compare);
      tell (way ? "GPU 1 to 0, 1 GiB" : "GPU 0 to 1, 1 GiB", rates[way][ROUNDS / 2], "GB/s");
    }
  qsort (calls, ROUNDS, sizeof *calls, compare);
  tell ("call of the asynchronous copy", calls[ROUNDS / 2], "us");
  return 0;
}
