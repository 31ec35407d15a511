/* Reductions and atomic updates of each kind, type and level, beside the same on the
   host: what became of their loops of compare-and-swap does what they did.  Integers
   are equal, floating-point sums of numbers whose sums are exact, too.  Prints what
   differs; with an argument also how long each took.  */
#include <openacc.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

#define N 1000003

static int failures, timed;
static double d[N];
static float f[N];
static int i32[N];
static long i64[N];
static unsigned u32[N];

static double
now (void)
{
  struct timeval t;

  gettimeofday (&t, NULL);
  return t.tv_sec + 1e-6 * t.tv_usec;
}

#define PRAGMA(text) _Pragma (#text)
#define STEP(level, type, array, operator, expression)                               \
  {                                                                                  \
    type got = start, want = start;                                                  \
    double began = now ();                                                           \
    PRAGMA (acc parallel loop level reduction(operator:got) copy(got) present(array)) \
    for (int k = 0; k < n; k++)                                                      \
      {                                                                              \
	type s = got;                                                                \
	got = expression (s, array[k]);                                              \
      }                                                                              \
    double took = now () - began;                                                    \
    for (int k = 0; k < n; k++)                                                      \
      {                                                                              \
	type s = want;                                                               \
	want = expression (s, array[k]);                                             \
      }                                                                              \
    if (got != want)                                                                 \
      {                                                                              \
	failures++;                                                                  \
	printf ("%s %s %s of %d: %.17g, want %.17g\n", #type, #operator, #level, n,   \
		(double) got, (double) want);                                        \
      }                                                                              \
    if (timed)                                                                       \
      printf ("%-8s %-4s %-24s %8d %9.1f us\n", #type, #operator, #level, n, 1e6 * took); \
  }

#define ADD(a, b) a + b
#define MAX(a, b) (a > b ? a : b)
#define MIN(a, b) (a < b ? a : b)
#define AND(a, b) (a & b)
#define OR(a, b) (a | b)
#define XOR(a, b) (a ^ b)

#define LEVELS(type, array, operator, expression)                     \
  STEP (gang vector, type, array, operator, expression)               \
  STEP (gang worker vector, type, array, operator, expression)        \
  STEP (gang vector vector_length(128), type, array, operator, expression) \
  STEP (gang num_gangs(7), type, array, operator, expression)

static void
all (int n, int start)
{
  LEVELS (double, d, +, ADD)
  LEVELS (double, d, max, MAX)
  LEVELS (float, f, max, MAX)
  LEVELS (int, i32, +, ADD)
  LEVELS (int, i32, max, MAX)
  LEVELS (int, i32, min, MIN)
  LEVELS (int, i32, &, AND)
  LEVELS (int, i32, |, OR)
  LEVELS (int, i32, ^, XOR)
  LEVELS (long, i64, +, ADD)
  LEVELS (long, i64, max, MAX)
  LEVELS (long, i64, min, MIN)
  LEVELS (unsigned, u32, +, ADD)
  LEVELS (unsigned, u32, max, MAX)
  if (n < 1 << 20) /* sums of floats are exact below 2^24 */
    {
      LEVELS (float, f, +, ADD)
    }
}

static void
atomics (int n)
{
  static double bins[64], want[64];
  static unsigned counts[64], expected[64];
  double whole = 0;

  for (int k = 0; k < 64; k++)
    bins[k] = want[k] = counts[k] = expected[k] = 0;
#pragma acc parallel loop gang worker vector copy(bins, counts, whole) present(d)
  for (int k = 0; k < n; k++)
    {
#pragma acc atomic update
      bins[k & 63] += d[k];
#pragma acc atomic update
      counts[k & 63] += 1;
#pragma acc atomic update
      whole += d[k];
    }
  for (int k = 0; k < n; k++)
    {
      want[k & 63] += d[k];
      expected[k & 63] += 1;
      whole -= d[k];
    }
  for (int k = 0; k < 64; k++)
    if (bins[k] != want[k] || counts[k] != expected[k])
      {
	failures++;
	printf ("atomic updates of %d, place %d: %g and %u, want %g and %u\n", n, k,
		bins[k], counts[k], want[k], expected[k]);
      }
  if (whole != 0)
    {
      failures++;
      printf ("atomic updates of %d: %g too much\n", n, whole);
    }
}

int
main (int argc, char **argv)
{
  static const int sizes[] = { 0, 1, 31, 33, 1000, 65537, N };

  (void) argv;
  timed = argc > 1;
  for (int k = 0; k < N; k++)
    {
      d[k] = (int) (k * 7919u % 1013) - 500;
      f[k] = (int) (k * 7919u % 13) - 6;
      i32[k] = (int) (k * 2654435761u);
      i64[k] = (long) (k * 7046029254386353131UL);
      u32[k] = k * 2654435761u;
    }
#pragma acc data copyin(d, f, i32, i64, u32)
  for (unsigned k = 0; k < sizeof sizes / sizeof *sizes; k++)
    {
      all (sizes[k], 0);
      all (sizes[k], 77);
      atomics (sizes[k]);
    }
  printf ("%d failures\n", failures);
  return failures != 0;
}
