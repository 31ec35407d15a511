/* Prints of each kernel that is launched what events call it and what its device's driver
   does, and which type of device the end of the runtime names.  */
#include <acc_prof.h>
#include <accscope_activity.h>
#include <openacc.h>
#include <stdio.h>

static void
launched (acc_prof_info *profile, acc_event_info *event, acc_api_info *api)
{
  accscope_activity_function function
    = (accscope_activity_function) acc_prof_lookup (ACCSCOPE_ACTIVITY_NAME);
  const char *name = event->launch_event.kernel_name, *drivers = NULL;
  int error = function ()->kernel (profile->device_type, profile->device_number,
				   name, &drivers);

  (void) api;
  printf ("%s: %d, %s\n", name, error, drivers ? drivers : "unknown");
  error = function ()->kernel (profile->device_type, profile->device_number,
			       "another._omp_fn.0", &drivers);
  if (error == 0)
    printf ("another is %s\n", drivers);
}

static void
ended (acc_prof_info *profile, acc_event_info *event, acc_api_info *api)
{
  (void) event;
  printf ("device %d of type %d, interface %d of type %d\n", profile->device_number,
	  profile->device_type, api->device_api, api->device_type);
}

int
main (int argc, char **argv)
{
  int x = 0;

  (void) argv;
  acc_prof_register (acc_ev_enqueue_launch_start, launched, acc_reg);
  acc_prof_register (acc_ev_runtime_shutdown, ended, acc_reg);
  for (int i = 0; i < 2; i++)
    {
#pragma acc parallel copy (x)
      x++;
#pragma acc parallel copy (x) if (argc > 1)
      x++;
    }
  return x - 4;
}
