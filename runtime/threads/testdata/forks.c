/* Uses the device, forks, and has the child do what argv[1] says; "first" forks
   before any use, and the child uses the device as the parent does; "binding" forks while
   another thread's first call looks for runtimes among the loaded objects.  Prints the
   child's exit status; then the parent goes on using the device.  */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <openacc.h>
#include <pthread.h>
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

static __thread int waits;
static int looking, forked;

#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__ /* which call it before the program begins */
/* Stands before that of the C library.  */
int
dl_iterate_phdr (int (*callback) (struct dl_phdr_info *, size_t, void *), void *data)
{
  int (*iterate) (int (*) (struct dl_phdr_info *, size_t, void *), void *);

  if (waits)
    {
      waits = 0;
      __atomic_store_n (&looking, 1, __ATOMIC_RELEASE);
      while (!__atomic_load_n (&forked, __ATOMIC_ACQUIRE))
	usleep (1000);
    }
  *(void **) &iterate = dlsym (RTLD_NEXT, "dl_iterate_phdr");
  return iterate (callback, data);
}
#endif

static void *
calls (void *unused)
{
  waits = 1;
  acc_get_num_devices (acc_device_host);
  return unused;
}

int
main (int argc, char **argv)
{
  int binding = argc == 2 && strcmp (argv[1], "binding") == 0;
  int first = binding || (argc == 2 && strcmp (argv[1], "first") == 0), status;
  pthread_t other;

  program = argv[0];
  if (argc == 1)
    return 0;	/* what the child goes on as */
  if (!first)
    begin ();
  if (binding)
    {
      if (pthread_create (&other, NULL, calls, NULL) != 0)
	return 4;
      while (!__atomic_load_n (&looking, __ATOMIC_ACQUIRE))
	usleep (1000);
    }
  fflush (stdout);
  pid_t process = fork ();
  if (process == 0)
    {
      alarm (250);	/* only a hang takes so long */
      if (!first)
	child (argv[1]);
      begin ();
      finish ();
      return 0;
    }
  if (waitpid (process, &status, 0) != process)
    return 2;
  __atomic_store_n (&forked, 1, __ATOMIC_RELEASE);
  if (binding)
    pthread_join (other, NULL);
  printf ("%d\n", WIFEXITED (status) ? WEXITSTATUS (status) : -1);
  if (first)
    begin ();
  finish ();
  return 0;
}
