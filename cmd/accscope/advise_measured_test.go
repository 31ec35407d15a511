package main

// measuredPlants are mistakes that take more than events to find: counters inside of kernels, samples
// of the host, or several ranks.
var measuredPlants = []plant{
	{rule: "gang-imbalance", needs: counters, c: `
#define N 4096
static double a[N], sum[N];
int main (void)
{
  for (int i = 0; i < N; i++)
    a[i] = i % 7;
#pragma acc data copyin(a) copy(sum)
  {
ba|#pragma acc parallel loop gang num_gangs(32)
m| #pragma acc parallel loop gang(static:1) num_gangs(32)
    for (int i = 0; i < N; i++)
      {
        double s = 0;
#pragma acc loop vector reduction(+:s)
bm|     for (int j = 0; j < i; j++)
a|      for (int j = 0; j < N / 8; j++)
          s += a[j] * a[i];
        sum[i] = s;
      }
  }
  printf ("%g %g\n", sum[5], sum[N - 1]);
}
`, fortran: `
program p
  implicit none
  integer, parameter :: n = 4096
  real(8) :: a(n), total(n), s
  integer :: i, j
  a = 2
  total = 0
  !$acc data copyin(a) copy(total)
ba|!$acc parallel loop gang num_gangs(32) private(s)
m| !$acc parallel loop gang(static:1) num_gangs(32) private(s)
  do i = 1, n
     s = 0
     !$acc loop vector reduction(+:s)
bm|  do j = 1, i
a|   do j = 1, n / 8
        s = s + a(j) * a(i)
     end do
     total(i) = s
  end do
  !$acc end data
  print *, total(5), total(n)
end program p
`},
	{rule: "gang-redundant", needs: counters, c: `
#define N 2048
static double a[N], b[N], c[N];
int main (void)
{
  for (int i = 0; i < N; i++)
    a[i] = i % 7;
#pragma acc data copyin(a) copy(b, c)
  {
m| #pragma acc parallel loop
m|  for (int i = 0; i < N; i++)
m|    {
m|      double x = a[i] * 0.5;
m|      b[i] = x * x + 1;
m|    }
#pragma acc parallel num_gangs(64)
    {
b|    for (int i = 0; i < N; i++)
b|      {
b|        double x = a[i] * 0.5;
b|        b[i] = x * x + 1;
b|      }
a|    double first = a[0] + a[N - 1];
#pragma acc loop gang vector
      for (int i = 0; i < N; i++)
bm|     c[i] += a[i];
a|      c[i] += a[i] + first;
    }
  }
  printf ("%g %g\n", b[5], c[N - 1]);
}
`, fortran: `
program p
  implicit none
  integer, parameter :: n = 2048
  real(8) :: a(n), b(n), c(n), first
  integer :: i
  a = 3
  b = 0
  c = 0
  !$acc data copyin(a) copy(b, c)
m| !$acc parallel loop
m| do i = 1, n
m|    b(i) = a(i) * a(i) * 0.25d0 + 1
m| end do
  !$acc parallel num_gangs(64) private(first)
b| do i = 1, n
b|    b(i) = a(i) * a(i) * 0.25d0 + 1
b| end do
bm|first = 0
a| first = a(1) + a(n)
  !$acc loop gang vector
  do i = 1, n
     c(i) = c(i) + a(i) + first
  end do
  !$acc end parallel
  !$acc end data
  print *, b(5), c(n)
end program p
`},
	{rule: "uncoalesced-access", needs: counters, c: `
#define N 512
static double a[N][N], b[N][N];
int main (void)
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      a[i][j] = i + j;
#pragma acc data copyin(a) copy(b)
  {
#pragma acc parallel loop gang
bm| for (int j = 0; j < N; j++)
a|  for (int j = 1; j < N - 1; j++)
#pragma acc loop vector
bm|   for (int i = 0; i < N; i++)
a|    for (int i = 1; i < N - 1; i++)
b|      b[i][j] = 2 * a[i][j];
m|      b[j][i] = 2 * a[j][i];
a|      b[j][i] = a[j][i - 1] + a[j][i + 1] + a[3][5];
  }
  printf ("%g\n", b[3][7]);
}
`, fortran: `
program p
  implicit none
  integer, parameter :: n = 512
  real(8) :: a(n, n), b(n, n)
  integer :: i, j
  a = 3
  b = 0
  !$acc data copyin(a) copy(b)
  !$acc parallel loop gang
  do j = 2, n - 1
     !$acc loop vector
     do i = 2, n - 1
b|      b(j, i) = 2 * a(j, i)
m|      b(i, j) = 2 * a(i, j)
a|      b(i, j) = a(i - 1, j) + a(i + 1, j) + a(4, 6)
     end do
  end do
  !$acc end data
  print *, b(3, 7)
end program p
`},
	{rule: "idle-lanes", needs: counters, c: `
#define N 4096
static double a[N][64];
int main (void)
{
#pragma acc data copy(a)
  {
ba|#pragma acc parallel loop gang vector_length(32)
m| #pragma acc parallel loop collapse(2)
    for (int i = 0; i < N; i++)
ba|#pragma acc loop vector
bm|   for (int k = 0; k < 8; k++)
a|    for (int k = 0; k < 63; k++)
        a[i][k] = a[i][k] * 0.5 + k;
  }
  printf ("%g\n", a[3][7]);
}
`, fortran: `
program p
  implicit none
  integer, parameter :: n = 4096
  real(8) :: a(64, n)
  integer :: i, k
  a = 1
  !$acc data copy(a)
ba|!$acc parallel loop gang vector_length(32)
m| !$acc parallel loop collapse(2)
  do i = 1, n
ba|  !$acc loop vector
bm|  do k = 1, 8
a|   do k = 1, 63
        a(k, i) = a(k, i) * 0.5d0 + k
     end do
  end do
  !$acc end data
  print *, a(7, 3)
end program p
`},
	{rule: "meeting-atomics", needs: counters, c: `
#define N 100000
static int values[N], count, bins[1024];
int main (void)
{
  for (int i = 0; i < N; i++)
    values[i] = i % 5;
#pragma acc data copyin(values) copy(bins)
ba|#pragma acc parallel loop copy(count)
m| #pragma acc parallel loop reduction(+:count)
  for (int i = 0; i < N; i++)
    {
ba|#pragma acc atomic
bm|   count += values[i] + 1;
a|    bins[(values[i] + i * 7) & 1023]++;
    }
  printf ("%d %d\n", count, bins[3]);
}
`, fortran: `
program p
  implicit none
  integer, parameter :: n = 100000
  integer :: values(n), bins(0:1023), total, i
  values = 3
  bins = 0
  total = 0
  !$acc data copyin(values) copy(bins)
ba|!$acc parallel loop copy(total)
m| !$acc parallel loop reduction(+:total)
  do i = 1, n
ba|  !$acc atomic update
bm|  total = total + values(i)
a|   bins(mod(values(i) + i * 7, 1024)) = bins(mod(values(i) + i * 7, 1024)) + 1
  end do
  !$acc end data
  print *, total, bins(3)
end program p
`},
	{rule: "host-loop", needs: samples, c: `
#define N 200000
static double field[N], other[N], given[N];
static void __attribute__ ((noinline)) smooth (double *to, const double *from)
{
  for (int i = 1; i < N - 1; i++)
    {
      double x = from[i];
      for (int k = 0; k < 40; k++)
        x = 0.5 * x + 0.25 * (from[i - 1] + from[i + 1]);
      to[i] = x;
    }
}
int main (void)
{
a| static char line[64];
#pragma acc data copy(field, other) copyin(given)
  for (int s = 0; s < 30; s++)
    {
#pragma acc parallel loop present(field)
      for (int i = 0; i < N; i++)
        field[i] += 1;
b|    smooth (other, given);
m|    #pragma acc parallel loop present(given, other)
m|    for (int i = 1; i < N - 1; i++)
m|      {
m|        double x = given[i];
m|        for (int k = 0; k < 40; k++)
m|          x = 0.5 * x + 0.25 * (given[i - 1] + given[i + 1]);
m|        other[i] = x;
m|      }
a|    #pragma acc update self(field)
a|    for (int i = 0; i < N; i += 10)
a|      snprintf (line, sizeof line, "%.17g %.17g", field[i], field[i] / 3);
    }
ma| if (field[0] < 0)
ma|   smooth (other, given);
  printf ("%g\n", field[3]);
}
`, fortran: `
program p
  implicit none
  integer, parameter :: n = 200000
  real(8) :: field(n), other(n), given(n), x
  integer :: s, i, k
a| character(len=64) :: line
  field = 1
  other = 0
  given = 2
  !$acc data copy(field, other) copyin(given)
  do s = 1, 30
     !$acc parallel loop present(field)
     do i = 1, n
        field(i) = field(i) + 1
     end do
b|   call smooth(other, given)
m|   !$acc parallel loop present(given, other) private(x)
m|   do i = 2, n - 1
m|      x = given(i)
m|      do k = 1, 40
m|         x = 0.5d0 * x + 0.25d0 * (given(i - 1) + given(i + 1))
m|      end do
m|      other(i) = x
m|   end do
a|   !$acc update self(field)
a|   do i = 1, n, 10
a|      write (line, '(2es25.17)') field(i), field(i) / 3
a|   end do
  end do
  !$acc end data
  print *, field(3)
b| contains
b| subroutine smooth(to, from)
b|   real(8), intent(out) :: to(n)
b|   real(8), intent(in) :: from(n)
b|   real(8) :: y
b|   integer :: j, l
b|   do j = 2, n - 1
b|      y = from(j)
b|      do l = 1, 40
b|         y = 0.5d0 * y + 0.25d0 * (from(j - 1) + from(j + 1))
b|      end do
b|      to(j) = y
b|   end do
b| end subroutine
end program p
`},
	{rule: "imbalance", needs: ranks, c: `
static double block[100];
int main (void)
{
  const char *text = getenv ("OMPI_COMM_WORLD_RANK");
  int rank = text == NULL ? 0 : atoi (text);
b| int blocks = rank == 0 ? 9 : 1;
m| int blocks = 5 + 0 * rank;
a| int blocks = rank == 0 ? 10 : 0;
#pragma acc data copy(block)
  for (int s = 0; s < blocks; s++)
    {
#pragma acc parallel loop
      for (int i = 0; i < 100; i++)
        block[i] += 1;
    }
  printf ("%g\n", block[3]);
}
`, fortran: `
program p
  implicit none
  real(8) :: block(100)
  integer :: s, i, rank, blocks, found
  character(len=8) :: text
  call get_environment_variable("OMPI_COMM_WORLD_RANK", text, status=found)
  rank = 0
  if (found == 0) read (text, *) rank
b| blocks = merge(9, 1, rank == 0)
m| blocks = 5
a| blocks = merge(10, 0, rank == 0)
  block = 0
  !$acc data copy(block)
  do s = 1, blocks
     !$acc parallel loop
     do i = 1, 100
        block(i) = block(i) + 1
     end do
  end do
  !$acc end data
  print *, block(3)
end program p
`},
}
