/* reports.c - at which waits a runtime is to report device times, if its reports take
   long, but for the first QUICK.  Usage: reports LIBRARY QUICK.  It prints what differs
   from docs/capture-format.md.  */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include "standin_runtime.h"

#define FIRST 16
#define LONG 3000000		/* more than counts of one report */
#define SHARE 512
#define COUNTS 2000000

static unsigned reported;
static unsigned quick;

static double
now (void)
{
  struct timespec t;
  clock_gettime (CLOCK_MONOTONIC, &t);
  return (double) t.tv_sec * 1e9 + (double) t.tv_nsec;
}

static void
report (void)
{
  struct timespec time = { 0, LONG };
  if (reported++ >= quick)
    nanosleep (&time, NULL);
}

/* Waits until so many reports have been made in all; how long that took.  */
static double
until (unsigned reports)
{
  struct timespec time = { 0, 1000000 };
  double start = now ();
  while (reported < reports)
    {
      waits (1);
      nanosleep (&time, NULL);
    }
  return now () - start;
}

int
main (int argc, char **argv)
{
  reports = report;
  if (argc != 3 || !load (argv[1]))
    return 2;
  quick = (unsigned) atoi (argv[2]);
  alarm (60);	/* slow reports are owed for less */

  /* The first ones report whatever that takes.  */
  for (unsigned i = 1; i <= FIRST; i++)
    {
      waits (1);
      if (reported != i)
	printf ("wait %u: %u reports\n", i, reported);
    }
  if (quick < FIRST - 1)
    return 0;	/* what they took is owed for longer than a test may last */
  /* What the last of them took had been saved up, and hardly more.  What the next one takes
     is owed.  */
  until (FIRST + 1);
  double took = until (FIRST + 2);
  if (took < (double) COUNTS * SHARE / 2)
    printf ("%.0f ns behind a report of %d ns there was another one\n", took, LONG);
  return 0;
}
