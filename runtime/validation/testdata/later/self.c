/* From GCC 14 on: the self clause of compute constructs (OpenACC 3.3 §2.5.7).  */
#include <openacc.h>
#include <stdio.h>

enum { n = 8 };

int
main (void)
{
  int a[n], right = 1;
  int shared = acc_get_device_type () == acc_device_host;

  for (int i = 0; i < n; i++)
    a[i] = i;
#pragma acc enter data copyin(a)
  for (int here = 0; here < 2; here++)
    {
#pragma acc parallel loop self(here) copy(a)
      for (int i = 0; i < n; i++)
	a[i] += 10;
    }
#pragma acc kernels loop self copy(a)
  for (int i = 0; i < n; i++)
    a[i] += 100;
  for (int i = 0; i < n; i++)
    right &= a[i] == i + 110 + 10 * shared;
  /* The device's copy saw the first only.  */
#pragma acc update self(a)
  for (int i = 0; i < n; i++)
    right &= a[i] == i + (shared ? 120 : 10);
  puts (right ? "right" : "WRONG");
  return !right;
}
