/* Prints the frequency of the 64-bit Arm architecture's counter, in Hz.  */
#include <stdint.h>
#include <stdio.h>

int
main (void)
{
  uint64_t frequency;

  __asm__ ("mrs %0, cntfrq_el0" : "=r" (frequency));
  printf ("%ju\n", (uintmax_t) frequency);
  return 0;
}
