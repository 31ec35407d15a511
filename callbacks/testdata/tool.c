/* A tool: logs each event with the tool_info it finds, and leaves a value of its
   own in those that two of its callbacks get.  */
#include "acc_callback.h"

struct logged { int event; int routine; void *tool_info; };
struct logged tool_log[64];
int tool_logged;
void *tool_leaves;		/* in first; second leaves what it finds */

static void
log_event (int routine, acc_callback_info *info, acc_event_info *event)
{
  struct logged *l = &tool_log[tool_logged++ % 64];

  l->event = info->event_type;
  l->routine = routine;
  l->tool_info = event->other_event.tool_info;
}

void
first (acc_callback_info *info, acc_event_info *event, acc_api_info *api)
{
  (void) api;
  log_event (1, info, event);
  event->other_event.tool_info = tool_leaves;
}

void
second (acc_callback_info *info, acc_event_info *event, acc_api_info *api)
{
  (void) api;
  log_event (2, info, event);
}
