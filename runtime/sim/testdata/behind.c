/* Writes one element more than the section has.  */
int
main (void)
{
  static int c[100];
  int n = 100;

#pragma acc parallel loop copy (c[0:99]) async (QUEUE)
  for (int i = 0; i < n; i++)
    c[i] = i;
#pragma acc wait
  return c[98] != 98;
}
