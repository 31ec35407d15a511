// Several async queues, named variables, implicit copies, a wait of a queue for
// another one and data that is never deleted; where there are two devices, they exchange some.
#include <openacc.h>
#include <stdio.h>
#include <stdlib.h>

enum { cells = 64, steps = 2, queues = 3 };

static void flux(const double *height, double *rate, double gravity, int queue) {
#pragma acc parallel loop present(height[0:cells], rate[0:cells]) async(queue)
  for (int i = 1; i < cells - 1; i++)
    rate[i] = gravity * (height[i + 1] - height[i - 1]);
}

static void integrate(double *height, const double *rate, double step, int queue) {
#pragma acc parallel loop present(height[0:cells], rate[0:cells]) async(queue)
  for (int i = 1; i < cells - 1; i++)
    height[i] += step * rate[i];
}

int main(void) {
  double *height[queues], *rate[queues], total = 0;
  for (int q = 0; q < queues; q++) {
    height[q] = malloc(cells * sizeof(double));
    rate[q] = calloc(cells, sizeof(double));
    for (int i = 0; i < cells; i++)
      height[q][i] = 1 + i % (q + 5);
    double *h = height[q], *r = rate[q];
#pragma acc enter data copyin(h[0:cells]) create(r[0:cells])
#pragma acc update device(r[0:cells])
  }
  for (int s = 0; s < steps; s++) {
    for (int q = 0; q < queues; q++) {
      flux(height[q], rate[q], 9.81, q);
      integrate(height[q], rate[q], 1e-3, q);
    }
#pragma acc wait(0) async(1)
    double *edge = height[s % queues];
#pragma acc update self(edge[0:4]) async(2)
#pragma acc wait
    total += edge[1];
  }
  double sum = 0, *h = height[0];
#pragma acc parallel loop reduction(+:sum) present(h[0:cells])
  for (int i = 0; i < cells; i++)
    sum += h[i];
  if (acc_get_num_devices(acc_get_device_type()) > 1) {
    int device = acc_get_device_num(acc_get_device_type());
    acc_set_device_num(1 - device, acc_get_device_type());
    acc_copyin(h, cells * sizeof *h);
    for (int back = 0; back < 2; back++)
      acc_memcpy_d2d_async(h, h, cells * sizeof *h, back ? device : 1 - device, back ? 1 - device : device, 1);
#pragma acc wait
    acc_set_device_num(device, acc_get_device_type());
#pragma acc wait
  }
  for (int q = 0; q < queues - 1; q++) {
    double *h = height[q], *r = rate[q];
#pragma acc exit data copyout(h[0:cells]) delete(r[0:cells])
  }
  printf("%g %g\n", total, sum);
  return 0;
}
