/* Measures what it costs to attribute the events of a library with much debug
   information: large LIBRARY UNITS FUNCTIONS ATTRIBUTE.

   Prints the milliseconds of the calling thread's processor time that the first and the
   second call of one function take, a construct each, the mean of the first calls of all
   others, and by how many
   bytes resident memory grew.  The runtime has started before.  With ATTRIBUTE 0
   no tool is registered, which shows what the calls cost by themselves.  */
#include <acc_callback.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef void (*function) (int, double *, double *, void *);

static long lines, names;

static void
record (acc_callback_info *info, acc_event_info *event, acc_api_info *api)
{
  (void) api;
  lines += info->line_no > 0 && info->end_line_no == info->line_no + 2;
  if (info->event_type == acc_ev_create)
    names += event->data_event.var_name != NULL;
}

static double
now (void)
{
  struct timespec t;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &t);
  return (double) t.tv_sec * 1e3 + (double) t.tv_nsec / 1e6;
}

static long
resident (void)
{
  char line[256];
  long kilobytes = 0;
  FILE *status = fopen ("/proc/self/status", "r");

  while (status && fgets (line, sizeof line, status))
    if (sscanf (line, "VmRSS: %ld", &kilobytes) == 1)
      break;
  if (status)
    fclose (status);
  return kilobytes << 10;
}

static function
find (void *library, int unit, int number)
{
  char name[64];

  snprintf (name, sizeof name, "unit_%d_kernel_%d", unit, number);
  function f = (function) dlsym (library, name);
  if (!f)
    {
      fprintf (stderr, "large: %s\n", dlerror ());
      exit (1);
    }
  return f;
}

int
main (int argc, char **argv)
{
  enum { count = 16 };	/* more than what goes along as a value */
  double x[count] = { 1, 2, 3, 4 }, y[count] = { 0 };

  if (argc < 5)
    return 2;
  void *library = dlopen (argv[1], RTLD_NOW);
  int units = atoi (argv[2]), functions = atoi (argv[3]), attribute = atoi (argv[4]);
  if (!library)
    {
      fprintf (stderr, "large: %s\n", dlerror ());
      return 1;
    }
  if (attribute)
    {
      acc_prof_register (acc_ev_compute_construct_start, record, acc_reg);
      acc_prof_register (acc_ev_create, record, acc_reg);
    }
#pragma acc parallel loop copy(y)
  for (int i = 0; i < count; i++)
    y[i] = i;

  long before = resident ();
  function one = find (library, units / 2, functions / 2);
  double start = now ();
  one (count, x, y, NULL);
  double first = now () - start;
  start = now ();
  one (count, x, y, NULL);
  double second = now () - start, others = 0;
  for (int u = 0; u < units; u++)
    for (int f = 0; f < functions; f++)
      {
	function other = find (library, u, f);
	start = now ();
	other (count, x, y, NULL);
	others += now () - start;
      }
  long calls = (long) units * functions + 2;
  if (attribute && (lines < calls || names < 2 * calls))
    {
      fprintf (stderr, "large: %ld calls, %ld with lines, %ld names of mappings\n", calls, lines, names);
      return 1;
    }
  printf ("%f %f %f %ld\n", first, second, others / (units * functions), resident () - before);
  return 0;
}
