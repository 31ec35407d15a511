/* Large transfers of pageable memory, again and again.  What can be pinned is only known
   on an NVIDIA GPU: elsewhere the mended program does what the bad one does.  */
#include "program.h"
#include <dlfcn.h>
#define N (4 << 20)
#define BLOCKS 8

static double plain[N], locked[N], blocks[BLOCKS][N / BLOCKS];

/* Pins memory as cudaHostRegister does, which takes a library that need not be here.  */
static void
pin (void *memory, size_t bytes)
{
  static int pinned;
  void *driver = pinned++ ? NULL : dlopen ("libcuda.so.1", RTLD_NOW);
  if (driver == NULL)
    return;
  int (*retain) (void **, int) = (int (*) (void **, int)) dlsym (driver, "cuDevicePrimaryCtxRetain");
  int (*enter) (void *) = (int (*) (void *)) dlsym (driver, "cuCtxSetCurrent");
  int (*lock) (void *, size_t, unsigned) = (int (*) (void *, size_t, unsigned)) dlsym (driver, "cuMemHostRegister_v2");
  void *context;
  if (retain == NULL || enter == NULL || lock == NULL || retain (&context, 0) || enter (context) || lock (memory, bytes, 1))
    fprintf (stderr, "cannot pin\n");
}

static void
exchange (double *x)
{
#pragma acc data create(x[0:N])
  for (int step = 0; step < 10; step++)
    {
      x[step] = step;
#pragma acc update device(x[0:N])
#pragma acc parallel loop present(x[0:N])
      for (int i = 0; i < N; i++)
        x[i] += 1;
#pragma acc update self(x[0:N])
    }
}

static void
bad (void)
{
  exchange (plain);
}

static void
mended (void)
{
  pin (locked, sizeof locked);
  exchange (locked);
}

/* To pin memory takes as long as to send it: what is sent once is sent as it is.  */
static void
alike (void)
{
  for (int block = 0; block < BLOCKS; block++)
    {
      double *x = blocks[block];
#pragma acc parallel loop copy(x[0:N / BLOCKS])
      for (int i = 0; i < N / BLOCKS; i++)
        x[i] += 1;
    }
}

PROGRAMS
