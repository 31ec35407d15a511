/* A record function calls the API while a device is shut down, by acc_shutdown and by
   the end of the program, which have the record delivered.  Needs accscope's runtime.  */
#include <acc_prof.h>
#include "../../include/accscope_activity.h"
#include <openacc.h>
#include <stdio.h>

static void
record (void *context, const struct accscope_activity_record *r)
{
  (void) context;
  if (r->kind == accscope_activity_wait)
    printf ("%s\n", acc_get_num_devices (acc_get_device_type ()) > 0 ? "answered" : "refused");
}

/* What tells of a wait of queues comes with the next that is told.  */
static void
leave_a_record (const struct accscope_activity *activity)
{
  static int x;

#pragma acc enter data copyin(x)
#pragma acc update device(x) async(1)
#pragma acc update device(x) async(2)
#pragma acc wait
  activity->flush ();
  acc_wait_async (1, 2);
}

int
main (void)
{
  struct accscope_activity_subscriber subscriber
    = { .size = sizeof subscriber, .record = record };
  accscope_activity_function activity;
  uint64_t subscription;

  *(void **) &activity = acc_prof_lookup (ACCSCOPE_ACTIVITY_NAME);
  if (activity == NULL || activity ()->subscribe (&subscriber, &subscription) != 0)
    return 1;
  leave_a_record (activity ());
  acc_shutdown (acc_device_default);
  printf ("shut down\n");
  leave_a_record (activity ());
  return 0;
}
