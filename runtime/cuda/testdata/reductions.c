/* Reductions and atomic updates of each kind and level; compiled by
   gcc-12 -O2 -fopenacc -foffload=nvptx-none, with the device code cut out.  */
int
main (int argc, char **argv)
{
  static double a[1000];
  static float f[1000];
  static int h[16];
  double sum = 0, most = 0, parts = 0;
  float single = 0;
  int count = 0, all = -1;
  long big = 0;
  int n = argc * 1000;

  (void) argv;
#pragma acc parallel loop gang vector reduction(+:sum) copyin(a)
  for (int i = 0; i < n; i++)
    sum += a[i];
#pragma acc parallel loop gang worker vector reduction(+:single, big) copyin(f)
  for (int i = 0; i < n; i++)
    {
      single += f[i];
      big += i;
    }
#pragma acc parallel loop gang vector_length(128) reduction(+:parts) copyin(a)
  for (int i = 0; i < n; i++)
    parts += a[i];
#pragma acc parallel loop gang vector reduction(max:most) reduction(min:count) reduction(&:all) copyin(a, h)
  for (int i = 0; i < n; i++)
    {
      most = most > a[i] ? most : a[i];
      count = count < h[i & 15] ? count : h[i & 15];
      all &= h[i & 15];
    }
#pragma acc parallel loop gang vector copy(sum, h)
  for (int i = 0; i < n; i++)
    {
#pragma acc atomic update
      sum += i;
#pragma acc atomic update
      h[i & 15] += 2;
    }
#pragma acc parallel loop gang vector copy(sum, a)
  for (int i = 0; i < n; i++)
    {
      double got;
#pragma acc atomic capture
      got = sum += 1;
      a[i] = got;
    }
  return sum + most + parts + single + count + all + big > 0;
}
