/* One construct, and what its error says.  */
#include <openacc.h>
#include <acc_callback.h>
#include <stdio.h>

static void
on_error (acc_callback_info *info, acc_event_info *event, acc_api_info *api)
{
  (void) info;
  (void) api;
  printf ("code %d, parent construct %d\n",
	  (int) event->error_event.error_code,
	  (int) event->error_event.parent_construct);
  fflush (stdout);
}

int
main (void)
{
  float a[100];

  acc_callback_register (acc_ev_error, on_error, acc_reg);
#pragma acc parallel loop copyout(a)
  for (int i = 0; i < 100; i++)
    a[i] = i;
  return 0;
}
