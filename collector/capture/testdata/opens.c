/* opens.c - opens a library with directives of its own when capture has begun,
   and is killed.  Usage: opens LIBRARY (close|keep); without arguments compiled
   as that library, with -DPLUGIN.  */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifdef PLUGIN
void
plugin (float *x, int n)
{
#pragma acc parallel loop copy(x[0:n])
  for (int i = 0; i < n; i++)
    x[i] *= 2;
}
#else
int
main (int argc, char **argv)
{
  float x[100] = { 1 };
#pragma acc parallel loop copy(x)
  for (int i = 0; i < 100; i++)
    x[i] += 1;
  void *handle = argc > 2 ? dlopen (argv[1], RTLD_NOW) : 0;
  void (*plugin) (float *, int)
    = handle ? (void (*) (float *, int)) dlsym (handle, "plugin") : 0;
  if (!plugin)
    {
      fprintf (stderr, "opens: %s\n", dlerror ());
      return 1;
    }
  plugin (x, 100);
  if (strcmp (argv[2], "close") == 0)
    dlclose (handle);
  kill (getpid (), SIGKILL);
  return 0;
}
#endif
