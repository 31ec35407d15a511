/* ranges.c - starts ranges of the process, says so, and ends all but the first when it
   reads something.  */
#include "accscope_annotation.h"
#include <stdio.h>
#include <unistd.h>

int
main (int argc, char **argv)
{
  enum { MOST = 2000 };
  static uint64_t ranges[MOST];
  int count = argc > 1 ? atoi (argv[1]) : 2;
  char byte;
  for (int i = 0; i < count && i < MOST; i++)
    ranges[i] = accscope_range_start ("open");
  if (puts ("started") < 0 || fflush (stdout) != 0 || read (0, &byte, 1) != 1)
    return 1;
  for (int i = 1; i < count && i < MOST; i++)
    accscope_range_end (ranges[i]);
  accscope_range_end (accscope_range_start ("later"));
  return 0;
}
