// What kernels.c has, by hand in CUDA: the same arrays, and the best of some block sizes.
#include "times.h"

#include <cuda_runtime.h>

#define TRY(call)                                                       \
  do {                                                                  \
    cudaError_t e_ = (call);                                            \
    if (e_ != cudaSuccess) {                                            \
      fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e_));       \
      exit(1);                                                          \
    }                                                                   \
  } while (0)

static cudaStream_t stream;

__global__ void copy(const double2 *__restrict__ a, double2 *__restrict__ c, long n)
{
  for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < n; i += (long)gridDim.x * blockDim.x) c[i] = a[i];
}

__global__ void triad(double2 *__restrict__ a, const double2 *__restrict__ b, const double2 *__restrict__ c, long n)
{
  for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < n; i += (long)gridDim.x * blockDim.x)
    a[i] = make_double2(b[i].x + 3.0 * c[i].x, b[i].y + 3.0 * c[i].y);
}

template <bool Max> __device__ double both(double x, double y) { return Max ? fmax(x, y) : x + y; }

// The block's sum or maximum, in its first thread.
template <bool Max> __device__ double ofBlock(double s)
{
  __shared__ double warps[32];
  for (int d = 16; d; d >>= 1) s = both<Max>(s, __shfl_down_sync(~0u, s, d));
  if ((threadIdx.x & 31) == 0) warps[threadIdx.x >> 5] = s;
  __syncthreads();
  if (threadIdx.x < 32) {
    s = threadIdx.x < blockDim.x / 32 ? warps[threadIdx.x] : Max ? -1e300 : 0;
    for (int d = 16; d; d >>= 1) s = both<Max>(s, __shfl_down_sync(~0u, s, d));
  }
  return s;
}

template <bool Max> __global__ void blocks(const double2 *__restrict__ a, const double2 *__restrict__ b, long n, double *out)
{
  double s = Max ? -1e300 : 0;
  for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < n; i += (long)gridDim.x * blockDim.x)
    s = Max ? fmax(s, fmax(a[i].x, a[i].y)) : s + a[i].x * b[i].x + a[i].y * b[i].y;
  s = ofBlock<Max>(s);
  if (threadIdx.x == 0) out[blockIdx.x] = s;
}

template <bool Max> __global__ void last(const double *parts, int n, double *out)
{
  double s = Max ? -1e300 : 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) s = both<Max>(s, parts[i]);
  s = ofBlock<Max>(s);
  if (threadIdx.x == 0) *out = s;
}

__global__ void stencil(const double *__restrict__ a, double *__restrict__ c, int nx, int ny)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x + 1, j = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (i < nx - 1 && j < ny - 1) {
    long k = (long)j * nx + i;
    c[k] = 0.2 * (a[k] + a[k - 1] + a[k + 1] + a[k - nx] + a[k + nx]);
  }
}

__global__ void rows(double *c, int length)
{
  int j = blockIdx.x * blockDim.y + threadIdx.y;
  if (j < 964)
    for (int k = threadIdx.x; k < length; k += blockDim.x) c[j * 964L + k] += 1;
}

static double *a, *b, *c, *out;
static long n;
static int width, processors;

static unsigned grid(long elements)
{
  long full = (elements + width - 1) / width, waves = (long)processors * 4 * (2048 / width);
  return full < waves ? full : waves;
}

static void launchCopy() { copy<<<grid(n / 2), width, 0, stream>>>((double2 *)a, (double2 *)c, n / 2); }
static void launchTriad() { triad<<<grid(n / 2), width, 0, stream>>>((double2 *)a, (double2 *)b, (double2 *)c, n / 2); }
template <bool Max> static void reduce()
{
  unsigned g = grid(n / 2), most = processors * (2048 / width);
  if (g > most) g = most;
  blocks<Max><<<g, width, 0, stream>>>((double2 *)a, (double2 *)b, n / 2, out);
  last<Max><<<1, 1024, 0, stream>>>(out, g, out + 65535);
}
static void launchStencil()
{
  dim3 block(width, 1), blocks((8192 + width - 1) / width, n / 8192);
  stencil<<<blocks, block, 0, stream>>>(a, c, 8192, n / 8192);
}
template <int Length> static void launchRows()
{
  dim3 block(32, width / 32);
  rows<<<(964 + block.y - 1) / block.y, block, 0, stream>>>(c, Length);
}
static void wait()
{
  TRY(cudaGetLastError());
  TRY(cudaStreamSynchronize(stream));
}

// The best width of a block; the launches are recorded once and played, as by hand one would.
static void best(const char *name, void (*launch)())
{
  double fastest = 1e300;
  for (width = 128; width <= 1024; width *= 2) {
    double times[9];
    cudaGraph_t graph;
    cudaGraphExec_t played;
    launch();
    wait();
    double start = now();
    launch();
    launch();
    wait();
    double once = (now() - start) / 2;
    int launches = once > 2000 ? 4 : once < 80 ? 100 : (int)(8000 / once);
    TRY(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    for (int i = 0; i < launches; i++) launch();
    TRY(cudaStreamEndCapture(stream, &graph));
    TRY(cudaGraphInstantiate(&played, graph, 0));
    TRY(cudaGraphLaunch(played, stream));
    wait();
    for (int round = 0; round < 9; round++) {
      start = now();
      TRY(cudaGraphLaunch(played, stream));
      wait();
      times[round] = (now() - start) / launches;
    }
    TRY(cudaGraphExecDestroy(played));
    TRY(cudaGraphDestroy(graph));
    qsort(times, 9, sizeof *times, compare);
    if (times[4] < fastest) fastest = times[4];
  }
  tell(name, fastest, "us");
}

int main()
{
  const long most = 1L << 27;
  cudaDeviceProp properties;
  TRY(cudaGetDeviceProperties(&properties, 0));
  processors = properties.multiProcessorCount;
  TRY(cudaMalloc(&a, most * 8));
  TRY(cudaMalloc(&b, most * 8));
  TRY(cudaMalloc(&c, most * 8));
  TRY(cudaMalloc(&out, 65536 * 8));
  double *host = (double *)malloc(most * 8);
  for (long i = 0; i < most; i++) host[i] = 1 + (i & 1023) * 1e-3;
  TRY(cudaMemcpy(a, host, most * 8, cudaMemcpyHostToDevice));
  for (long i = 0; i < most; i++) host[i] = 2 - (i & 511) * 1e-3;
  TRY(cudaMemcpy(b, host, most * 8, cudaMemcpyHostToDevice));
  TRY(cudaMemset(c, 0, most * 8));
  TRY(cudaStreamCreate(&stream));
  n = 1L << 12;
  best("copy of 2^12", launchCopy);
  best("dot product of 2^12", reduce<false>);
  n = 1L << 25;
  best("copy of 2^25", launchCopy);
  best("triad of 2^25", launchTriad);
  best("dot product of 2^25", reduce<false>);
  best("dot product of 2^25, no workers", reduce<false>);
  best("maximum of 2^25", reduce<true>);
  best("stencil of 2^25", launchStencil);
  best("964 rows of 2", launchRows<2>);
  best("964 rows of 964", launchRows<964>);
  n = most;
  best("copy of 2^27", launchCopy);
  best("triad of 2^27", launchTriad);
  best("dot product of 2^27", reduce<false>);
  return 0;
}
