/* The C face of device activity (accscope_activity.h): a table of functions in
   C that call the Go side.  */
#ifndef ACCSCOPE_ENGINE_ACTIVITY_H
#define ACCSCOPE_ENGINE_ACTIVITY_H

#include "accscope_activity.h"
#include "engine.h"

/* What acc_prof_lookup answers, for the callbacks of a registry.  */
const struct accscope_activity *accscope_engine_activity (void);
void accscope_engine_answer_for (const struct acc_dispatch *published);

/* Calls a subscriber; remembers on this thread that its function runs.  */
void accscope_engine_deliver (uint64_t subscription,
			      const struct accscope_activity_subscriber *,
			      const struct accscope_activity_record *);

/* A row of ACCSCOPE_ENGINE_FUNCTIONS that is C: Go may be ending.  */
int accscope_engine_recording (void);

/* The subscription whose function runs on this thread, 0 if none.  */
uint64_t accscope_engine_delivering (void);

static inline void
accscope_engine_each_mapping (accscope_activity_each_mapping each, void *context,
			      const struct accscope_activity_mapping *m)
{
  each (context, m);
}

static inline void
accscope_engine_each_queue (accscope_activity_each_queue each, void *context,
			    const struct accscope_activity_queue *q)
{
  each (context, q);
}

#endif
