/* A library that plugins.c opens and closes: a global that its declare directive
   names, and one that directives map.  SCALE makes their layout another one.  */
static float named[64 * SCALE];
#pragma acc declare create(named)
static float mapped[300 * SCALE];

int
use (float value)
{
  int i, right = 1;

  for (i = 0; i < 64 * SCALE; i++)
    named[i] = value;
#pragma acc update device(named)
#pragma acc parallel loop
  for (i = 0; i < 64 * SCALE; i++)
    named[i] += 1;
#pragma acc update self(named)
#pragma acc parallel loop copyout(mapped)
  for (i = 0; i < 300 * SCALE; i++)
    mapped[i] = value + i;
  for (i = 0; i < 64 * SCALE; i++)
    right = right && named[i] == value + 1;
  for (i = 0; i < 300 * SCALE; i++)
    right = right && mapped[i] == value + i;
  return right;
}
