/* Many kernels, each launched once a round: what a first launch costs.  */
#include "times.h"

enum { N = 10000, ROUNDS = 87 };
static double x[N], y[N];

#define F(k)								\
  static void f##k (double s)						\
  {									\
    _Pragma ("acc parallel loop present(x, y)")				\
      for (int i = 0; i < N; i++)					\
	y[i] = y[i] * s + x[i] * k + (i > 2 ? x[i - 1] : 0);		\
  }
#define TEN(t) F (t##0) F (t##1) F (t##2) F (t##3) F (t##4) F (t##5) F (t##6) F (t##7) F (t##8) F (t##9)
#define ALL TEN (1) TEN (2) TEN (3) TEN (4) TEN (5) TEN (6) TEN (7) TEN (8) TEN (9) TEN (10) F (110) F (111) F (112) F (113) F (114) F (115) F (116)
ALL
#undef F
#define F(k) f##k (round);

int
main (void)
{
  double start = now (), times[ROUNDS];
#pragma acc enter data copyin(x, y)
  tell ("first enter data", (now () - start) / 1e3, "ms");
  for (int round = 0; round < ROUNDS; round++)
    {
      start = now ();
      ALL
      times[round] = (now () - start) / 1e3;
    }
  tell ("107 kernels, first round", times[0], "ms");
  qsort (times + 1, ROUNDS - 1, sizeof *times, compare);
  tell ("107 kernels, a later round", times[ROUNDS / 2], "ms");
  return 0;
}
