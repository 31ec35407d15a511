/* Doubles numbers in a compute region; fails if the region does nothing.  */
int
main (void)
{
  int numbers[16];
  for (int i = 0; i < 16; i++)
    numbers[i] = i;
#pragma acc parallel loop copy (numbers)
  for (int i = 0; i < 16; i++)
    numbers[i] *= 2;
  for (int i = 0; i < 16; i++)
    if (numbers[i] != 2 * i)
      return 1;
  return 0;
}
