/* A program that is not linked with a runtime: opens the library argv[1], does what the
   further arguments say, and asks the library for its devices.  */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int
main (int argc, char **argv)
{
  void *library = dlopen (argv[1], RTLD_NOW | RTLD_LOCAL);
  int (*devices) (int);
  void (*enrol) (int, void (*) (void), int);

  if (library == NULL)
    {
      fprintf (stderr, "%s\n", dlerror ());
      return 2;
    }
  devices = (int (*) (int)) dlsym (library, "acc_get_num_devices");
  enrol = (void (*) (int, void (*) (void), int)) dlsym (library, "acc_prof_register");
  if (devices == NULL || enrol == NULL)
    return 3;
  for (int i = 2; i < argc; i++)
    if (strcmp (argv[i], "leave") == 0)
      {
	if (chdir ("/") != 0)
	  return 4;
      }
    else if (strcmp (argv[i], "register") == 0)
      enrol (100, (void (*) (void)) 1, 0);
  printf ("%d\n", devices (2));
  fflush (stdout);
  return 0;
}
