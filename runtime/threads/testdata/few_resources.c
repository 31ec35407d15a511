/* Uses constructs and routines three times over, with all descriptors above standard
   error closed in between, and prints what came out; last the soft limit of open
   files, as it is for children.  */
#include <openacc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static void
use (float *a, int n)
{
  float copied[2] = { 1, 2 }, *device;

#pragma acc data copy(a[:n])
  {
#pragma acc parallel loop async(1)
    for (int i = 0; i < n; i++)
      a[i] += 1;
#pragma acc update self(a[:n]) async(1)
#pragma acc wait
#pragma acc parallel loop
    for (int i = 0; i < n; i++)
      a[i] += 1;
  }
  device = acc_malloc (sizeof copied);
  acc_memcpy_to_device (device, copied, sizeof copied);
  copied[1] = 0;
  acc_memcpy_from_device (copied, device, sizeof copied);
  acc_free (device);
  acc_copyin (a, n * sizeof *a);
  if (copied[1] != 2 || !acc_is_present (a, n * sizeof *a)
      || acc_hostptr (acc_deviceptr (a)) != a || !acc_async_test_all ())
    puts ("a routine went wrong");
  acc_copyout (a, n * sizeof *a);
}

int
main (int argc, char **argv)
{
  float a[1000] = { 0 };
  struct rlimit files;

  (void) argc;
  for (int round = 0; round < 3; round++)
    {
      if (strcmp (argv[1], "close") == 0)
	for (int fd = 3; fd < 1024; fd++)
	  close (fd);
      use (a, 1000);
      usleep (20000);
    }
  getrlimit (RLIMIT_NOFILE, &files);
  printf ("%g, %d of the host, files %ld\n", a[999], acc_get_num_devices (acc_device_host),
	  (long) files.rlim_cur);
  return 0;
}
