/* complete.c - structs that a runtime gave too short, or not at all (OpenACC 3.3
   §5.2: valid_bytes), and the filters that need their fields.  */
#include "proflib.h"
#include "complete.h"
#include "kinds.h"
#include <string.h>

static int
plausible (int valid_bytes, int limit)
{
  if (valid_bytes < 8)
    return 8;	/* event_type and valid_bytes are always there */
  return valid_bytes > limit ? limit : valid_bytes;
}

void
complete (struct complete *to, const acc_prof_info *profile,
	  const acc_event_info *event, const acc_api_info *api)
{
  unsigned missing = 0;
  memset (to, 0, sizeof *to);

  acc_prof_info *p = &to->profile;
  p->version = p->device_number = p->thread_id = -1;
  p->device_type = (acc_device_t) -1;
  p->async = p->async_queue = -1;
  p->line_no = p->end_line_no = p->func_line_no = p->func_end_line_no = -1;
  if (profile)
    memcpy (p, profile, (size_t) plausible (profile->valid_bytes, PROFILE_BYTES));
  if (!profile || profile->valid_bytes < PROFILE_BYTES)
    missing |= CAPTURE_MISSING_PROFILE;

  acc_event_info *e = &to->event;
  int kind = profile ? (int) profile->event_type
    : event ? (int) event->event_type : acc_ev_none;
  p->event_type = e->event_type = (acc_event_t) kind;
  unsigned group = group_of (kind);
  int needed = group_bytes (group);
  e->other_event.parent_construct = (acc_construct_t) -1;
  e->other_event.implicit = -1;
  if (group & CAPTURE_SITE_ERROR)
    e->error_event.error_code = (acc_error_t) -1;
  int valid = event ? event->other_event.valid_bytes : 0;
  if (event)
    {
      int limit = needed;
      if (group & CAPTURE_SITE_LAUNCH && valid >= DIMENSION_BYTES
	  && valid <= PLAUSIBLE_BYTES)
	limit = DIMENSION_BYTES;
      memcpy (e, event, (size_t) plausible (valid, limit));
    }
  if (valid < needed)
    missing |= CAPTURE_MISSING_EVENT;

  acc_api_info *a = &to->api;
  a->device_api = (acc_device_api) -1;
  a->device_type = (acc_device_t) -1;
  a->vendor = -1;
  if (api)
    memcpy (a, api, (size_t) plausible (api->valid_bytes, API_BYTES));
  if (!api || api->valid_bytes < API_BYTES)
    missing |= CAPTURE_MISSING_API;
  to->missing = missing;
}

int
filtered (const acc_prof_info *profile, const acc_event_info *event,
	  const acc_api_info *api)
{
  struct complete copy;
  complete (&copy, profile, event, api);
  int kind = copy.profile.event_type;
  /* An end goes with its start, whose tool_info tells that it was recorded:
     the start of an asynchronous construct may not know its queue yet.  */
  if (is_kind (end_kinds, kind) && !(copy.missing & CAPTURE_MISSING_EVENT))
    return copy.event.other_event.tool_info == NULL;
  if (settings.filters & CAPTURE_FILTER_BYTES && is_kind (data_kinds, kind)
      && copy.event.data_event.bytes < settings.minimum_bytes)
    return 1;
  if (!(settings.filters & CAPTURE_FILTER_QUEUE) || kind == acc_ev_error)
    return 0;
  for (unsigned i = 0; i < settings.queues; i++)
    if (settings.queue[i] == (int64_t) copy.profile.async_queue)
      return 0;
  return 1;
}
