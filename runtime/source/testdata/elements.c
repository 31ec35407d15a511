/* Elements of arrays of structures and pointers, another one in each call from a place.  */
#include <stdlib.h>

typedef struct { double *p; int n; double q[4]; } part;

part parts[3];

int
main (void)
{
  part local[3], *heap = malloc (3 * sizeof *heap);
  double **rows = malloc (3 * sizeof *rows), *fixed[3];
  for (int i = 0; i < 3; i++)
    {
      parts[i] = (part) { calloc (40, 8), 30 + i, { 0 } };
      local[i] = (part) { calloc (40 + i, 8), 40 + i, { 0 } };
      heap[i] = (part) { calloc (50 + i, 8), 50 + i, { 0 } };
      rows[i] = calloc (60 + i, 8);
      fixed[i] = calloc (70 + i, 8);
    }
  for (int i = 0; i < 3; i++)
    {
#pragma acc enter data copyin(parts[i].p[0:parts[i].n])
#pragma acc update self(parts[i].p[0:parts[i].n])
#pragma acc exit data delete(parts[i].p[0:parts[i].n])
#pragma acc enter data copyin(local[i].p[0:local[i].n])
#pragma acc update device(local[i].p[0:local[i].n])
#pragma acc enter data copyin(heap[i].p[0:heap[i].n])
#pragma acc update self(heap[i].p[0:heap[i].n])
#pragma acc enter data copyin(parts[2].p[0:34])
#pragma acc enter data copyin(rows[i][0:60+i])
#pragma acc update self(rows[i][0:60+i])
#pragma acc exit data delete(rows[i][0:60+i])
#pragma acc enter data copyin(fixed[i][0:70+i])
    }
  return 0;
}
