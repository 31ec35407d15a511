#include <stdio.h>
int
main (void)
{
  puts ("The answer is 41");
  return 0;
}
/* { dg-output "The answer is 42(\n|\r\n|\r)+" } */
