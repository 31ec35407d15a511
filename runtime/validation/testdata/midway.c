/* Callbacks that come and go while data constructs are open (5.4.1): each event says
   which construct it ends and where that began, also where nobody wanted the events of its
   beginning.  */
#include "check.h"
#include <acc_prof.h>

static float a[64];
static int seen, construct, line;

static void
note (acc_prof_info *p, acc_event_info *e, acc_api_info *x)
{
  (void) x;
  seen++;
  construct = e->other_event.parent_construct;
  line = p->line_no;
}

/* The two ends of a data construct with a host_data construct in it.  */
static void
ends (acc_event_t event)
{
  int data, host_data;

#pragma acc data copyin (a)
  {
    data = __LINE__ - 2;
#pragma acc host_data use_device (a)
    {
      host_data = __LINE__ - 2;
      acc_prof_register (event, note, acc_reg);
      seen = 0;
    }
    CHECK (seen == 1 && construct == acc_construct_host_data && line == host_data);
  }
  CHECK (seen == 2 && construct == acc_construct_data && line == data);
  acc_prof_unregister (event, note, acc_reg);
}

/* Only the beginning is wanted, then nothing is.  */
static void
beginning (void)
{
  int data;

  seen = 0;
  acc_prof_register (acc_ev_enter_data_start, note, acc_reg);
#pragma acc data copyin (a)
  {
    data = __LINE__ - 2;
    CHECK (seen == 1 && construct == acc_construct_data && line == data);
    acc_prof_unregister (acc_ev_enter_data_start, note, acc_reg);
  }
#pragma acc data copyin (a)
  {
#pragma acc update device (a)
  }
  CHECK (seen == 1);
}

/* More constructs than there is room for at first, whose ends are noted.  */
static void
nested (int depth)
{
  if (depth == 0)
    {
      acc_prof_register (acc_ev_exit_data_start, note, acc_reg);
      seen = 0;
      return;
    }
#pragma acc data copyin (a)
  nested (depth - 1);
  CHECK (construct == acc_construct_data);
}

int
main (void)
{
#pragma acc parallel copy (a) /* begins the device */
  a[0] = 1;
  CHECK (a[0] == 1);
  ends (acc_ev_exit_data_start);
  ends (acc_ev_exit_data_end);
  beginning ();
  nested (20);
  CHECK (seen == 20);
  return report ();
}
