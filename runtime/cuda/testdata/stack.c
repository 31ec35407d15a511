/* What GCC 12 makes of these for NVIDIA GPUs is in stack.ptx:
   gcc-12 -fopenacc -O2 -foffload=nvptx-none -foffload-options=nvptx-none=-misa=sm_80
   -save-temps stack.c  */
#pragma acc routine seq
__attribute__ ((noipa)) int
deep (int n)
{
  volatile double frame[32];

  frame[n & 31] = n;
  return n <= 0 ? 0 : deep (n - 1) + (int) frame[n & 31] - n + 1;
}

#pragma acc routine seq
int odd (int n);

#pragma acc routine seq
__attribute__ ((noipa)) int
even (int n)
{
  volatile int frame[16];

  frame[n & 15] = n;
  return n <= 0 ? 1 : odd (frame[n & 15] - 1);
}

#pragma acc routine seq
__attribute__ ((noipa)) int
odd (int n)
{
  volatile int frame[8];

  frame[n & 7] = n;
  return n <= 0 ? 0 : even (frame[n & 7] - 1);
}

#pragma acc routine seq
__attribute__ ((noipa)) int
one (int n)
{
  return n + 1;
}

#pragma acc routine seq
__attribute__ ((noipa)) int
two (int n)
{
  return n + 2;
}

int
main (void)
{
  int result[64] = { 0 };

#pragma acc parallel loop
  for (int i = 0; i < 64; i++)
    result[i] += deep (i);
#pragma acc parallel loop
  for (int i = 0; i < 64; i++)
    result[i] += even (i);
#pragma acc parallel loop
  for (int i = 0; i < 64; i++)
    {
      int (*volatile by) (int) = i & 1 ? one : two;
      result[i] += by (i);
    }
#pragma acc parallel loop
  for (int i = 0; i < 64; i++)
    {
      volatile int own[1024];
      for (int k = 0; k < 1024; k++)
	own[(k * 7) & 1023] = k;
      result[i] += own[i];
    }
  return result[0];
}
