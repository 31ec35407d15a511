/* From GCC 16 on: the if clause of the wait directive (OpenACC 3.3 §2.16.3).  */
#include <openacc.h>
#include <stdio.h>

enum { n = 1 << 16 };
static int a[n];

int
main (void)
{
  int right = 1;

#pragma acc data create(a)
  for (int waits = 0; waits < 2; waits++)
    {
#pragma acc parallel loop async(1)
      for (int i = 0; i < n; i++)
	a[i] = i + waits;
#pragma acc update self(a) async(1)
#pragma acc wait(1) if(waits)
      /* It has not to be waiting, but may not end before its time.  */
      if (waits)
	for (int i = 0; i < n; i++)
	  right &= a[i] == i + 1;
      else
	acc_wait (1);
#pragma acc wait(1) async(2) if(waits)
#pragma acc wait if(!waits)
    }
  puts (right ? "right" : "WRONG");
  return !right;
}
