/* The device of these programs has 64 MiB.  */
#include "program.h"

static void
use (size_t bytes)
{
  void *memory = acc_malloc (bytes);
  if (memory == NULL)
    exit (1);
  acc_free (memory);
}

static void
bad (void)
{
  use (60 << 20);
}

static void
mended (void)
{
  use (30 << 20);
  use (30 << 20);
}

/* As much in all, but never at once.  */
static void
alike (void)
{
  for (int i = 0; i < 6; i++)
    use (10 << 20);
}

PROGRAMS
