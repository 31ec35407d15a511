/* Cancels a thread in its first use of OpenACC, the process's first, or in later
   ones, as argv[1] says; then uses OpenACC itself, and prints what is wrong.
   argv[2]: how many threads, cancelled at moments that differ.  */
#define _GNU_SOURCE
#include <openacc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define N 4096

static int shared[N];

static void
use (int rounds)
{
  int own[64] = { 0 };

  for (int i = 0; i < rounds; i++)
    {
#pragma acc parallel loop copy(own)
      for (int k = 0; k < 64; k++)
	own[k]++;
#pragma acc parallel loop present(shared) async(1)
      for (int k = 0; k < N; k++)
	shared[k] += 0;
#pragma acc wait(1)
    }
}

static void *
first (void *argument)
{
  (void) argument;
  pthread_cancel (pthread_self ());
  acc_get_num_devices (acc_device_host);
#pragma acc parallel copy(shared)
  shared[0]++;
  pthread_testcancel ();
  printf ("a request was lost\n");
  return NULL;
}

static void
finish (void *data)
{
  acc_delete (data, 64);
}

static void *
later (void *argument)
{
  char data[64];

  (void) argument;
  acc_copyin (data, sizeof data);
  pthread_cleanup_push (finish, data);
  for (;;)
    {
      use (1);
      pthread_testcancel ();
    }
  pthread_cleanup_pop (1);
  return NULL;
}

int
main (int argc, char **argv)
{
  int count = argc > 2 ? atoi (argv[2]) : 1, is_first = strcmp (argv[1], "first") == 0;
  void *result;

  if (!is_first)
    {
#pragma acc enter data copyin(shared)
    }
  for (int i = 0; i < count; i++)
    {
      struct timespec moment = { 0, (i % 16) * 100000 };
      pthread_t thread;

      pthread_create (&thread, NULL, is_first ? first : later, NULL);
      nanosleep (&moment, NULL);
      pthread_cancel (thread);
      pthread_join (thread, &result);
      if (result != PTHREAD_CANCELED)
	printf ("thread %d was not cancelled\n", i);
    }
  if (is_first)
    {
#pragma acc enter data copyin(shared)
    }
  use (2);
#pragma acc exit data copyout(shared)
  if (is_first && shared[0] != count)
    printf ("%d of %d kernels ran\n", shared[0], count);
  return 0;
}
