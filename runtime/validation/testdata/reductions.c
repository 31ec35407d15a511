/* Reductions: every operator on every type that it is defined for, on parallel,
   kernels and serial constructs and on loops (OpenACC 3.3 section 2.9.11).  */
#include "check.h"
#include <complex.h>

#define N 200
#define PRAGMA(text) _Pragma (#text)

/* REDUCE (type, operator, initial value, statement on x and e, elements by i)
   compares with the host's loop.  near is for sums of rounded values.  */
#define REDUCE(type, operation, initial, statement, element)		\
  do									\
    {									\
      type a[N], x = initial, want = initial;				\
      for (int i = 0; i < N; i++)					\
	a[i] = element;							\
      for (int i = 0; i < N; i++)					\
	{								\
	  type e = a[i], x = want;					\
	  statement;							\
	  want = x;							\
	}								\
      PRAGMA (acc parallel loop copyin(a) reduction(operation:x)) \
      for (int i = 0; i < N; i++)					\
	{								\
	  type e = a[i];						\
	  statement;							\
	}								\
      check_at (__LINE__, "parallel " #type " " #operation, near (x - want, want)); \
      x = initial;							\
      PRAGMA (acc kernels loop copyin(a) reduction(operation:x)) \
      for (int i = 0; i < N; i++)					\
	{								\
	  type e = a[i];						\
	  statement;							\
	}								\
      check_at (__LINE__, "kernels " #type " " #operation, near (x - want, want)); \
      x = initial;							\
      PRAGMA (acc serial loop copyin(a) reduction(operation:x)) \
      for (int i = 0; i < N; i++)					\
	{								\
	  type e = a[i];						\
	  statement;							\
	}								\
      check_at (__LINE__, "serial " #type " " #operation, near (x - want, want)); \
      x = initial;							\
      _Pragma ("acc parallel copyin(a) copy(x) num_gangs(4) num_workers(2) vector_length(32)") \
      {									\
	PRAGMA (acc loop gang worker vector reduction(operation:x)) \
	for (int i = 0; i < N; i++)					\
	  {								\
	    type e = a[i];						\
	    statement;							\
	  }								\
      }									\
      check_at (__LINE__, "loop " #type " " #operation, near (x - want, want)); \
    }									\
  while (0)

static int
near (double complex difference, double complex want)
{
  return cabs (difference) <= 1e-4 * (1 + cabs (want));
}

#define ARITHMETIC(type)						\
  REDUCE (type, +, 3, x += e, (i % 7));					\
  REDUCE (type, *, 2, x *= e, (i % 50 ? 1 : 2));			\
  REDUCE (type, max, 1, x = e > x ? e : x, ((i * 37) % 101));		\
  REDUCE (type, min, 100, x = e < x ? e : x, (100 - (i * 37) % 101))

#define BITWISE(type)							\
  REDUCE (type, &, ~0, x &= e, (0x7f & ~(i == 77 ? 8 : 0)));		\
  REDUCE (type, |, 1, x |= e, (i == 99 ? 0x40 : 2));			\
  REDUCE (type, ^, 5, x ^= e, (i % 64));				\
  REDUCE (type, &&, 1, x = x && e, (i != 150));				\
  REDUCE (type, &&, 1, x = x && e, 3);					\
  REDUCE (type, ||, 0, x = x || e, (i == 3));				\
  REDUCE (type, ||, 0, x = x || e, 0)

static void
nested (void)
{
  long sum = 0, want = 0;
  int rows[20];
#pragma acc parallel loop gang reduction(+:sum) copyout(rows)
  for (int i = 0; i < 20; i++)
    {
      int row = 0;
#pragma acc loop worker reduction(+:row)
      for (int j = 0; j < 30; j++)
	{
	  int column = 0;
#pragma acc loop vector reduction(+:column)
	  for (int k = 0; k < 40; k++)
	    column += i + j + k;
	  row += column;
	}
      rows[i] = row;
      sum += row;
    }
  for (int i = 0; i < 20; i++)
    {
      int row = 0;
      for (int j = 0; j < 30; j++)
	for (int k = 0; k < 40; k++)
	  row += i + j + k;
      CHECK (rows[i] == row);
      want += row;
    }
  CHECK (sum == want);
}

static void
several (void)
{
  int sum = 0, product = 1, largest = -1;
  double mean = 0;
#pragma acc parallel loop collapse(2) reduction(+:sum, mean) reduction(*:product) reduction(max:largest)
  for (int i = 0; i < 10; i++)
    for (int j = 0; j < 10; j++)
      {
	sum += i * j;
	mean += i / 10.0;
	product *= i == j ? 1 : (i + j == 1 ? 2 : 1);
	largest = i + j > largest ? i + j : largest;
      }
  CHECK (sum == 2025 && product == 4 && largest == 18);
  CHECK (near (mean - 45, 45));
}

static void
in_data_regions (void)
{
  int total = 0, a[N];
#pragma acc data copy(total) create(a)
  {
#pragma acc parallel loop present(a)
    for (int i = 0; i < N; i++)
      a[i] = i;
#pragma acc parallel loop present(a, total) reduction(+:total)
    for (int i = 0; i < N; i++)
      total += a[i];
#pragma acc parallel loop present(a, total) reduction(+:total)
    for (int i = 0; i < N; i++)
      total += a[i];
    CHECK (!discrete () || total == 0);
  }
  CHECK (total == N * (N - 1));
  int later = 0;
#pragma acc parallel loop reduction(+:later) async(1)
  for (int i = 0; i < N; i++)
    later += i;
#pragma acc wait(1)
  CHECK (later == N * (N - 1) / 2);
}

int
main (void)
{
  ARITHMETIC (char);
  ARITHMETIC (signed char);
  ARITHMETIC (short);
  ARITHMETIC (unsigned short);
  ARITHMETIC (int);
  ARITHMETIC (unsigned);
  ARITHMETIC (long);
  ARITHMETIC (unsigned long);
  ARITHMETIC (long long);
  ARITHMETIC (float);
  ARITHMETIC (double);
  BITWISE (signed char);
  BITWISE (short);
  BITWISE (int);
  BITWISE (unsigned);
  BITWISE (long);
  REDUCE (float, &&, 1, x = x && e, (i != 150));
  REDUCE (double, ||, 0, x = x || e, (i == 150));
  REDUCE (float complex, +, 1, x += e, (i % 5 + I));
  REDUCE (double complex, *, 1, x *= e, (i % 40 ? 1 : I));
  nested ();
  several ();
  in_data_regions ();
  return report ();
}
