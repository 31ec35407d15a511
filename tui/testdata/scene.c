/* What the live view is tested on: a pipeline on four queues, waits, a mapping
   that is kept for good every few rounds, and output on both streams. It works
   until its standard input says so, or ends.  */
#include <openacc.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define ELEMENTS 65536
#define QUEUES 4

static int
told (void)
{
  struct pollfd input = { 0, POLLIN, 0 };
  char buffer[64];
  if (poll (&input, 1, 0) <= 0)
    return 0;
  ssize_t n = read (0, buffer, sizeof buffer - 1);
  if (n <= 0)
    return 1;
  buffer[n] = 0;
  printf ("got %s", buffer);
  fflush (stdout);
  return buffer[0] == 'q';
}

int
main (int argc, char **argv)
{
  int rounds = argc > 1 ? atoi (argv[1]) : 0;
  float *field = calloc (QUEUES * ELEMENTS, sizeof (float));
#pragma acc enter data copyin(field[0:QUEUES * ELEMENTS])
  for (int round = 0; (rounds == 0 || round < rounds) && (rounds || !told ()); round++)
    {
      for (int q = 0; q < QUEUES; q++)
	{
	  float *block = field + q * ELEMENTS;
#pragma acc update device(block[0:ELEMENTS]) async(q + 1)
#pragma acc parallel loop present(block[0:ELEMENTS]) async(q + 1)
	  for (int i = 0; i < ELEMENTS; i++)
	    block[i] = 0.5f * block[i] * block[i] + 1.0f;
#pragma acc update self(block[0:ELEMENTS]) async(q + 1)
	}
#pragma acc wait
      if (round % 10 == 0)
	{
	  float *kept = calloc (1024, sizeof (float));
#pragma acc enter data copyin(kept[0:1024])
	}
      if (round % 50 == 0)
	{
	  printf ("round %d\n", round);
	  fflush (stdout);
	}
    }
#pragma acc exit data delete(field[0:QUEUES * ELEMENTS])
  printf ("done\n");
  return 0;
}
