/* Opens libraries one after the other, each where the one before was, and prints
   the place of the construct in each.  */
#include <acc_prof.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static void
print (acc_prof_info *info, acc_event_info *event, acc_api_info *api)
{
  const char *slash = info->src_file ? strrchr (info->src_file, '/') : NULL;

  (void) event, (void) api;
  printf ("%s %s %d\n", slash ? slash + 1 : "unknown",
	  info->func_name ? info->func_name : "unknown", info->line_no);
}

int
main (int argc, char **argv)
{
  acc_prof_register (acc_ev_compute_construct_start, print, acc_reg);
  for (int i = 1; i < argc; i++)
    {
      void *library = dlopen (argv[i], RTLD_NOW);
      void (*compute) (void) = library ? (void (*) (void)) dlsym (library, "compute") : NULL;

      if (!compute)
	{
	  fprintf (stderr, "reopened: %s\n", dlerror ());
	  return 1;
	}
      compute ();
      dlclose (library);
    }
  return 0;
}
