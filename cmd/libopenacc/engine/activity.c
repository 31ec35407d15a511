#include <stddef.h>
#include "activity.h"
#include "_cgo_export.h"

static __thread uint64_t delivering;

void
accscope_engine_deliver (uint64_t subscription,
			 const struct accscope_activity_subscriber *s,
			 const struct accscope_activity_record *record)
{
  delivering = subscription;
  s->record (s->context, record);
  delivering = 0;
}

uint64_t
accscope_engine_delivering (void)
{
  return delivering;
}

__attribute__ ((visibility ("default"))) int
accscope_engine_recording (void)
{
  return delivering != 0;
}

static int
subscribe (const struct accscope_activity_subscriber *s, uint64_t *subscription)
{
  return accscopeSubscribe ((void *) s, subscription);
}

static const struct acc_dispatch *dispatch;	/* atomic */

void
accscope_engine_answer_for (const struct acc_dispatch *published)
{
  __atomic_store_n (&dispatch, published, __ATOMIC_RELEASE);
}

/* Each event of an enqueue asks, so this stays in C.  */
static uint64_t
current_correlation (void)
{
  const struct acc_dispatch *d = __atomic_load_n (&dispatch, __ATOMIC_ACQUIRE);

  return d->correlation ? d->correlation () : 0;
}

static int
mappings (int32_t type, int32_t number, accscope_activity_each_mapping each,
	  void *context)
{
  return accscopeMappings (type, number, each, context);
}

static int
queues (int32_t type, int32_t number, accscope_activity_each_queue each,
	void *context)
{
  return accscopeQueues (type, number, each, context);
}

static int
kernel (int32_t type, int32_t number, const char *name, const char **driver_name)
{
  return accscopeKernel (type, number, (char *) name, (char **) driver_name);
}

static const struct accscope_activity table =
{
  .size = sizeof table, .version = 1,
  .subscribe = subscribe, .unsubscribe = accscopeUnsubscribe,
  .flush = accscopeFlush, .current_correlation = current_correlation,
  .clock = accscopeClock, .mappings = mappings, .queues = queues,
  .device = accscopeDevice, .flush_for = accscopeFlushFor, .learned = accscopeLearned,
  .kernel = kernel
};

const struct accscope_activity *
accscope_engine_activity (void)
{
  return &table;
}
