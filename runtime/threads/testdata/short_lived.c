/* Runs 11,000 short-lived host threads, eight at a time, each using the device,
   its queues and data of its own.  After the first 1,000, after 10,000 and after
   each 100 from there prints one line: threads run, threads of the process now,
   its descriptors, its memory mappings and resident kilobytes.  */
#include <dirent.h>
#include <openacc.h>
#include <acc_prof.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { AT_ONCE = 8, LENGTH = 64, EARLY = 1000, LATE = 10000, LAST = 11000 };

static long events;
static pthread_barrier_t all_there;

static void
callback (acc_prof_info *info, acc_event_info *event, acc_api_info *api)
{
  (void) info, (void) event, (void) api;
  __atomic_fetch_add (&events, 1, __ATOMIC_RELAXED);
}

static void *
work (void *argument)
{
  int number = (int) (long) argument;
  float x[LENGTH] = { 0 };

  /* So that every batch needs as much at once as the first.  */
  pthread_barrier_wait (&all_there);
  acc_copyin (x, sizeof x);
#pragma acc parallel loop present(x)
  for (int i = 0; i < LENGTH; i++)
    x[i] += 1;
#pragma acc parallel loop present(x) async(number)
  for (int i = 0; i < LENGTH; i++)
    x[i] += 2;
#pragma acc wait(number)
#pragma acc update self(x)
#pragma acc data copy(x)
  {
#pragma acc parallel loop
    for (int i = 0; i < LENGTH; i++)
      x[i] += 4;
  }
  acc_copyout (x, sizeof x);
  pthread_barrier_wait (&all_there);
  for (int i = 0; i < LENGTH; i++)
    if (x[i] != 7)
      {
	fprintf (stderr, "element %d is %g instead of 7\n", i, x[i]);
	exit (1);
      }
  return NULL;
}

static int
entries (const char *folder)
{
  DIR *d = opendir (folder);
  int count = -3;		/* ".", "..", and the descriptor being used */

  if (d == NULL)
    exit (2);
  while (readdir (d) != NULL)
    count++;
  closedir (d);
  return count;
}

static int
lines (const char *file)
{
  FILE *f = fopen (file, "r");
  int count = 0, c;

  if (f == NULL)
    exit (2);
  while ((c = getc (f)) != EOF)
    count += c == '\n';
  fclose (f);
  return count;
}

static long
resident (void)
{
  FILE *f = fopen ("/proc/self/statm", "r");
  long size, pages;

  if (f == NULL || fscanf (f, "%ld %ld", &size, &pages) != 2)
    exit (2);
  fclose (f);
  return pages * (sysconf (_SC_PAGESIZE) / 1024);
}

int
main (void)
{
  acc_prof_register (acc_ev_compute_construct_start, callback, acc_reg);
  pthread_barrier_init (&all_there, NULL, AT_ONCE);
  for (int done = 0; done < LAST;)
    {
      pthread_t thread[AT_ONCE];

      for (int i = 0; i < AT_ONCE; i++)
	if (pthread_create (&thread[i], NULL, work, (void *) (long) i) != 0)
	  return 2;
      for (int i = 0; i < AT_ONCE; i++)
	pthread_join (thread[i], NULL);
      done += AT_ONCE;
      if (done == EARLY || (done >= LATE && done % 100 < AT_ONCE))
	printf ("%d %d %d %d %ld\n", done, entries ("/proc/self/task") + 1,
		entries ("/proc/self/fd"), lines ("/proc/self/maps"),
		resident ());
    }
  return events > 0 ? 0 : 1;
}
