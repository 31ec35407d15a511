/* Two devices exchange data, and one computes what the program asks for.  */
#include <openacc.h>
#include <stdio.h>
#include <stdlib.h>

enum { n = 4096 };

int main(void) {
  double *field = malloc(n * sizeof *field), *edge = malloc(n * sizeof *edge);
  for (int i = 0; i < n; i++) {
    field[i] = i;
    edge[i] = -1;
  }
  for (int d = 0; d < 2; d++) {
    acc_set_device_num(d, acc_device_default);
    acc_copyin(field, n * sizeof *field);
    acc_copyin(edge, n * sizeof *edge);
  }
  acc_set_device_num(0, acc_device_default);
  int rows = n / 64;
#pragma acc parallel loop present(field[0:n]) num_gangs(rows)
  for (int i = 0; i < n; i++)
    field[i] *= 2;
  for (int i = 0; i < 3; i++)
    acc_memcpy_d2d(edge, field, n * sizeof *edge, 1, 0);
  acc_set_device_num(1, acc_device_default);
  acc_memcpy_d2d_async(edge, field, n / 2 * sizeof *edge, 0, 1, 7);
#pragma acc wait(7)
  acc_memcpy_d2d(field, edge, n * sizeof *edge, 1, 1);
  acc_update_self(edge, n * sizeof *edge);
  printf("%g %g\n", edge[1], edge[n - 1]);
  return 0;
}
