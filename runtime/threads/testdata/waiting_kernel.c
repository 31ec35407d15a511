/* Returns from main while an asynchronous kernel runs, which waits for a queue once
   the device is being shut down.  */
#include <acc_prof.h>
#include <openacc.h>
#include <stdlib.h>
#include <unistd.h>

static int ending;

static void
note_end (acc_prof_info *profile, acc_event_info *event, acc_api_info *api)
{
  (void) profile;
  (void) event;
  (void) api;
  __atomic_store_n (&ending, 1, __ATOMIC_RELEASE);
}

static void __attribute__ ((noinline))
wait_inside (void)
{
  static const char end[] = "the kernel ended\n";

  while (!__atomic_load_n (&ending, __ATOMIC_ACQUIRE))
    continue;
  acc_wait (5);
  if (write (1, end, sizeof end - 1) < 0)
    abort ();
}

int
main (void)
{
  static int rounds;

  acc_prof_register (acc_ev_device_shutdown_start, note_end, acc_reg);
#pragma acc enter data copyin(rounds)
#pragma acc parallel present(rounds) async
  {
    wait_inside ();
    rounds++;
  }
  return 0;
}
