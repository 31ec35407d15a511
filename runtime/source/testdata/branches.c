/* Branches that differ in what they update, and share the call where that is optimised.  */
#include <stdlib.h>

int
main (int argc, char **argv)
{
  int n = 49 + argc;
  double *a = calloc (n, 8), *b = calloc (n + 1, 8), *c = calloc (n + 2, 8);
#pragma acc enter data copyin(a[0:n], b[0:n+1], c[0:n+2])
  for (int i = 0; i < 6; i++)
    switch ((i + argc) % 3)
      {
      case 0:
	{
#pragma acc update self(a[0:n])
	  break;
	}
      case 1:
	{
#pragma acc update self(b[0:n+1])
	  break;
	}
      case 2:
	{
#pragma acc update self(c[0:n+2])
	  break;
	}
      }
#pragma acc exit data delete(a[0:n], b[0:n+1], c[0:n+2])
  return 0;
}
