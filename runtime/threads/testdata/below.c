/* Prints for each callback, for one inside another one, and for a kernel which objects the
   frames on the stack belong to, the innermost first, each once where several follow.  */
#define _GNU_SOURCE
#include <acc_prof.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <openacc.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static float a[4], b[4];
static int depth;

static const char *
object_of (void *address)
{
  Dl_info info;
  const char *slash;

  if (dladdr (address, &info) == 0)
    return "?";
  slash = strrchr (info.dli_fname, '/');
  return slash != NULL ? slash + 1 : info.dli_fname;
}

#pragma acc routine seq
static void
tell (const char *what, int number)
{
  void *frame[64];
  int frames = backtrace (frame, 64);
  const char *last = "";

  printf ("%s %d:", what, number);
  for (int i = 0; i < frames; i++)
    {
      const char *object = object_of (frame[i]);
      if (strcmp (object, last) != 0)
	printf (" %s", object);
      last = object;
    }
  printf ("\n");
}

/* By frame pointers: the first object behind our library.  */
static void
follow (void **frame, int number)
{
  while (strcmp (object_of (frame[1]), "libopenacc.so") == 0)
    frame = frame[0];
  printf ("pointers %d: %s\n", number, object_of (frame[1]));
}

static void
callback (acc_prof_info *profile, acc_event_info *event, acc_api_info *api)
{
  (void) event, (void) api;
  follow (__builtin_frame_address (0), profile->event_type);
  tell (depth > 0 ? "inside" : "event", profile->event_type);
  if (depth++ == 0 && profile->event_type == acc_ev_compute_construct_start)
    acc_update_self (a, sizeof a);
  depth--;
}

int
main (void)
{
  for (int event = acc_ev_device_init_start; event <= acc_ev_wait_end; event++)
    acc_prof_register (event, callback, acc_reg);
#pragma acc data copy(a)
  {
#pragma acc parallel present(a)
    tell ("kernel", 0);
#pragma acc parallel present(a) async(1)
    a[0] = 1;
#pragma acc parallel present(a) copyout(b) async(2) wait(1)
    b[0] = a[0];
#pragma acc update self(a) async(1)
#pragma acc wait
  }
  for (int event = acc_ev_device_init_start; event <= acc_ev_wait_end; event++)
    acc_prof_unregister (event, callback, acc_reg);
  return 0;
}
