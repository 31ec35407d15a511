/* timed.c - runs a program and appends to a file the seconds that it took: by the
   clock, and on processors.  Usage: timed FILE PROGRAM [ARGUMENTS].  */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double
now (void)
{
  struct timespec t;
  clock_gettime (CLOCK_MONOTONIC, &t);
  return (double) t.tv_sec + (double) t.tv_nsec / 1e9;
}

static double
seconds (struct timeval t)
{
  return (double) t.tv_sec + (double) t.tv_usec / 1e6;
}

int
main (int argc, char **argv)
{
  if (argc < 3)
    return 2;
  double start = now ();
  pid_t child = fork ();
  if (child == 0)
    {
      execvp (argv[2], argv + 2);
      perror (argv[2]);
      _exit (127);
    }
  int status = 0;
  struct rusage used;
  if (child < 0 || wait4 (child, &status, 0, &used) != child)
    return 1;
  double wall = now () - start;
  FILE *file = fopen (argv[1], "a");
  if (!file)
    return 1;
  fprintf (file, "%.4f %.4f\n", wall, seconds (used.ru_utime) + seconds (used.ru_stime));
  fclose (file);
  return WIFEXITED (status) ? WEXITSTATUS (status) : 1;
}
