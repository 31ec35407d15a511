/* What a program sees of a machine with two GPUs: devices, CUDA's handles and
   streams, queues, and the memory events of a device with a pool.  */
#include <acc_prof.h>
#include <dlfcn.h>
#include <openacc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)						\
  do									\
    if (!(condition))							\
      {									\
	printf ("line %d: %s is not so\n", __LINE__, #condition);	\
	exit (1);							\
      }									\
  while (0)

enum { N = 1000, MANY = 100 };
static float a[N], b[N];
static char small[MANY][1024];
static int counts[acc_ev_last + 8];
static long allocated;
static acc_api_info launched;
static acc_prof_info launched_on;

static void
note (acc_prof_info *profile, acc_event_info *event, acc_api_info *api)
{
  counts[profile->event_type]++;
  if (profile->event_type == acc_ev_alloc)
    allocated += event->data_event.bytes;
  if (profile->event_type == acc_ev_enqueue_launch_end)
    {
      launched = *api;
      launched_on = *profile;
    }
}

static void
add (float *p, float more, int queue)
{
#pragma acc parallel loop present (p[0:N]) async (queue)
  for (int i = 0; i < N; i++)
    p[i] += more;
}

int
main (void)
{
  static const acc_event_t wanted[] = { acc_ev_alloc, acc_ev_free, acc_ev_create, acc_ev_delete, acc_ev_enqueue_launch_end };
  void *context[2], *device[2], *driver = dlopen ("libcuda.so.1", RTLD_NOW), *stream = NULL, *memory;
  int (*create) (void **, unsigned), queues[] = { 3, 4 }, i, number;

  for (i = 0; i < 5; i++)
    acc_prof_register (wanted[i], note, acc_reg);
  CHECK (acc_get_num_devices (acc_device_nvidia) == 2);
  for (number = 0; number < 2; number++)
    {
      acc_set_device_num (number, acc_device_nvidia);
      CHECK (acc_get_device_num (acc_device_nvidia) == number);
      for (i = 0; i < N; i++)
	a[i] = i;
      acc_copyin (a, sizeof a);
      CHECK (acc_deviceptr (a) != a);
      add (a, 1 + number, acc_async_sync);
      CHECK (launched.device_api == acc_device_api_cuda && launched.device_type == acc_device_nvidia);
      CHECK (launched_on.device_number == number);
      device[number] = acc_get_current_cuda_device ();
      context[number] = acc_get_current_cuda_context ();
      CHECK (device[number] != NULL && launched.device_handle == device[number]);
      CHECK (context[number] != NULL && launched.context_handle == context[number]);
      add (a, 1, 5);
      CHECK (launched.async_handle != NULL && launched.async_handle == acc_get_cuda_stream (5));
      acc_wait (5);
      acc_copyout (a, sizeof a);
      CHECK (a[7] == 7 + 1 + number + 1);
    }
  CHECK (context[0] != context[1]);

  /* A stream of the program's own is a queue like any other.  */
  *(void **) &create = dlsym (driver, "cuStreamCreate");
  CHECK (create (&stream, 0) == 0);
  acc_set_cuda_stream (7, stream);
  CHECK (acc_get_cuda_stream (7) == stream);
  acc_copyin (a, sizeof a);
  add (a, 1, 7);
  CHECK (launched.async_handle == stream);
  acc_wait (7);
  CHECK (acc_async_test (7));

  /* Queues wait for one another.  */
  acc_copyin (b, sizeof b);
  for (i = 0; i < 50; i++)
    {
      add (b, 1, 3);
      acc_wait_async (3, 4);
      add (b, 1, 4);
      acc_wait_async (4, 3);
    }
  for (i = 0; i < 300; i++)
    acc_wait_async (3, 4);
  acc_wait (3);
  acc_wait (4);
  (void) queues;
  acc_update_self (b, sizeof b);
  CHECK (b[0] == 100 && b[N - 1] == 100);

  /* Nothing is no work.  */
  memory = acc_malloc (8);
  acc_memcpy_to_device (memory, a, 0);
  acc_memcpy_from_device (a, memory, 0);
  acc_free (memory);

  /* Small mappings come out of the pool: events of mappings, and few of memory.  */
  memset (counts, 0, sizeof counts);
  for (i = 0; i < MANY; i++)
    acc_create (small[i], sizeof small[i]);
  for (i = 0; i < MANY; i++)
    acc_delete (small[i], sizeof small[i]);
  CHECK (counts[acc_ev_create] == MANY && counts[acc_ev_delete] == MANY);
  CHECK (counts[acc_ev_alloc] == 0 && counts[acc_ev_free] == 0);
  CHECK (allocated >= 2 * (long) sizeof a);
  acc_delete (a, sizeof a);
  acc_delete (b, sizeof b);
  acc_shutdown (acc_device_nvidia);
  CHECK (counts[acc_ev_free] >= 2);	/* what the devices had */
  puts ("all is so");
  return 0;
}
