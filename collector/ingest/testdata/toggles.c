/* Leaves a on the device, or deletes it while callbacks are off.  */
#include <stdlib.h>
#include <string.h>
#include <openacc.h>
#include <acc_prof.h>

int
main (int count, char **arguments)
{
  static double a[1000], b[1000];
  const char *how = count > 1 ? arguments[1] : "";
  acc_event_t event = strcmp (how, "event") == 0 ? acc_ev_delete : acc_ev_none;
  acc_register_t mode
    = strcmp (how, "thread") == 0 ? acc_toggle_per_thread : acc_toggle;
#pragma acc enter data copyin(a)
#pragma acc parallel loop present(a)
  for (int i = 0; i < 1000; i++)
    a[i] += 1;
  if (*how)
    {
      acc_prof_unregister (event, NULL, mode);
#pragma acc exit data copyout(a)
      if (strcmp (how, "to the end") == 0)
	return 0;
      acc_prof_register (event, NULL, mode);
    }
#pragma acc enter data copyin(b)
#pragma acc parallel loop present(b)
  for (int i = 0; i < 1000; i++)
    b[i] += 1;
  return 0;
}
