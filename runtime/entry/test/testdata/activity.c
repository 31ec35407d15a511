/* Asks for device activity before anything needs the Go part, uses what it got,
   then opens the Go part and uses the same things again.  Says what differs from
   accscope_activity.h.  */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include "acc_prof.h"
#include "accscope_activity.h"
#include "openacc.h"

enum { ROOM = 16 };

static void
record (void *context, const struct accscope_activity_record *r)
{
  (void) context, (void) r;
}

static void
mapping (void *context, const struct accscope_activity_mapping *m)
{
  (void) context, (void) m;
}

static void
queue (void *context, const struct accscope_activity_queue *q)
{
  (void) context, (void) q;
}

static void
expect (int line, const char *what, long got, long want)
{
  if (got != want)
    printf ("line %d: %s is %ld instead of %ld\n", line, what, got, want);
}

#define EXPECT(expression, want) \
  expect (__LINE__, #expression, (long) (expression), (long) (want))

int
main (void)
{
  struct accscope_activity_subscriber wanted
    = { sizeof wanted, 1 << accscope_activity_kernel, record, &wanted };
  struct accscope_activity_subscriber broken = wanted;
  struct accscope_activity_clock time = { .size = sizeof time };
  struct accscope_activity_device device = { .size = sizeof device };
  const char *name;
  uint64_t number[ROOM + 1], late = 0;
  const struct accscope_activity *activity;
  int refused = getenv ("STANDIN_ACTIVITY") != NULL
		&& getenv ("STANDIN_ACTIVITY")[0] == 'r';

  EXPECT (acc_prof_lookup ("something_else"), 0);
  EXPECT (acc_prof_lookup (NULL), 0);
  accscope_activity_function function
    = (accscope_activity_function) acc_prof_lookup (ACCSCOPE_ACTIVITY_NAME);
  if (function == NULL || (activity = function ()) == NULL)
    {
      printf ("there is no early answer\n");
      return 1;
    }
  EXPECT (activity->version, 1);
  EXPECT (activity->size, sizeof *activity);

  EXPECT (activity->subscribe (NULL, &late), EINVAL);
  EXPECT (activity->subscribe (&wanted, NULL), EINVAL);
  broken.record = NULL;
  EXPECT (activity->subscribe (&broken, &late), EINVAL);
  broken = wanted;
  broken.size = 8;
  EXPECT (activity->subscribe (&broken, &late), EINVAL);
  for (int i = 0; i < ROOM; i++)
    {
      wanted.kinds = i + 1;
      EXPECT (activity->subscribe (&wanted, &number[i]), 0);
      for (int j = 0; j < i; j++)
	EXPECT (number[i] == number[j], 0);
    }
  EXPECT (activity->subscribe (&wanted, &number[ROOM]), ENOMEM);
  EXPECT (activity->unsubscribe (0), EINVAL);
  EXPECT (activity->unsubscribe (number[ROOM - 1] + 1), EINVAL);
  for (int i = 2; i < ROOM; i++)
    {
      EXPECT (activity->unsubscribe (number[i]), 0);
      EXPECT (activity->unsubscribe (number[i]), EINVAL);
    }
  EXPECT (activity->flush (), 0);
  EXPECT (activity->flush_for (number[0]), 0);
  EXPECT (activity->flush_for (number[2]), EINVAL);
  EXPECT (activity->flush_for (0), EINVAL);
  EXPECT (activity->current_correlation (), 0);
  EXPECT (activity->learned (), 0);
  EXPECT (activity->clock (acc_device_host, 0, NULL), EINVAL);
  EXPECT (activity->clock (acc_device_host, 0, &time), ENODEV);
  EXPECT (activity->mappings (acc_device_host, 0, NULL, NULL), EINVAL);
  EXPECT (activity->mappings (acc_device_host, 0, mapping, NULL), ENODEV);
  EXPECT (activity->queues (acc_device_host, 0, NULL, NULL), EINVAL);
  EXPECT (activity->queues (acc_device_host, 0, queue, NULL), ENODEV);
  EXPECT (activity->kernel (acc_device_host, 0, NULL, &name), EINVAL);
  EXPECT (activity->kernel (acc_device_host, 0, "main._omp_fn.0", NULL), EINVAL);
  EXPECT (activity->kernel (acc_device_host, 0, "main._omp_fn.0", &name), ENODEV);
  EXPECT (activity->device (acc_device_host, 0, NULL), EINVAL);
  EXPECT (activity->device (acc_device_host, 0, &device), ENODEV);

  printf ("now the Go part\n");
  fflush (stdout);
  acc_get_num_devices (acc_device_host);
  EXPECT (activity->flush_for (number[0]), refused ? EINVAL : 0);
  EXPECT (activity->unsubscribe (number[0]), refused ? EINVAL : 0);
  EXPECT (activity->unsubscribe (number[0]), EINVAL);
  EXPECT (activity->subscribe (&wanted, &late), refused ? ENOMEM : 0);
  EXPECT (activity->flush (), 0);
  EXPECT (activity->clock (acc_device_host, 0, &time), 0);
  EXPECT (activity->mappings (acc_device_host, 0, mapping, NULL), 0);
  EXPECT (activity->queues (acc_device_host, 0, queue, NULL), 0);
  EXPECT (activity->device (acc_device_host, 0, &device), 0);
  EXPECT (activity->learned (), 7);
  EXPECT (activity->kernel (acc_device_host, 0, "main._omp_fn.0", &name), 0);
  return 0;
}
