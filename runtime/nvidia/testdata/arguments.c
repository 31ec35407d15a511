/* Kernels that write to some of their arguments.  What GCC 12 makes of these for NVIDIA
   GPUs is in arguments.ptx:
   gcc-12 -fopenacc -O2 -foffload=nvptx-none -foffload-options=nvptx-none=-misa=sm_80
   -save-temps arguments.c  */
#pragma acc routine seq
__attribute__ ((noinline)) void
increment (int *x)
{
  *x += 1;
}

int
main (void)
{
  int n = 100, more = 3, result[100], written = 0, passed = 0, counted = 0;
  struct { double scale; int offset, unused; } shape = { 2, 1, 0 };
  double sum = 0;

  /* The array only.  */
#pragma acc parallel loop copyout(result) firstprivate(n, more)
  for (int i = 0; i < n; i++)
    result[i] = i + more;
  /* A copyin scalar, and the array.  */
#pragma acc parallel copyin(written) copyout(result) firstprivate(more)
  {
    written += more;
    result[0] = written;
  }
  /* By a function that gets its address.  */
#pragma acc parallel copyin(passed) copyout(result)
  {
    increment (&passed);
    result[1] = passed;
  }
  /* Atomically.  */
#pragma acc parallel loop copyin(counted) firstprivate(n)
  for (int i = 0; i < n; i++)
    {
#pragma acc atomic update
      counted += 1;
    }
  /* With lanes, workers and a reduction.  */
#pragma acc parallel loop gang worker vector copy(result) firstprivate(n, shape) reduction(+:sum)
  for (int i = 0; i < n; i++)
    {
      result[i] = (int) (shape.scale * i) + shape.offset;
      sum += result[i];
    }
  return (int) sum;
}
