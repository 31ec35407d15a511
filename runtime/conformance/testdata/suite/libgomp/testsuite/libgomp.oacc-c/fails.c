#include <stdio.h>
int
main (void)
{
  puts ("\nthe cause");
  return 3;
}
