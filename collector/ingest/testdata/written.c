/* Compute constructs whose kind and clauses only the source shows.  */
static int a[100], b[100];

int
main (void)
{
  int sum = 0;
  int *pointer = b;
#pragma acc kernels copy(a)
  for (int i = 0; i < 100; i++)
    a[i] = b[i];
#pragma acc serial loop \
    copy(pointer[0:50])
  for (int i = 0; i < 50; i++)
    pointer[i] = a[i];
#pragma acc parallel loop reduction(+:sum)
  for (int i = 0; i < 100; i++)
    sum += a[i];
  return sum;
}
