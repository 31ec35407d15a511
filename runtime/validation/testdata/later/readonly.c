/* From GCC 14 on: the readonly modifier of copyin (OpenACC 3.3 §2.7.8) and of cache
   (§2.10).  */
#include <stdio.h>

enum { n = 8 };

int
main (void)
{
  int a[n], b[n], right = 1;

  for (int i = 0; i < n; i++)
    a[i] = i, b[i] = -1;
#pragma acc parallel loop copyin(readonly: a[0:n]) copyout(b)
  for (int i = 0; i < n; i++)
    {
#pragma acc cache(readonly: a[0:n])
      b[i] = a[n - 1 - i];
    }
  for (int i = 0; i < n; i++)
    right &= b[i] == n - 1 - i;
  puts (right ? "right" : "WRONG");
  return !right;
}
