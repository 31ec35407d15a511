/* Returns from main while a record function runs, which waits for a queue over and
   over until well after the program has begun to end.  Needs accscope's runtime.  */
#include <acc_prof.h>
#include "../../include/accscope_activity.h"
#include <openacc.h>
#include <stdlib.h>
#include <unistd.h>

static int leaving;

static void
record (void *context, const struct accscope_activity_record *r)
{
  static const char end[] = "the record came\n";
  int i;

  (void) context;
  if (r->kind != accscope_activity_kernel)
    return;
  while (!__atomic_load_n (&leaving, __ATOMIC_ACQUIRE))
    continue;
  for (i = 0; i < 200000; i++)
    acc_wait (5);
  if (write (1, end, sizeof end - 1) < 0)
    abort ();
}

int
main (void)
{
  static int rounds;
  struct accscope_activity_subscriber subscriber
    = { .size = sizeof subscriber, .record = record };
  accscope_activity_function activity;
  uint64_t subscription;

  *(void **) &activity = acc_prof_lookup (ACCSCOPE_ACTIVITY_NAME);
  if (activity == NULL || activity ()->subscribe (&subscriber, &subscription) != 0)
    return 1;
#pragma acc enter data copyin(rounds)
#pragma acc parallel present(rounds) async
  rounds++;
  __atomic_store_n (&leaving, 1, __ATOMIC_RELEASE);
  return 0;
}
