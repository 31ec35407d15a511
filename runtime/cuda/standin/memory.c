/* Device memory, and copies.  */
#define _GNU_SOURCE
#include "standin.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static struct piece
{
  struct piece *next;
  CUdeviceptr address;
  size_t bytes;
  int host;			/* pinned memory of the host's */
} *pieces;
static size_t total, used;

void
standin_memory (size_t bytes, size_t taken)
{
  total = bytes;
  used = taken;
}

static void *
map (size_t bytes, int host)
{
  struct piece *p;
  void *address;

  if (!host && (bytes > total || used > total - bytes))
    return NULL;
  address = mmap (NULL, bytes, PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED)
    return NULL;
  p = malloc (sizeof *p);
  if (p == NULL)
    abort ();
  *p = (struct piece) { pieces, (CUdeviceptr) address, bytes, host };
  pieces = p;
  if (!host)
    used += bytes;
  return address;
}

static int
unmap (CUdeviceptr address, int host)
{
  struct piece **link, *p;

  for (link = &pieces; (p = *link) != NULL; link = &p->next)
    if (p->address == address && p->host == host)
      {
	*link = p->next;
	munmap ((void *) (uintptr_t) p->address, p->bytes);
	if (!host)
	  used -= p->bytes;
	free (p);
	return 1;
      }
  return 0;
}

CUdeviceptr
standin_allocate (size_t bytes)
{
  return (CUdeviceptr) map (bytes, 0);
}

int
standin_release (CUdeviceptr address)
{
  return unmap (address, 0);
}

static const struct piece *
piece_at (CUdeviceptr address, size_t bytes)
{
  const struct piece *p;

  for (p = pieces; p != NULL; p = p->next)
    if (address >= p->address && address - p->address <= p->bytes
	&& bytes <= p->bytes - (address - p->address))
      return p;
  return NULL;
}

int
standin_owns (CUdeviceptr address, size_t bytes)
{
  const struct piece *p;

  pthread_mutex_lock (&standin_lock);
  p = piece_at (address, bytes);
  pthread_mutex_unlock (&standin_lock);
  return p != NULL && !p->host;
}

EXPORT CUresult
cuMemGetInfo_v2 (size_t *free, size_t *all)
{
  FAULT ("cuMemGetInfo_v2");
  pthread_mutex_lock (&standin_lock);
  *free = total - used;
  *all = total;
  pthread_mutex_unlock (&standin_lock);
  return CUDA_SUCCESS;
}

EXPORT CUresult
cuMemAlloc_v2 (CUdeviceptr *address, size_t bytes)
{
  FAULT ("cuMemAlloc_v2");
  pthread_mutex_lock (&standin_lock);
  *address = standin_allocate (bytes);
  pthread_mutex_unlock (&standin_lock);
  return *address != 0 ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

/* The driver waits for the device before it takes memory away.  */
EXPORT CUresult
cuMemFree_v2 (CUdeviceptr address)
{
  int known;

  FAULT ("cuMemFree_v2");
  pthread_mutex_lock (&standin_lock);
  standin_drain ();
  known = standin_release (address);
  pthread_mutex_unlock (&standin_lock);
  return known ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

EXPORT CUresult
cuMemHostAlloc (void **address, size_t bytes, unsigned flags)
{
  (void) flags;
  FAULT ("cuMemHostAlloc");
  pthread_mutex_lock (&standin_lock);
  *address = map (bytes, 1);
  pthread_mutex_unlock (&standin_lock);
  return *address != NULL ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

EXPORT CUresult
cuMemFreeHost (void *address)
{
  int known;

  FAULT ("cuMemFreeHost");
  pthread_mutex_lock (&standin_lock);
  known = unmap ((CUdeviceptr) address, 1);
  pthread_mutex_unlock (&standin_lock);
  return known ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

EXPORT CUresult
cuPointerGetAttributes (unsigned count, int *attributes, void **values, CUdeviceptr address)
{
  const struct piece *p;

  FAULT ("cuPointerGetAttributes");
  if (count != 1 || *attributes != CU_POINTER_ATTRIBUTE_MEMORY_TYPE)
    return CUDA_ERROR_INVALID_VALUE;
  pthread_mutex_lock (&standin_lock);
  p = piece_at (address, 1);
  *(unsigned *) *values = p == NULL ? 0 : p->host ? CU_MEMORYTYPE_HOST : 2;
  pthread_mutex_unlock (&standin_lock);
  return CUDA_SUCCESS;
}

static void
run_copy (struct standin_operation *o)
{
  memmove (o->to, o->from, o->bytes);
}

/* The driver copies pageable memory up to 64 KiB before the call returns.  */
static void
run_staged (struct standin_operation *o)
{
  memcpy (o->to, o->from, o->bytes);
  free ((void *) o->from);
}

static void
run_fill (struct standin_operation *o)
{
  memset (o->to, o->value, o->bytes);
}

EXPORT CUresult
cuMemcpyHtoD_v2 (CUdeviceptr to, const void *from, size_t bytes)
{
  FAULT ("cuMemcpyHtoD_v2");
  if (!standin_owns (to, bytes))
    return CUDA_ERROR_INVALID_VALUE;
  memcpy ((void *) (uintptr_t) to, from, bytes);
  return CUDA_SUCCESS;
}

EXPORT CUresult
cuMemcpyHtoDAsync_v2 (CUdeviceptr to, const void *from, size_t bytes, CUstream stream)
{
  struct standin_operation o = { .kind = STANDIN_UPLOAD, .run = run_copy, .to = (void *) (uintptr_t) to,
				 .from = from, .bytes = bytes };
  const struct piece *p;

  FAULT ("cuMemcpyHtoDAsync_v2");
  if (!standin_owns (to, bytes))
    return CUDA_ERROR_INVALID_VALUE;
  pthread_mutex_lock (&standin_lock);
  p = piece_at ((CUdeviceptr) from, bytes);
  pthread_mutex_unlock (&standin_lock);
  if (p == NULL)
    {
      void *staged = malloc (bytes);
      if (staged == NULL)
	abort ();
      memcpy (staged, from, bytes);
      o.from = staged;
      o.run = run_staged;
    }
  return standin_enqueue (stream, o);
}

EXPORT CUresult
cuMemcpyDtoHAsync_v2 (void *to, CUdeviceptr from, size_t bytes, CUstream stream)
{
  struct standin_operation o = { .kind = STANDIN_DOWNLOAD, .run = run_copy, .to = to,
				 .from = (void *) (uintptr_t) from, .bytes = bytes };

  FAULT ("cuMemcpyDtoHAsync_v2");
  return standin_owns (from, bytes) ? standin_enqueue (stream, o)
				    : CUDA_ERROR_INVALID_VALUE;
}

EXPORT CUresult
cuMemcpyDtoDAsync_v2 (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
  struct standin_operation o = { .kind = STANDIN_COPY, .run = run_copy, .to = (void *) (uintptr_t) to,
				 .from = (void *) (uintptr_t) from, .bytes = bytes };

  FAULT ("cuMemcpyDtoDAsync_v2");
  return standin_owns (from, bytes) && standin_owns (to, bytes)
	   ? standin_enqueue (stream, o) : CUDA_ERROR_INVALID_VALUE;
}

EXPORT CUresult
cuMemcpyPeerAsync (CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
		   CUcontext from_context, size_t bytes, CUstream stream)
{
  struct standin_operation o = { .kind = STANDIN_COPY, .run = run_copy, .to = (void *) (uintptr_t) to,
				 .from = (void *) (uintptr_t) from, .bytes = bytes };

  FAULT ("cuMemcpyPeerAsync");
  return to_context != from_context && standin_owns (from, bytes) && standin_owns (to, bytes)
	   ? standin_enqueue (stream, o) : CUDA_ERROR_INVALID_VALUE;
}

EXPORT CUresult
cuDeviceCanAccessPeer (int *can, CUdevice device, CUdevice peer)
{
  FAULT ("cuDeviceCanAccessPeer");
  *can = device != peer && getenv ("ACCSCOPE_STANDIN_NO_PEERS") == NULL;
  return CUDA_SUCCESS;
}

/* Whoever enables a device twice is told so, as the driver does.  */
EXPORT CUresult
cuCtxEnablePeerAccess (CUcontext peer, unsigned flags)
{
  static CUcontext enabled;

  (void) flags;
  FAULT ("cuCtxEnablePeerAccess");
  return __atomic_exchange_n (&enabled, peer, __ATOMIC_RELAXED) == peer
	 ? CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED : CUDA_SUCCESS;
}

EXPORT CUresult
cuMemsetD8Async (CUdeviceptr to, unsigned char value, size_t bytes, CUstream stream)
{
  struct standin_operation o = { .kind = STANDIN_FILL, .run = run_fill, .to = (void *) (uintptr_t) to,
				 .bytes = bytes, .value = value };

  FAULT ("cuMemsetD8Async");
  return standin_owns (to, bytes) ? standin_enqueue (stream, o)
				  : CUDA_ERROR_INVALID_VALUE;
}
