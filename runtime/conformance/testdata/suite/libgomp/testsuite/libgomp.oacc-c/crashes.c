/* { dg-do run } */
#include <stdlib.h>
int
main (void)
{
  abort ();
}
