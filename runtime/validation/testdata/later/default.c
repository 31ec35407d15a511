/* From GCC 14 on: default(present) on data constructs (OpenACC 3.3 §2.5.16).  */
#include <stdio.h>

enum { n = 8 };

int
main (void)
{
  int a[n], right = 1;

  for (int i = 0; i < n; i++)
    a[i] = i;
#pragma acc enter data copyin(a)
#pragma acc data default(present)
  {
#pragma acc parallel loop
    for (int i = 0; i < n; i++)
      a[i] += 10;
  }
#pragma acc exit data copyout(a)
  for (int i = 0; i < n; i++)
    right &= a[i] == i + 10;
  puts (right ? "right" : "WRONG");
  return !right;
}
