/* What OpenACC costs on a device, one line "name value unit" each; run on two
   runtimes, in turn.
   Usage: launches [ROUNDS [LINES]], of which each value is the median.  */
#include "../gpubench/programs/times.h"

#include <openacc.h>
#include <string.h>

enum { N = 1024 };
static float a[N];
static char small[64];
static char *memory;
static const size_t big = (size_t) 256 << 20;

enum { MOST_ROUNDS = 99 };
static int rounds = 15, lines = -1;

static void
report (const char *name, void (*body) (int), int calls, int operations)
{
  double times[MOST_ROUNDS];

  if (lines-- == 0)
    exit (0);
  for (int round = 0; round < rounds; round++)
    {
      double start = now ();
      body (calls);
      times[round] = (now () - start) / operations;
    }
  qsort (times, rounds, sizeof *times, compare);
  if (calls == 1)
    tell (name, big / 1e3 / times[rounds / 2], "GB/s");
  else
    tell (name, times[rounds / 2], "us");
}

static void
launch (int calls)
{
  while (calls-- > 0)
    {
#pragma acc parallel loop present (a) num_gangs (8)
      for (int i = 0; i < N; i++)
	a[i] += 1;
    }
}

static void
launch_async (int calls)
{
  while (calls-- > 0)
    {
      for (int j = 0; j < 64; j++)
	{
#pragma acc parallel loop present (a) num_gangs (8) async (1)
	  for (int i = 0; i < N; i++)
	    a[i] += 1;
	}
#pragma acc wait (1)
    }
}

static void
launch_scalar (int calls)
{
  int n = N;
  while (calls-- > 0)
    {
#pragma acc parallel loop present (a) num_gangs (8) firstprivate (n)
      for (int i = 0; i < n; i++)
	a[i] += 1;
    }
}

static void
launch_reduction (int calls)
{
  float sum = 0;
  while (calls-- > 0)
    {
#pragma acc parallel loop present (a) num_gangs (8) reduction (+:sum)
      for (int i = 0; i < N; i++)
	sum += a[i];
    }
  small[0] = sum;
}

static void
create (int calls)
{
  while (calls-- > 0)
    {
      acc_create (small, sizeof small);
      acc_delete (small, sizeof small);
    }
}

static void
to_device (int calls)
{
  while (calls-- > 0)
    acc_update_device (a, 8);
}

static void
from_device (int calls)
{
  while (calls-- > 0)
    acc_update_self (a, 8);
}

static void
upload (int unused)
{
  (void) unused;
  acc_update_device (memory, big);
}

static void
download (int unused)
{
  (void) unused;
  acc_update_self (memory, big);
}

static void
upload_async (int unused)
{
  (void) unused;
  acc_update_device_async (memory, big, 2);
  acc_wait (2);
}

static void
download_async (int unused)
{
  (void) unused;
  acc_update_self_async (memory, big, 2);
  acc_wait (2);
}

static void
copyin (int unused)
{
  (void) unused;
  acc_copyin (memory, big);
  acc_delete (memory, big);
}

int
main (int count, char **arguments)
{
  if (count > 1)
    rounds = atoi (arguments[1]);
  if (count > 2)
    lines = atoi (arguments[2]);
  if (rounds < 1 || rounds > MOST_ROUNDS)
    rounds = MOST_ROUNDS;
  memory = malloc (big);
  memset (memory, 1, big);
#pragma acc enter data copyin (a)
  launch (10);
  launch_async (1);
  report ("launch, synchronous", launch, 1000, 1000);
  report ("launch, 64 then wait", launch_async, 20, 20 * 64);
  report ("launch, with a scalar", launch_scalar, 200, 200);
  report ("launch, reduction", launch_reduction, 200, 200);
  report ("create+delete 64 B", create, 1000, 1000);
  report ("update device 8 B", to_device, 500, 500);
  report ("update self 8 B", from_device, 500, 500);
  acc_create (memory, big);
  report ("update device 256 MiB", upload, 1, 1);
  report ("update self 256 MiB", download, 1, 1);
  report ("update async 256 MiB", upload_async, 1, 1);
  report ("update self async 256 MiB", download_async, 1, 1);
  acc_delete (memory, big);
  report ("copyin+delete 256 MiB", copyin, 1, 1);
  return 0;
}
