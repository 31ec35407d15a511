// Copies between two GPUs by cudaMemcpyPeer with peer access; status 77 where there is one.
#include "times.h"

#include <cuda_runtime.h>

int main()
{
  enum { Rounds = 9 };
  const size_t bytes = (size_t)1 << 30;
  int devices = 0;
  char *memory[2];
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices < 2) return 77;
  for (int device = 0; device < 2; device++) {
    cudaSetDevice(device);
    cudaDeviceEnablePeerAccess(!device, 0);
    if (cudaMalloc(&memory[device], bytes) != cudaSuccess || cudaMemset(memory[device], device, bytes) != cudaSuccess) return 1;
    cudaDeviceSynchronize();
  }
  for (int way = 0; way < 2; way++) {
    double rates[Rounds];
    for (int round = -1; round < Rounds; round++) {
      double start = now();
      if (cudaMemcpyPeer(memory[!way], !way, memory[way], way, bytes) != cudaSuccess) return 1;
      cudaSetDevice(way);
      cudaDeviceSynchronize();
      if (round >= 0) rates[round] = bytes / 1e3 / (now() - start);
    }
    qsort(rates, Rounds, sizeof *rates, compare);
    tell(way ? "GPU 1 to 0, 1 GiB" : "GPU 0 to 1, 1 GiB", rates[Rounds / 2], "GB/s");
  }
  return 0;
}
