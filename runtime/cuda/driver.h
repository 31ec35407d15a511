/* The part of the CUDA driver API that this backend uses, declared here so that
   no CUDA is needed to build, and the table of its functions, which is filled
   from the driver's library when a program runs.  Names and numbers are those of
   NVIDIA's "CUDA Driver API" reference.  */
#ifndef ACCSCOPE_CUDA_DRIVER_H
#define ACCSCOPE_CUDA_DRIVER_H

#include <stddef.h>
#include <stdint.h>

typedef int CUresult;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUlinkState_st *CUlinkState;
typedef void (*CUhostFn) (void *);
typedef size_t (*CUoccupancyB2DSize) (int);

enum
{
  CUDA_SUCCESS = 0,
  CUDA_ERROR_INVALID_VALUE = 1,
  CUDA_ERROR_OUT_OF_MEMORY = 2,
  CUDA_ERROR_PEER_ACCESS_UNSUPPORTED = 217,
  CUDA_ERROR_NOT_FOUND = 500,
  CUDA_ERROR_NOT_READY = 600,
  CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED = 704,
  CUDA_ERROR_TOO_MANY_PEERS = 711,

  CU_STREAM_DEFAULT = 0,
  CU_STREAM_NON_BLOCKING = 1,
  CU_EVENT_DEFAULT = 0,
  CU_EVENT_DISABLE_TIMING = 2,
  CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2,
  CU_MEMORYTYPE_HOST = 1,
  CU_MEMHOSTALLOC_PORTABLE = 1,

  CU_JIT_INPUT_PTX = 1,
  CU_JIT_ERROR_LOG_BUFFER = 5,
  CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,
  CU_JIT_OPTIMIZATION_LEVEL = 7,

  CU_LIMIT_STACK_SIZE = 0,

  CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
  CU_DEVICE_ATTRIBUTE_WARP_SIZE = 10,
  CU_DEVICE_ATTRIBUTE_CLOCK_RATE = 13,
  CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
  CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR = 39,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76
};

/* What a function gives must be used; to be cast to void is no use.  */
#define ACCSCOPE_USED __attribute__ ((warn_unused_result))

/* X (name, symbol in the library, parameters).  */
#define ACCSCOPE_CUDA_FUNCTIONS(X)						\
  X (cuInit, "cuInit", (unsigned flags))					\
  X (cuDriverGetVersion, "cuDriverGetVersion", (int *version))			\
  X (cuGetErrorName, "cuGetErrorName", (CUresult error, const char **name))	\
  X (cuGetErrorString, "cuGetErrorString", (CUresult error, const char **text))	\
  X (cuDeviceGetCount, "cuDeviceGetCount", (int *count))			\
  X (cuDeviceGet, "cuDeviceGet", (CUdevice *device, int number))		\
  X (cuDeviceGetName, "cuDeviceGetName", (char *name, int length, CUdevice device)) \
  X (cuDeviceGetAttribute, "cuDeviceGetAttribute", (int *value, int attribute, CUdevice device)) \
  X (cuDeviceTotalMem, "cuDeviceTotalMem_v2", (size_t *bytes, CUdevice device))	\
  X (cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", (CUcontext *context, CUdevice device)) \
  X (cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", (CUdevice device)) \
  X (cuCtxGetCurrent, "cuCtxGetCurrent", (CUcontext *context))			\
  X (cuDeviceCanAccessPeer, "cuDeviceCanAccessPeer", (int *can, CUdevice device, CUdevice peer)) \
  X (cuCtxEnablePeerAccess, "cuCtxEnablePeerAccess", (CUcontext peer, unsigned flags))	\
  X (cuCtxSetCurrent, "cuCtxSetCurrent", (CUcontext context))			\
  X (cuCtxSetLimit, "cuCtxSetLimit", (int limit, size_t value))			\
  X (cuCtxGetLimit, "cuCtxGetLimit", (size_t *value, int limit))			\
  X (cuMemGetInfo, "cuMemGetInfo_v2", (size_t *free, size_t *total))		\
  X (cuMemAlloc, "cuMemAlloc_v2", (CUdeviceptr *address, size_t bytes))		\
  X (cuMemFree, "cuMemFree_v2", (CUdeviceptr address))				\
  X (cuMemHostAlloc, "cuMemHostAlloc", (void **address, size_t bytes, unsigned flags)) \
  X (cuMemFreeHost, "cuMemFreeHost", (void *address))				\
  X (cuPointerGetAttributes, "cuPointerGetAttributes", (unsigned count, int *attributes, void **values, CUdeviceptr address)) \
  X (cuMemcpyHtoD, "cuMemcpyHtoD_v2", (CUdeviceptr to, const void *from, size_t bytes)) \
  X (cuMemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2", (CUdeviceptr to, const void *from, size_t bytes, CUstream stream)) \
  X (cuMemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2", (void *to, CUdeviceptr from, size_t bytes, CUstream stream)) \
  X (cuMemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2", (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)) \
  X (cuMemcpyPeerAsync, "cuMemcpyPeerAsync", (CUdeviceptr to, CUcontext to_context, CUdeviceptr from, \
     CUcontext from_context, size_t bytes, CUstream stream))			\
  X (cuMemsetD8Async, "cuMemsetD8Async", (CUdeviceptr to, unsigned char value, size_t bytes, CUstream stream)) \
  X (cuStreamCreate, "cuStreamCreate", (CUstream *stream, unsigned flags))	\
  X (cuStreamDestroy, "cuStreamDestroy_v2", (CUstream stream))			\
  X (cuStreamQuery, "cuStreamQuery", (CUstream stream))				\
  X (cuStreamSynchronize, "cuStreamSynchronize", (CUstream stream))		\
  X (cuStreamWaitEvent, "cuStreamWaitEvent", (CUstream stream, CUevent event, unsigned flags)) \
  X (cuEventCreate, "cuEventCreate", (CUevent *event, unsigned flags))		\
  X (cuEventDestroy, "cuEventDestroy_v2", (CUevent event))			\
  X (cuEventRecord, "cuEventRecord", (CUevent event, CUstream stream))		\
  X (cuEventQuery, "cuEventQuery", (CUevent event))				\
  X (cuEventSynchronize, "cuEventSynchronize", (CUevent event))			\
  X (cuEventElapsedTime, "cuEventElapsedTime", (float *milliseconds, CUevent start, CUevent end)) \
  X (cuLaunchKernel, "cuLaunchKernel", (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, \
     unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared, CUstream stream, void **parameters, void **extra)) \
  X (cuLaunchHostFunc, "cuLaunchHostFunc", (CUstream stream, CUhostFn function, void *argument)) \
  X (cuLinkCreate, "cuLinkCreate_v2", (unsigned count, int *options, void **values, CUlinkState *state)) \
  X (cuLinkAddData, "cuLinkAddData_v2", (CUlinkState state, int type, void *data, size_t size, const char *name, \
     unsigned count, int *options, void **values))				\
  X (cuLinkComplete, "cuLinkComplete", (CUlinkState state, void **image, size_t *size)) \
  X (cuLinkDestroy, "cuLinkDestroy", (CUlinkState state))			\
  X (cuModuleLoadDataEx, "cuModuleLoadDataEx", (CUmodule *module, const void *image, unsigned count, int *options, void **values)) \
  X (cuModuleLoadData, "cuModuleLoadData", (CUmodule *module, const void *image)) \
  X (cuModuleUnload, "cuModuleUnload", (CUmodule module))			\
  X (cuModuleGetFunction, "cuModuleGetFunction", (CUfunction *function, CUmodule module, const char *name)) \
  X (cuModuleGetGlobal, "cuModuleGetGlobal_v2", (CUdeviceptr *address, size_t *bytes, CUmodule module, const char *name)) \
  X (cuFuncGetAttribute, "cuFuncGetAttribute", (int *value, int attribute, CUfunction function)) \
  X (cuOccupancyMaxPotentialBlockSize, "cuOccupancyMaxPotentialBlockSize", (int *grid, int *block, CUfunction function, \
     CUoccupancyB2DSize dynamic, size_t shared, int limit))

struct accscope_cuda_driver
{
#define X(name, symbol, parameters) CUresult (*name) parameters ACCSCOPE_USED;
  ACCSCOPE_CUDA_FUNCTIONS (X)
#undef X
};

/* Opens the library and fills table, which must be all zeros.  On failure it says
   why in reason and returns -1.  The library stays open.  */
int accscope_cuda_load (struct accscope_cuda_driver *table,
			const char *library, char *reason, size_t room);

/* Initialises the driver: its version, as 1000 * major + 10 * minor, and the
   number of devices.  */
CUresult accscope_cuda_start (const struct accscope_cuda_driver *table,
			      int *version, int *count);

/* The name and the bytes of memory of a device.  */
CUresult accscope_cuda_describe (const struct accscope_cuda_driver *table,
				 int number, char *name, int room,
				 size_t *memory);

/* The bytes of memory that nobody uses on a device, of which no context needs to be there.  */
CUresult accscope_cuda_free_memory (const struct accscope_cuda_driver *table,
				    int number, size_t *free);

/* How many multiprocessors a device has, 0 if that is not known.  */
int accscope_cuda_multiprocessors (const struct accscope_cuda_driver *table, int number);

CUresult accscope_cuda_device (const struct accscope_cuda_driver *table,
			       int number, CUdevice *device);

/* An attribute of a device, 0 if it has none.  */
int accscope_cuda_attribute (const struct accscope_cuda_driver *table,
			     CUdevice device, int attribute);

/* The driver's name of a result (what 0) or its description (what 1), NULL if it
   knows none.  */
const char *accscope_cuda_text (const struct accscope_cuda_driver *table,
				CUresult result, int what);

#endif
