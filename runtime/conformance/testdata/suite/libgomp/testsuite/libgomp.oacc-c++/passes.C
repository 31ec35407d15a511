#include <vector>
int
main ()
{
  std::vector<int> numbers (8, 1);
  int *first = numbers.data (), sum = 0;
#pragma acc parallel loop reduction(+:sum) copyin(first[0:8])
  for (int i = 0; i < 8; i++)
    sum += first[i];
  return sum == 8 ? 0 : 1;
}
