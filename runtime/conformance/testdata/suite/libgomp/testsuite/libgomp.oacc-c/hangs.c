/* { dg-timeout 0.2 } */
#include <unistd.h>
int
main (void)
{
  for (;;)
    pause ();
}
