/* Takes its processor time in a function that the C library's sort calls.  */
#include <stdio.h>
#include <stdlib.h>

static volatile unsigned steps;

static int
compare (const void *a, const void *b)
{
  for (int i = 0; i < 2000; i++)
    steps++;
  int x = *(const int *) a, y = *(const int *) b;
  return (x > y) - (x < y);
}

__attribute__ ((noinline)) static int
sort (int *values, int n)
{
  qsort (values, n, sizeof *values, compare);
  return values[0];
}

__attribute__ ((noinline)) static int
outer (int n)
{
  int values[256];
  for (int i = 0; i < 256; i++)
    values[i] = i * 7919 % 257;
  return sort (values, n) + values[n - 1];
}

int
main (void)
{
  int sum = 0;
  for (int i = 0; i < 60; i++)
    sum += outer (256);
#pragma acc parallel loop copy(sum) reduction(+:sum)
  for (int i = 0; i < 10; i++)
    sum += i;
  printf ("%d\n", sum);
  return 0;
}
