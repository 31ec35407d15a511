/* init, shutdown, set and wait (OpenACC 3.3 2.14, 2.16), and device_type (2.4). */
#include "check.h"
#define NUMBER 0

int
main (void)
{
  int a[64], i, n = 64, q = 3;

#pragma acc init
#pragma acc init device_type(host) if(n > 64)
#pragma acc init device_type(default) device_num(NUMBER)
#pragma acc set device_num(NUMBER)
  CHECK (acc_get_device_num (acc_get_device_type ()) == 0);
  {
    acc_device_t type = acc_get_device_type ();
#pragma acc set device_type(host)
    CHECK (acc_get_device_type () == acc_device_host);
#pragma acc set dtype(default) device_num(0)
    CHECK (acc_get_device_type () == type);
  }
#pragma acc set default_async(q)
  CHECK (acc_get_default_async () == 3);
#pragma acc set default_async(7) if(n < 0)
  CHECK (acc_get_default_async () == 3);

  for (i = 0; i < n; i++)
    a[i] = i;
#pragma acc enter data copyin(a) async(1)
#pragma acc parallel loop present(a) async(2) wait(queues: 1)
  for (i = 0; i < n; i++)
    a[i] *= 2;
#pragma acc parallel loop present(a) async(q) wait(devnum:0: queues: 1, 2)
  for (i = 0; i < n; i++)
    a[i] += 1;
#pragma acc wait(queues: q) async(4)
#pragma acc wait(devnum: 0: q) async(4)
#pragma acc exit data copyout(a) async(4)
#pragma acc wait(devnum:0: 4) if(n == 64)
  for (i = 0; i < n; i++)
    CHECK (a[i] == 2 * i + 1);
#pragma acc wait if(n == 64)
#pragma acc wait(devnum:0)

#pragma acc parallel loop copy(a) device_type(host) num_gangs(1) device_type(nvidia) num_gangs(2) async(5) dtype(*) num_gangs(3)
  for (i = 0; i < n; i++)
    a[i] -= 1;
#pragma acc wait(5)
  CHECK (acc_async_test_all ());
  for (i = 0; i < n; i++)
    CHECK (a[i] == 2 * i);
#pragma acc shutdown if(n < 0)
#pragma acc shutdown device_type(default) device_num(0)
#pragma acc shutdown
  return 0;
}
