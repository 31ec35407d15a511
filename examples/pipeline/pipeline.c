/* A pipeline on four async queues: each block of an array is uploaded, worked
   on and downloaded on its own queue, so that transfers and kernels of
   different blocks can overlap; a fifth queue gathers the blocks' sums after
   waiting for all of them.

     gcc -fopenacc -O2 -g pipeline.c -lm -o pipeline && accscope run -- ./pipeline [BLOCKS [ELEMENTS]]  */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define QUEUES 4

int
main (int argc, char **argv)
{
  int blocks = argc > 1 ? atoi (argv[1]) : 32;
  int elements = argc > 2 ? atoi (argv[2]) : 65536;
  if (blocks < 1 || elements < 1)
    {
      fprintf (stderr, "usage: %s [BLOCKS >= 1 [ELEMENTS >= 1]]\n", argv[0]);
      return 2;
    }
  size_t total = (size_t) blocks * elements;
  float *data = malloc (total * sizeof (float));
  float *sums = calloc (blocks, sizeof (float));
  for (size_t i = 0; i < total; i++)
    data[i] = (float) (i % 100);

#pragma acc enter data create(data[0:total]) copyin(sums[0:blocks])
  for (int b = 0; b < blocks; b++)
    {
      int queue = b % QUEUES + 1;
      size_t start = (size_t) b * elements;
#pragma acc update device(data[start:elements]) async(queue)
#pragma acc parallel loop present(data[0:total]) async(queue)
      for (size_t i = start; i < start + elements; i++)
	data[i] = 0.5f * data[i] * data[i] + 1.0f;
#pragma acc update self(data[start:elements]) async(queue)
    }
#pragma acc wait(1, 2, 3, 4) async(5)
#pragma acc parallel loop present(data[0:total], sums[0:blocks]) async(5)
  for (int b = 0; b < blocks; b++)
    {
      float sum = 0.0f;
      for (size_t i = (size_t) b * elements; i < (size_t) (b + 1) * elements; i++)
	sum += data[i];
      sums[b] = sum / elements;
    }
#pragma acc update self(sums[0:blocks]) async(5)
#pragma acc wait
#pragma acc exit data delete(data[0:total], sums[0:blocks])

  int wrong = 0;
  for (size_t i = 0; i < total; i++)
    {
      float from = (float) (i % 100);
      if (fabsf (data[i] - (0.5f * from * from + 1.0f)) > 1e-2f)
	wrong++;
    }
  printf ("blocks %d  elements %zu  mean of block 0 %.3f  wrong %d\n", blocks, total, sums[0], wrong);
  free (data);
  free (sums);
  return wrong != 0;
}
