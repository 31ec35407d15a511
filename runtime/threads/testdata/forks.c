/* Uses the device, forks, and has the child do what argv[1] says; "first" forks
   before any use, and the child uses the device as the parent does.  Prints the
   child's exit status; then the parent goes on using the device.  */
#include <openacc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LENGTH = 256 };

static int x[LENGTH];
static void *device;
static char *program;

static void
child (const char *what)
{
  if (strcmp (what, "exec") == 0)
    execl (program, program, (char *) NULL);
  else if (strcmp (what, "system") == 0)
    exit (system ("exit 0"));
  else if (strcmp (what, "_exit") == 0)
    _exit (0);
  else if (strcmp (what, "exit") == 0)
    exit (0);
  else if (strcmp (what, "acc_get_num_devices") == 0)
    acc_get_num_devices (acc_device_host);
  else if (strcmp (what, "acc_is_present") == 0)
    acc_is_present (x, sizeof x);
  else if (strcmp (what, "acc_deviceptr") == 0)
    acc_deviceptr (x);
  else if (strcmp (what, "acc_hostptr") == 0)
    acc_hostptr (device);
  else if (strcmp (what, "acc_wait") == 0)
    acc_wait (1);
  else if (strcmp (what, "parallel") == 0)
    {
#pragma acc parallel loop copy(x)
      for (int i = 0; i < LENGTH; i++)
	x[i]++;
    }
  else if (strcmp (what, "data") == 0)
    {
#pragma acc data copy(x)
      x[0]++;
    }
  else if (strcmp (what, "update") == 0)
    {
#pragma acc update self(x)
    }
  else
    _exit (99);
  _exit (0);
}

/* Uses the device in two steps; fails where the result is wrong.  */
static void
begin (void)
{
#pragma acc enter data copyin(x)
#pragma acc parallel loop present(x) async(1)
  for (int i = 0; i < LENGTH; i++)
    x[i] += 1;
  device = acc_deviceptr (x);
}

static void
finish (void)
{
#pragma acc parallel loop present(x) async(1)
  for (int i = 0; i < LENGTH; i++)
    x[i] += 1;
#pragma acc exit data copyout(x) async(1)
#pragma acc wait(1)
  for (int i = 0; i < LENGTH; i++)
    if (x[i] != 2)
      exit (3);
}

int
main (int argc, char **argv)
{
  int first = argc == 2 && strcmp (argv[1], "first") == 0, status;

  program = argv[0];
  if (argc == 1)
    return 0;	/* what the child goes on as */
  if (!first)
    begin ();
  fflush (stdout);
  pid_t process = fork ();
  if (process == 0)
    {
      if (!first)
	child (argv[1]);
      begin ();
      finish ();
      return 0;
    }
  if (waitpid (process, &status, 0) != process)
    return 2;
  printf ("%d\n", WIFEXITED (status) ? WEXITSTATUS (status) : -1);
  if (first)
    begin ();
  finish ();
  return 0;
}
