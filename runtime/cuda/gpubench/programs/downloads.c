/* Downloads into pageable memory: what they take, and what the call of an asynchronous one does.  */
#include "times.h"

#include <openacc.h>
#include <string.h>
#include <sys/mman.h>

enum { ROUNDS = 9 };
static const size_t big = (size_t) 256 << 20;

static char *
fresh (size_t bytes)
{
  char *memory = mmap (NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    exit (1);
  return memory;
}

static void
call (const char *name, size_t bytes)
{
  char *memory = malloc (bytes);
  double calls[ROUNDS];
  memset (memory, 1, bytes);
  acc_copyin (memory, bytes);
  for (int round = -2; round < ROUNDS; round++)
    {
      double start = now ();
      acc_update_self_async (memory, bytes, 1);
      if (round >= 0)
	calls[round] = now () - start;
      acc_wait (1);
    }
  qsort (calls, ROUNDS, sizeof *calls, compare);
  tell (name, calls[ROUNDS / 2], "us");
  acc_delete (memory, bytes);
  free (memory);
}

int
main (void)
{
  double rates[ROUNDS];
  call ("call of update self async, 8 B", 8);
  call ("call of update self async, 1 MiB", 1 << 20);
  call ("call of update self async, 256 MiB", big);
  for (int touched = 1; touched >= 0; touched--)
    {
      for (int round = 0; round < ROUNDS; round++)
	{
	  char *memory = fresh (big);
	  acc_create (memory, big);
	  if (touched)
	    memset (memory, 1, big);
	  double start = now ();
	  acc_update_self (memory, big);
	  rates[round] = big / 1e3 / (now () - start);
	  acc_delete (memory, big);
	  munmap (memory, big);
	}
      qsort (rates, ROUNDS, sizeof *rates, compare);
      tell (touched ? "download of 256 MiB, touched" : "download of 256 MiB, never touched", rates[ROUNDS / 2], "GB/s");
    }
  return 0;
}
