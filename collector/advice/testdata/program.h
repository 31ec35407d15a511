/* program.h - a test program is three: the argument bad, mended or alike chooses.  */
#include <openacc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROGRAMS                                                              \
  int main (int count, char **arguments)                                      \
  {                                                                           \
    acc_init (acc_device_default);                                            \
    if (count == 2 && strcmp (arguments[1], "bad") == 0)                      \
      bad ();                                                                 \
    else if (count == 2 && strcmp (arguments[1], "mended") == 0)              \
      mended ();                                                              \
    else if (count == 2 && strcmp (arguments[1], "alike") == 0)               \
      alike ();                                                               \
    else                                                                      \
      return 2;                                                               \
    return 0;                                                                 \
  }
