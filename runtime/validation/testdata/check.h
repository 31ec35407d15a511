/* What the C programs share: counting checks, and whether the device has a memory
   of its own.  Included once by each.  */
#include <openacc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int checks, failures;

static void
check_at (int line, const char *what, int holds)
{
  checks++;
  if (!holds)
    {
      failures++;
      printf ("line %d: %s\n", line, what);
    }
}
#define CHECK(condition) check_at (__LINE__, #condition, (condition))

/* Whether all n elements of a are as the expression in i says.  */
#define ALL(n, expression)						\
  __extension__ ({							\
    int all = 1;							\
    for (int i = 0; i < (n); i++)					\
      all = all && (expression);					\
    all;								\
  })

static inline int
discrete (void)
{
  return acc_get_device_type () != acc_device_host;
}

static int
report (void)
{
  printf ("%d checks, %d failures\n", checks, failures);
  return failures != 0;
}
