/* Queue 2 waits for queue 1: by a clause, by a directive and by a routine.  */
#include <openacc.h>
#include <stdlib.h>

#define ELEMENTS 262144

int
main (void)
{
  float *field = calloc (ELEMENTS, sizeof (float));
#pragma acc enter data copyin(field[0:ELEMENTS])
  for (int round = 0; round < 6; round++)
    {
#pragma acc update device(field[0:ELEMENTS]) async(1)
#pragma acc parallel loop present(field[0:ELEMENTS]) async(2) wait(1)
      for (int i = 0; i < ELEMENTS; i++)
	field[i] += 1.0f;
#pragma acc update device(field[0:ELEMENTS]) async(1)
#pragma acc wait(1) async(2)
#pragma acc update self(field[0:ELEMENTS]) async(2)
      acc_wait_async (2, 1);
    }
#pragma acc wait
#pragma acc exit data delete(field[0:ELEMENTS])
  free (field);
  return 0;
}
