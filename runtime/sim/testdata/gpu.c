/* What GCC makes of these for NVIDIA GPUs is executed: every level of parallelism,
   reductions, atomics, routines, data of the device's own, and its libraries.  */
#include <math.h>
#include <openacc.h>
#include <stdio.h>
#include <stdlib.h>

#define N 1000

static int table[4] = { 1, 2, 3, 4 };
#pragma acc declare copyin (table)

struct point { double x, y; };

#pragma acc routine seq
static int
collatz (long n)
{
  int steps = 0;

  for (; n != 1; steps++)
    n = n % 2 ? 3 * n + 1 : n / 2;
  return steps;
}

#pragma acc routine seq
static int
factorial (int n)
{
  return n < 2 ? 1 : n * factorial (n - 1);
}

#pragma acc routine worker
static void
row (double *a, int n, double by)
{
#pragma acc loop worker vector
  for (int i = 0; i < n; i++)
    a[i] *= by;
}

static int failed;

static void
expect (const char *what, double got, double want)
{
  if (got != want)
    {
      printf ("%s: %.17g, want %.17g\n", what, got, want);
      failed = 1;
    }
}

int
main (void)
{
  static double a[N], b[64][64];
  static struct point points[N];
  static int counts[8];
  double sum = 0, most = -1;
  long steps = 0, want = 0;
  int inside = 0, lanes = 0, ended = 0;

  for (int i = 0; i < N; i++)
    a[i] = i % 17, points[i] = (struct point) { i, -i };
  for (int i = 0; i < 64 * 64; i++)
    b[0][i] = i;
#pragma acc parallel copy (inside, lanes) num_gangs (1) num_workers (1) vector_length (32)
  {
    inside = acc_on_device (acc_device_nvidia);
#pragma acc loop vector reduction (+:lanes)
    for (int i = 0; i < 320; i++)
      lanes += 1;
  }
  expect ("inside", inside, 1);
  expect ("lanes", lanes, 320);
#pragma acc parallel loop gang worker vector reduction (+:sum) reduction (max:most) copyin (a)
  for (int i = 0; i < N; i++)
    sum += a[i], most = fmax (most, a[i]);
  double right = 0;
  for (int i = 0; i < N; i++)
    right += i % 17;
  expect ("sum", sum, right);
  expect ("most", most, 16);
#pragma acc parallel loop gang vector reduction (+:steps)
  for (int i = 1; i <= N; i++)
    steps += collatz (i) + factorial (i % 5);
  for (int i = 1; i <= N; i++)
    want += collatz (i) + factorial (i % 5);
  expect ("steps", steps, want);
#pragma acc parallel loop gang copy (b) num_workers (4) vector_length (32)
  for (int i = 0; i < 64; i++)
    row (b[i], 64, 2);
  expect ("row", b[37][5], 2 * (37 * 64 + 5));
#pragma acc parallel loop copyout (counts) async (1)
  for (int i = 0; i < 8; i++)
    counts[i] = 0;
#pragma acc parallel loop copy (counts) async (1)
  for (int i = 0; i < N; i++)
    {
#pragma acc atomic update
      counts[i % 8] += table[i % 4];
    }
#pragma acc wait (1)
  expect ("counts", counts[3], 4 * 125);
  /* The device's table is its own.  */
  table[0] = 100;
#pragma acc parallel loop copyout (counts)
  for (int i = 0; i < 8; i++)
    counts[i] = table[i % 4];
  expect ("table", counts[0], 1);
#pragma acc parallel loop copy (points)
  for (int i = 0; i < N; i++)
    {
      struct point p = points[i];
      points[i] = (struct point) { p.y, sqrt (p.x * p.x) };
    }
  expect ("points", points[9].y, 9);
#pragma acc parallel copy (ended) num_gangs (1)
  {
    int *heap = malloc (10 * sizeof *heap);

    for (int i = 0; i < 10; i++)
      heap[i] = i;
    ended = heap[9];
    free (heap);
    printf ("from the device: %d %s %.2f\n", ended, "text", 1.5);
  }
  expect ("heap", ended, 9);
  puts (failed ? "failed" : "ended");
  return failed;
}
