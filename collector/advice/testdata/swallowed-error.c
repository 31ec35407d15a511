/* An error that the program does not look at.  */
#include "program.h"

static double field[1000];

/* The data are gone when they are to be copied out.  */
static void
bad (void)
{
  acc_copyin (field, sizeof field);
  acc_delete (field, sizeof field);
  acc_copyout (field, sizeof field);
}

static void
mended (void)
{
  acc_copyin (field, sizeof field);
  acc_copyout (field, sizeof field);
}

/* The program asks before.  */
static void
alike (void)
{
  acc_copyin (field, sizeof field);
  acc_delete (field, sizeof field);
  if (acc_is_present (field, sizeof field))
    acc_copyout (field, sizeof field);
}

PROGRAMS
