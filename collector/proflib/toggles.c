/* toggles.c - when the program has callbacks switched off (OpenACC 3.3 §5.4.2), as the
   runtime tells it (accscope_toggles.h): what comes in between is not in the trace.  */
#include "accscope_toggles.h"
#include "proflib.h"
#include "system.h"

int toggles_told;

/* What is off for all threads: all events, by (acc_ev_none, NULL); those of an event; and
   our callback of an event.  */
static uint64_t all, events, ours;
static uint32_t changing;

static __thread int thread_off __attribute__ ((tls_model ("initial-exec")));

static uint64_t
off_for_all (void)
{
  return (all | events | ours) & settings.event_mask;
}

static int
write_toggle (struct ring *ring, unsigned flags, uint64_t off, uint64_t now)
{
  struct capture_toggle *record
    = record_begin (ring, CAPTURE_RECORD_TOGGLE, flags, sizeof *record);
  if (!record)
    return -1;
  record->ticks = now;
  record->off = off;
  return record_end (ring, sizeof *record);
}

static void
tell (unsigned flags, uint64_t off)
{
  uint64_t now = ticks_now ();
  struct ring *ring = ring_begin (now);
  if (!ring)
    return;
  for (int attempts = 0; write_toggle (ring, flags, off, now) < 0; attempts++)
    if (attempts > 1 || ring_more (ring, now) < 0)
      {
	ring_drop (ring, now);
	break;
      }
  ring_end (ring);
}

static void
set (uint64_t *word, uint64_t bits, int on)
{
  *word = on ? *word & ~bits : *word | bits;
}

static int
is_ours (int event, void *callback)
{
  return callback == (void *) record_callback || callback == (void *) record_filtered
    || (settings.hash && content_callback (event)
	&& callback == (void *) content_callback (event));
}

static void
toggled (int event, void *callback, int mode, int on)
{
  if (mode == acc_toggle_per_thread)
    {
      if (event == acc_ev_none && !callback && thread_off == on)
	{
	  thread_off = !on;
	  tell (CAPTURE_TOGGLE_THREAD, on ? 0 : settings.event_mask);
	}
      return;
    }
  while (__atomic_exchange_n (&changing, 1, __ATOMIC_ACQUIRE))
    system_sleep (20000);
  uint64_t before = off_for_all ();
  if (event == acc_ev_none && !callback)
    set (&all, UINT64_MAX, on);
  else if (event != acc_ev_none && !callback)
    set (&events, event_bit (event), on);
  else if (event != acc_ev_none && is_ours (event, callback))
    set (&ours, event_bit (event), on);
  uint64_t off = off_for_all ();
  if (off != before)
    tell (0, off);
  __atomic_store_n (&changing, 0, __ATOMIC_RELEASE);
}

/* In a child after fork, the thread that was at it is not there.  */
void
toggles_forked (void)
{
  changing = 0;
}

void
toggles_declare (acc_prof_lookup_func lookup)
{
  accscope_toggles_function declare
    = (accscope_toggles_function) (void *) lookup (ACCSCOPE_TOGGLES_NAME);
  toggles_told = declare && declare (toggled) == 0;
}
