/* Forks as argv[1] says; the child does what argv[2] says.  */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "openacc.h"

int
main (int argc, char **argv)
{
  int status;
  pid_t child;

  if (argc == 1)
    return 0;	/* what the child goes on as */
  if (strcmp (argv[1], "after") == 0)
    acc_get_num_devices (acc_device_host);
  fflush (stdout);
  child = fork ();
  if (child == 0)
    {
      if (strcmp (argv[2], "exec") == 0)
	execl (argv[0], argv[0], (char *) NULL);
      else if (strcmp (argv[2], "_exit") == 0)
	_exit (0);
      else if (strcmp (argv[2], "call") == 0)
	acc_get_num_devices (acc_device_host);
      exit (0);
    }
  waitpid (child, &status, 0);
  printf ("child: %d\n", WIFEXITED (status) ? WEXITSTATUS (status) : -1);
  acc_get_num_devices (acc_device_host);
  return 0;
}
