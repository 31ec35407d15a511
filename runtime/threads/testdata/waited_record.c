/* Holds a lock while it waits for a queue, which its record function wants: where
   another tool has the wait deliver its records, too, neither may wait for the other.
   Needs accscope's runtime.  */
#include <acc_prof.h>
#include "../../include/accscope_activity.h"
#include <openacc.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int records;

static void
record (void *context, const struct accscope_activity_record *r)
{
  (void) context;
  if (r->kind != accscope_activity_kernel)
    return;
  pthread_mutex_lock (&lock);
  records++;
  pthread_mutex_unlock (&lock);
}

int
main (void)
{
  enum { ROUNDS = 20 };
  static int rounds;
  struct accscope_activity_subscriber subscriber
    = { .size = sizeof subscriber, .record = record };
  accscope_activity_function activity;
  uint64_t subscription;

  *(void **) &activity = acc_prof_lookup (ACCSCOPE_ACTIVITY_NAME);
  if (activity == NULL || activity ()->subscribe (&subscriber, &subscription) != 0)
    return 1;
#pragma acc enter data copyin(rounds)
  for (int i = 0; i < ROUNDS; i++)
    {
      pthread_mutex_lock (&lock);
#pragma acc parallel present(rounds) async
      rounds++;
#pragma acc wait
      pthread_mutex_unlock (&lock);
    }
  activity ()->flush ();
  printf ("%d of %d\n", records, ROUNDS);
  return 0;
}
