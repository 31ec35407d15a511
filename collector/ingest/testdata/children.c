/* Starts children one after the other, each of which uses a device and exits.  */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int
main (int count, char **arguments)
{
  (void) count;
  for (int n = atoi (arguments[1]); n > 0; n--)
    {
      pid_t child = fork ();
      if (child == 0)
	{
	  static double a[10];
#pragma acc parallel loop copy(a)
	  for (int i = 0; i < 10; i++)
	    a[i] += 1;
	  exit (a[0] != 1);
	}
      int status;
      if (child < 0 || waitpid (child, &status, 0) != child || status != 0)
	return 1;
    }
  return 0;
}
