/* Opens a shared library with OpenACC constructs and calls into it.  */
#include <dlfcn.h>
#include <stdio.h>

int
main (int argc, char **argv)
{
  if (argc < 2)
    return 2;
  void *library = dlopen (argv[1], RTLD_NOW);
  if (!library)
    {
      fprintf (stderr, "opener: %s\n", dlerror ());
      return 1;
    }
  double (*scale) (int, double) = (double (*) (int, double)) dlsym (library, "scale");
  if (!scale || scale (100, 3.0) != 300.0)
    {
      fprintf (stderr, "opener: scale answers wrongly\n");
      return 1;
    }
  return 0;
}
