/* hash.c - how fast the hash of transfers is (xxh.c), and with what asks the kernel whether
   memory can be read: gigabytes (10^9) of a second of the processor.

   usage: hash [MiB] [rounds]; a line "hash guarded" for each round  */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include "../xxh.h"

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#endif

static double
now (void)
{
  struct timespec t;
  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &t);
  return (double) t.tv_sec + (double) t.tv_nsec / 1e9;
}

int
main (int argc, char **argv)
{
  size_t bytes = (size_t) (argc > 1 ? atol (argv[1]) : 256) << 20;
  int rounds = argc > 2 ? atoi (argv[2]) : 5;
  char *memory = mmap (NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return 1;
  memset (memory, 3, bytes);
  for (int round = 0; round < rounds; round++)
    {
      double start = now ();
      uint64_t first = xxh (memory, bytes);
      double hashed = now ();
      if (madvise (memory, bytes, MADV_POPULATE_READ) != 0)
	return 1;
      uint64_t again = xxh (memory, bytes);
      double guarded = now ();
      if (first != again)
	return 1;
      printf ("%.2f %.2f\n", (double) bytes / (hashed - start) / 1e9,
	      (double) bytes / (guarded - hashed) / 1e9);
    }
  return 0;
}
