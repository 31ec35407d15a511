/* ends HOW EVENT: the first callback of that event does not return, or not as usual:
   it ends the program (e) or its thread (p), jumps out of the construct (j), or
   unregisters the construct's last callback (u).  Prints the events.  */
#include <openacc.h>
#include <acc_prof.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

static float a[4];
static int how, when, done;
static jmp_buf before;

static void
callback (acc_prof_info *profile, acc_event_info *event, acc_api_info *api)
{
  (void) event, (void) api;
  printf (" %d", profile->event_type);
  if (done || (int) profile->event_type != when)
    return;
  done = 1;
  if (how == 'e')
    exit (0);
  if (how == 'p')
    pthread_exit (NULL);
  if (how == 'j')
    longjmp (before, 1);
  acc_prof_unregister (acc_ev_compute_construct_end, callback, acc_reg);
}

static void *
launch (void *unused)
{
#pragma acc parallel present(a) async(1)
  a[0] = 1;
  return unused;
}

int
main (int count, char **arguments)
{
  if (count != 3)
    return 2;
  how = arguments[1][0];
  when = atoi (arguments[2]);
#pragma acc enter data copyin(a)
  for (int event = acc_ev_device_init_start; event <= acc_ev_wait_end; event++)
    acc_prof_register (event, callback, acc_reg);
  for (int i = 0; how == 'p' && i < 2; i++)
    {
      pthread_t thread;
      pthread_create (&thread, NULL, launch, NULL);
      pthread_join (thread, NULL);
      printf (" |");
    }
  if (how != 'p' && !setjmp (before))
    launch (NULL);
  printf (" |");
  launch (NULL);
#pragma acc wait
  return 0;
}
