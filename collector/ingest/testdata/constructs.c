int main (void)
{
  static int v[8];
#pragma acc kernels copy(v)
  for (int i = 0; i < 8; i++)
    v[i] += i;
#pragma acc serial copy(v)
  v[0]++;
#pragma acc parallel loop copy(v) async(3)
  for (int i = 0; i < 8; i++)
    v[i]++;
#pragma acc kernels \
  loop copy(v)
  for (int i = 0; i < 8; i++)
    v[i]++;
#pragma acc data copyin(v)
  {
#pragma acc update self(v)
  }
#pragma acc wait
}
