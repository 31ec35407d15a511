/* Ends from inside a kernel, a callback, or main; a destructor uses OpenACC.  */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "acc_callback.h"

static const char *where;
static int x;

static void
callback (acc_callback_info *info, acc_event_info *event, acc_api_info *api)
{
  (void) info;
  (void) event;
  (void) api;
  if (strcmp (where, "callback") == 0)
    exit (3);
}

static void leave (void) __attribute__ ((destructor));
static void
leave (void)
{
#pragma acc exit data delete (x)
  printf ("destructor done\n");
  fflush (stdout);
}

int
main (int argc, char **argv)
{
  int inside;

  where = argc > 1 ? argv[1] : "main";
  inside = strcmp (where, "kernel") == 0;
  acc_prof_register (acc_ev_compute_construct_start, callback, acc_reg);
#pragma acc enter data copyin (x)
#pragma acc parallel copy (x)
  {
    x++;
    if (inside)
      exit (4);
  }
  return 0;
}
