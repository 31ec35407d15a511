/* Writes one element more than the section has, which ends where memory of the device does.  */
int
main (void)
{
  static int c[100], d[100];
  int n = 65;

#pragma acc parallel loop copy (c[0:64]) copyin (d[0:64]) async (QUEUE)
  for (int i = 0; i < n; i++)
    c[i] = i + d[0];
#pragma acc wait
  return c[63] != 63;
}
