/* launched.c - compute constructs of each kind, for the runtime of launching.c.  */
static float x[100];

static void __attribute__ ((noinline))
scale (int n)
{
#pragma acc parallel loop present(x)
  for (int i = 0; i < n; i++)
    x[i] *= 2;
}

int
main (int argc, char **argv)
{
  (void) argv;
  scale (50 + argc);
  scale (20 + argc);
#pragma acc kernels \
    present(x)
  for (int i = 0; i < 100; i++)
    x[i] += 1;
#pragma acc serial present(x)
  x[0] = 3;
  return 0;
}
