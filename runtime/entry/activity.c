/* accscope_activity.h for tools that ask before the Go part is there: libgomp's
   constructor calls the tools of ACC_PROFLIB before main.  Subscriptions made
   then are noted and made when the Go part is opened; the rest answers as for a
   runtime that has no device yet.  */
#include "accscope_activity.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "library.h"

#define EARLY 16		/* subscriptions; a process has a few tools */

static struct
{
  struct accscope_activity_subscriber subscriber;
  uint64_t subscription;	/* 0: free; before the replay, any other number */
} early[EARLY];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const struct accscope_activity *real;	/* atomic; null before */

void
accscope_activity_in_child (void)
{
  lock = (pthread_mutex_t) PTHREAD_MUTEX_INITIALIZER;
}

static const struct accscope_activity *
table (void)
{
  return __atomic_load_n (&real, __ATOMIC_ACQUIRE);
}

/* Numbers given out here have the top bit, so that they never meet those of the
   Go part; they stay valid after the replay.  */
#define OURS (UINT64_C (1) << 63)

int accscope_subscribed;

static int
subscribe (const struct accscope_activity_subscriber *s, uint64_t *subscription)
{
  int i, result = ENOMEM;

  __atomic_store_n (&accscope_subscribed, 1, __ATOMIC_RELAXED);
  if (table () != NULL)
    return table ()->subscribe (s, subscription);
  if (s == NULL || subscription == NULL || s->size < sizeof *s
      || s->record == NULL)
    return EINVAL;
  pthread_mutex_lock (&lock);
  if (table () != NULL)
    result = table ()->subscribe (s, subscription);
  else
    for (i = 0; i < EARLY; i++)
      if (early[i].subscription == 0)
	{
	  early[i].subscriber = *s;
	  early[i].subscriber.size = sizeof early[i].subscriber;
	  early[i].subscription = OURS;
	  *subscription = OURS + 1 + i;
	  result = 0;
	  break;
	}
  pthread_mutex_unlock (&lock);
  return result;
}

/* The Go part's number of a subscription, 0 if there is none, which ends here if
   ENDS.  *ACTIVITY is what knows it.  */
static uint64_t
number_of (uint64_t subscription, bool ends,
	   const struct accscope_activity **activity)
{
  uint64_t theirs = subscription;

  pthread_mutex_lock (&lock);
  *activity = table ();
  if (subscription & OURS)
    {
      uint64_t i = subscription - OURS - 1;
      theirs = i < EARLY ? early[i].subscription : 0;
      if (i < EARLY && ends)
	early[i].subscription = 0;
    }
  pthread_mutex_unlock (&lock);
  return theirs;
}

static int
unsubscribe (uint64_t subscription)
{
  const struct accscope_activity *activity;
  uint64_t theirs = number_of (subscription, true, &activity);

  if (theirs == 0)
    return EINVAL;
  if (activity == NULL)
    return subscription & OURS ? 0 : EINVAL;
  return activity->unsubscribe (theirs);
}

static int
flush (void)
{
  return table () ? table ()->flush () : 0;
}

static int
flush_for (uint64_t subscription)
{
  const struct accscope_activity *activity;
  uint64_t theirs = number_of (subscription, false, &activity);

  if (theirs == 0)
    return EINVAL;
  if (activity == NULL)
    return subscription & OURS ? 0 : EINVAL;
  return activity->flush_for (theirs);
}

static uint64_t
learned (void)
{
  return table () ? table ()->learned () : 0;
}

static uint64_t
current_correlation (void)
{
  return acc_dispatch_correlation ();
}

static int
clock_point (int32_t type, int32_t number, struct accscope_activity_clock *clock)
{
  if (table ())
    return table ()->clock (type, number, clock);
  return clock == NULL || clock->size < sizeof *clock ? EINVAL : ENODEV;
}

static int
mappings (int32_t type, int32_t number, accscope_activity_each_mapping each,
	  void *context)
{
  if (table ())
    return table ()->mappings (type, number, each, context);
  return each == NULL ? EINVAL : ENODEV;
}

static int
queues (int32_t type, int32_t number, accscope_activity_each_queue each,
	void *context)
{
  if (table ())
    return table ()->queues (type, number, each, context);
  return each == NULL ? EINVAL : ENODEV;
}

static int
device (int32_t type, int32_t number, struct accscope_activity_device *facts)
{
  if (table ())
    return table ()->device (type, number, facts);
  return facts == NULL || facts->size < sizeof *facts ? EINVAL : ENODEV;
}

static int
kernel (int32_t type, int32_t number, const char *name, const char **driver_name)
{
  if (table ())
    return table ()->kernel (type, number, name, driver_name);
  return name == NULL || driver_name == NULL ? EINVAL : ENODEV;
}

static const struct accscope_activity before =
{
  .size = sizeof before, .version = 1,
  .subscribe = subscribe, .unsubscribe = unsubscribe, .flush = flush,
  .current_correlation = current_correlation, .clock = clock_point,
  .mappings = mappings, .queues = queues,
  .device = device, .flush_for = flush_for, .learned = learned,
  .kernel = kernel
};

static const struct accscope_activity *
activity (void)
{
  return &before;
}

void *
accscope_early_lookup (const char *name)
{
  if (name != NULL && strcmp (name, ACCSCOPE_ACTIVITY_NAME) == 0)
    return (void *) activity;
  return NULL;
}

void
accscope_activity_replay (void)
{
  struct thread *t = self ();
  accscope_activity_function function;
  const struct accscope_activity *activity = NULL;
  int i;

  *(void **) &function = accscope_engine.lookup (T, ACCSCOPE_ACTIVITY_NAME);
  if (function != NULL)
    activity = function ();
  pthread_mutex_lock (&lock);
  for (i = 0; i < EARLY && activity != NULL; i++)
    if (early[i].subscription != 0
	&& activity->subscribe (&early[i].subscriber,
				&early[i].subscription) != 0)
      {
	accscope_complain ("a tool's subscription to device activity was "
			   "refused");
	early[i].subscription = 0;
      }
  __atomic_store_n (&real, activity, __ATOMIC_RELEASE);
  pthread_mutex_unlock (&lock);
}
