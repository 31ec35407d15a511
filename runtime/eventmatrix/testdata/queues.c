/* Queues that wait for each other, data that comes and goes on them, downloads of which
   the runtime has to keep track, and what asks a queue how far it is.  */
#include <openacc.h>
#include <stdio.h>

#define N 100
#define ROUNDS 200

int
main (void)
{
  static double p[N], q[N];	/* q only travels */
  int steps = 0;

  q[0] = q[1];

  printf ("%d\n", acc_get_property (0, acc_device_current, acc_property_free_memory) > 0);
#pragma acc enter data create(p, q)
#pragma acc parallel loop async(1) copy(steps) present(p)
  for (int i = 0; i < N; i++)
    {
      p[i] = i;
      if (i == 0)
	steps++;
    }
#pragma acc parallel loop async(2) wait(1) copy(steps)
  for (int i = 0; i < N; i++)
    if (i == 0)
      steps++;
  for (int i = 0; i < ROUNDS; i++)
    {
#pragma acc update self(q[i:1]) async(3)
    }
#pragma acc update device(q) async(1)
  printf ("%d\n", acc_async_test (3) | 1);
#pragma acc exit data delete(q) async(3)
#pragma acc wait
#pragma acc exit data copyout(p)
  printf ("steps %d p[9] %g\n", steps, p[9]);
  return 0;
}
