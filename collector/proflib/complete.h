/* complete.h - structs that a runtime gave too short (complete.c).  */
#ifndef ACCSCOPE_COMPLETE_H
#define ACCSCOPE_COMPLETE_H

#include "acc_callback.h"

/* Copies of structs that are too short, their unknown fields filled with what
   the specification says for "not known".  */
struct complete
{
  acc_prof_info profile;
  acc_event_info event;
  acc_api_info api;
  unsigned missing;		/* CAPTURE_MISSING_* of what was too short */
};

/* Each argument may be null, but TO, which gets them.  */
void complete (struct complete *to, const acc_prof_info *profile,
	       const acc_event_info *event, const acc_api_info *api);

/* Whether the filters of size and queue leave the event out.  */
int filtered (const acc_prof_info *profile, const acc_event_info *event,
	      const acc_api_info *api);

#endif
