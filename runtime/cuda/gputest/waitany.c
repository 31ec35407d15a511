/* acc_wait_any on queues that are blocked until the host opens their gates.  */
#include <dlfcn.h>
#include <openacc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static volatile int *gate;

/* The program's end waits for the queues.  */
static void
fail (int line, const char *what)
{
  printf ("line %d: %s is not so\n", line, what);
  if (gate != NULL)
    gate[0] = gate[1] = 1;
  exit (1);
}

#define CHECK(condition)						\
  do									\
    if (!(condition))							\
      fail (__LINE__, #condition);					\
  while (0)

enum { N = 1000 };
static int value[2][N];

/* The driver's: an operation that waits until the word is the value.  A kernel cannot:
   it may keep what it has read.  */
static int (*wait_value) (void *stream, unsigned long long word, unsigned value, unsigned flags);
enum { EQUAL = 1 };

static void
wait_open (volatile int *word, int queue)
{
  CHECK (wait_value (acc_get_cuda_stream (queue), (unsigned long long) (size_t) word, 1, EQUAL) == 0);
}

static void
add (int *p, int queue)
{
#pragma acc parallel loop present (p[0:N]) async (queue)
  for (int i = 0; i < N; i++)
    p[i]++;
}

/* Opens the second gate, and the first one later.  */
static void *
open_both (void *unused)
{
  (void) unused;
  usleep (200000);
  gate[1] = 1;
  usleep (200000);
  gate[0] = 1;
  return NULL;
}

int
main (void)
{
  static const int queue[] = { 3, 4 }, synchronous[] = { acc_async_sync, acc_async_sync };
  void *driver = dlopen ("libcuda.so.1", RTLD_NOW), *memory = NULL;
  int (*pinned) (void **, size_t, unsigned), i;
  pthread_t opener;

  acc_init (acc_device_nvidia);
  acc_copyin (value, sizeof value);
  *(void **) &pinned = dlsym (driver, "cuMemHostAlloc");
  *(void **) &wait_value = dlsym (driver, "cuStreamWaitValue32_v2");
  CHECK (wait_value != NULL && pinned (&memory, 2 * sizeof *gate, 3) == 0);
  gate = memory;
  gate[0] = gate[1] = 1;
  for (i = 0; i < 2; i++)	/* what the first launch brings is not to wait for a gate */
    {
      acc_update_device_async (value[i], sizeof value[i], queue[i]);
      wait_open (&gate[i], queue[i]);
      add (value[i], queue[i]);
      acc_wait (queue[i]);
    }

  CHECK (acc_wait_any (0, (int *) queue) == -1);
  CHECK (acc_wait_any (2, (int *) synchronous) == -1);
  CHECK (acc_wait_any (2, (int *) queue) == 0);	/* both are empty */

  gate[0] = 0;
  wait_open (&gate[0], queue[0]);
  add (value[0], queue[0]);
  add (value[1], queue[1]);
  CHECK (acc_wait_any (2, (int *) queue) == 1);
  CHECK (!acc_async_test (queue[0]) && acc_async_test (queue[1]));
  gate[0] = 1;
  CHECK (acc_wait_any (1, (int *) queue) == 0);

  gate[0] = gate[1] = 0;
  for (i = 0; i < 2; i++)
    {
      wait_open (&gate[i], queue[i]);
      add (value[i], queue[i]);
    }
  CHECK (pthread_create (&opener, NULL, open_both, NULL) == 0);
  i = acc_wait_any (2, (int *) queue);
  CHECK (i == 0 || i == 1);
  CHECK (acc_async_test (queue[i]));
  CHECK (pthread_join (opener, NULL) == 0);
  acc_wait_all ();
  acc_copyout (value, sizeof value);
  CHECK (value[0][N - 1] == 3 && value[1][N - 1] == 3);
  puts ("all is so");
  return 0;
}
