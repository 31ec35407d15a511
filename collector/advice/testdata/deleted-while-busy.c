/* Data that are deleted before a queue is done with them.  The kernel holds the queue
   until the host lets it go on.  */
#include "program.h"
#include <unistd.h>
#define N 1000

static double field[N];
static volatile int gate;

static void
hold (void)
{
  volatile int *held = &gate;
#pragma acc parallel async(1) deviceptr(held)
  while (*held == 0)
    ;
}

static void
bad (void)
{
#pragma acc enter data create(field)
  hold ();
#pragma acc update device(field) async(1)
#pragma acc exit data delete(field)
  usleep (10000); /* The clocks of host and device agree to less.  */
  gate = 1;
#pragma acc wait(1)
}

static void
mended (void)
{
#pragma acc enter data create(field)
  hold ();
#pragma acc update device(field) async(1)
  gate = 1;
#pragma acc wait(1)
#pragma acc exit data delete(field)
}

/* The queue itself deletes them, in order.  */
static void
alike (void)
{
#pragma acc enter data create(field)
  hold ();
#pragma acc update device(field) async(1)
#pragma acc exit data delete(field) async(1)
  gate = 1;
#pragma acc wait(1)
}

PROGRAMS
