/* And through the header of C.  */
#include <accel.h>
#include <stdio.h>

int
main (void)
{
  acc_init (acc_device_default);
  acc_set_device (acc_get_device ());
  if (_ACCEL != 201011 || acc_get_num_devices (acc_device_host) != 1
      || !acc_on_device (acc_device_host) || !acc_async_test (4))
    return 1;
  acc_async_wait (4);
  printf ("all is so\n");
  return 0;
}
