/* Branches that differ in what they put on a device and take off it, and share the calls where
   that is optimised.  */
#include <stdlib.h>

static double *b;

int
main (int argc, char **argv)
{
  int n = 49 + argc;
  double *a = calloc (n + 2, 8), *c = calloc (n + 2, 8);
  b = calloc (n + 2, 8);
  a[0] = 1;
  b[0] = 2;
  c[0] = 3;
  for (int i = 0; i < 6; i++)
    {
      if ((argc + i) % 2)
	{
#pragma acc enter data copyin(b[0:n])
	}
      else
	{
#pragma acc enter data copyin(a[0:n])
	}
#pragma acc update device(c[0:n])
      if ((argc + i) % 3 == 1)
	{
#pragma acc exit data copyout(c[0:n])
	}
      else
	{
#pragma acc exit data copyout(b[0:n])
	}
    }
  return 0;
}
