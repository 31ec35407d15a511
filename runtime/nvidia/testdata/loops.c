/* Loops of common bounds; compiled by gcc-12 -O2 -fno-inline -fopenacc -foffload=nvptx-none, with
   the device code cut out.  */
static double a[4096], b[4096];

static void
all (int n, long m, int low, int high)
{
#pragma acc parallel loop gang vector present(a, b)
  for (int i = 0; i < n; i++)
    a[i] = b[i];
#pragma acc parallel loop gang worker vector present(a, b)
  for (long i = 1; i < m - 1; i++)
    a[i] = b[i - 1] + b[i + 1];
#pragma acc parallel loop gang worker present(a, b)
  for (int i = low; i <= high; i++)
    {
#pragma acc loop vector
      for (int k = 0; k < 64; k++)
	a[64 * i + k] = b[k];
    }
#pragma acc parallel loop collapse(2) gang worker vector present(a, b)
  for (int i = 1; i < n - 1; i++)
    for (int k = 0; k < high; k++)
      a[high * i + k] = b[k];
#pragma acc parallel loop gang present(a, b)
  for (int i = 0; i < 64; i++)
    {
#pragma acc loop worker vector
      for (int k = 0; k < n; k++)
	a[64 * i + k] = b[k];
    }
#pragma acc parallel loop gang vector present(a, b)
  for (int i = 0; i < n; i += 3)
    a[i] = b[i];
}

int
main (int argc, char **argv)
{
  (void) argv;
#pragma acc data copyin(b) copyout(a)
  all (argc, argc, argc, argc);
  return a[0] > 0;
}
