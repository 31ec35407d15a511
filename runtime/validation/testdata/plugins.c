/* Opens and closes the libraries that its arguments name in turn, so that one gets
   the addresses that another one had.  The device stays open.  */
#include "check.h"
#include <dlfcn.h>

int
main (int argc, char **argv)
{
  for (int i = 0; i < 4 * (argc - 1); i++)
    {
      int (*use) (float);
      void *library = dlopen (argv[1 + i % (argc - 1)], RTLD_NOW);

      if (library == NULL)
	{
	  fprintf (stderr, "%s\n", dlerror ());
	  return 1;
	}
      *(void **) &use = dlsym (library, "use");
      CHECK (use (i));
      dlclose (library);
    }
  return report ();
}
