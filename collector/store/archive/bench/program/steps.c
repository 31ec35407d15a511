/* Steps of uploads, kernels and downloads on four async queues, as fast as they go.
     steps STEPS
   A step is 18 spans, 4 events beside them and 5 device activities.  */
#include <stdio.h>
#include <stdlib.h>

enum { N = 64, QUEUES = 4 };
static double a[QUEUES][N], b[N];

int
main (int count, char **argument)
{
  long steps = count > 1 ? strtol (argument[1], NULL, 10) : 1000;
#pragma acc enter data copyin(b)
  for (long step = 0; step < steps; step++)
    {
      int queue = (int) (step % QUEUES);
      double *x = a[queue];
#pragma acc enter data copyin(x[0:N]) async(queue)
#pragma acc parallel loop present(x[0:N], b) async(queue)
      for (int i = 0; i < N; i++)
	x[i] += b[i];
#pragma acc parallel loop present(x[0:N], b) async(queue)
      for (int i = 0; i < N; i++)
	x[i] = x[i] * 0.5 + b[i];
#pragma acc parallel loop present(x[0:N]) async(queue)
      for (int i = 0; i < N; i++)
	x[i] += 1;
#pragma acc update self(x[0:N]) async(queue)
#pragma acc wait(queue)
#pragma acc exit data delete(x[0:N])
    }
#pragma acc exit data delete(b)
  return 0;
}
