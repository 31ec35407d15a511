/* What GCC 12 makes of these for NVIDIA GPUs is in kernels.ptx:
   gcc-12 -fopenacc -O2 -foffload=nvptx-none -foffload-options=nvptx-none=-misa=sm_80
   -save-temps kernels.c  */
float a[100];
#pragma acc declare create (a)

#pragma acc routine seq
float
twice (float x)
{
  if (x < 0)
    return 1;
  return x * 2;
}

int
main (void)
{
  int sum = 0;

#pragma acc parallel loop reduction (+:sum) num_gangs (8)
  for (int i = 0; i < 100; i++)
    sum += (int) twice (a[i]);
#pragma acc parallel num_gangs (4) num_workers (4) vector_length (32)
  {
#pragma acc loop gang worker vector
    for (int i = 0; i < 100; i++)
      a[i] += 1;
  }
#pragma acc parallel
  { }
  return sum;
}
