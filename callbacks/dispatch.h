/* Dispatch of OpenACC events to registered callbacks (OpenACC 3.3 §5.4, §5.5).

   The registry itself is Go (registry.go); it publishes immutable callback
   lists to struct acc_dispatch, and the functions here walk them on the thread
   that raises the event, without a lock and without entering Go.  The file is
   compiled twice: into libopenacc.so, and into the Go package callbacks.  */
#ifndef ACC_DISPATCH_H
#define ACC_DISPATCH_H

#include <stdint.h>
#include "acc_callback.h"

struct acc_dispatch;		/* one process's published registry */

struct acc_dispatch_thread	/* one host thread; zero it, then set thread_id */
{
  int32_t thread_id;		/* acc_prof_info.thread_id, from 0 */
  uint32_t disabled;		/* acc_toggle_per_thread switched callbacks off */
  uint32_t depth;		/* callbacks in progress on this thread */
};

struct acc_dispatch_pair;	/* carries each tool's tool_info from _start to _end */

#endif
