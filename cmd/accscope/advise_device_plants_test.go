package main

// devicePlants are mistakes whose trace takes a device of some speed: kernels that last, ones that
// are short, or a GPU's multiprocessors.
var devicePlants = []plant{
	{rule: "few-gangs", needs: gpuModel, c: `
#define N 4000
static double field[N], parts[4][N];
static int target[N];
static void scatter (double *x, const int *to)
{
b| #pragma acc kernels present(x[0:N], to[0:N])
m| #pragma acc parallel loop present(x[0:N], to[0:N])
bm|for (int i = 0; i < N; i++)
bm|  x[to[i]] = x[to[i]] * 0.5 + i;
a| #pragma acc serial present(x[0:N], to[0:N])
a| for (int i = 1; i < N; i++)
a|   x[to[i]] = x[to[i - 1]] * 0.5 + i;
}
static void repeat (double *x, int queue)
{
#pragma acc parallel loop num_gangs(16) vector_length(32) async(queue) present(x[0:N])
  for (int i = 0; i < N; i++)
    for (int k = 0; k < 200; k++)
      x[i] = x[i] * 0.5 + k;
}
int main (void)
{
  for (int i = 0; i < N; i++)
    target[i] = (int) (i * 7919L % N);
#pragma acc data copyin(target) copy(field, parts)
  {
    for (int s = 0; s < 3; s++)
      scatter (field, target);
a|  for (int part = 0; part < 4; part++)
a|    repeat (parts[part], part + 1);
    #pragma acc wait
  }
  printf ("%.17g\n", field[7]);
}
`, fortran: `
module mesh
  implicit none
  integer, parameter :: n = 40000
  real(8), allocatable :: field(:)
  integer, allocatable :: cells(:)
contains
  subroutine scatter(x, to)
    real(8), intent(inout) :: x(:)
    integer, intent(in) :: to(:)
    integer :: i
b|  !$acc parallel loop num_gangs(2) vector_length(32) present(x, to)
m|  !$acc parallel loop present(x, to)
bm| do i = 1, n
bm|    x(to(i)) = x(to(i)) * 0.5d0 + i
a|  !$acc serial present(x, to)
a|  do i = 2, n
a|     x(to(i)) = x(to(i - 1)) * 0.5d0 + i
    end do
a|  !$acc end serial
  end subroutine
end module
program p
  use mesh
  implicit none
  integer :: i, s
  allocate (field(n), cells(n))
  field = 1
  do i = 1, n
     cells(i) = 1 + mod((i - 1) * 7919, n)
  end do
  !$acc data copy(field) copyin(cells)
  do s = 1, 3
     call scatter(field, cells)
  end do
  !$acc end data
  print *, field(7)
end program p
`},
	{rule: "idle-queue", needs: lasting, c: `
#define N 60000
static double left[N], right[N], sum[N];
static void prepare (double *x, int step) { for (int i = 0; i < N; i++) x[i] = (double) (i % 1000) / (step + 1); }
static void add (const double *x, double *to)
{
#pragma acc parallel loop present(x[0:N], to[0:N])
  for (int i = 0; i < N; i++)
    to[i] = to[i] * 0.5 + x[i];
}
static void add_on (const double *x, double *to, int queue)
{
#pragma acc parallel loop present(x[0:N], to[0:N]) async(queue) wait(3 - queue)
  for (int i = 0; i < N; i++)
    to[i] = to[i] * 0.5 + x[i];
}
int main (void)
{
#pragma acc data create(left, right) copy(sum)
  {
    for (int step = 0; step < 12; step++)
      {
m|      double *x = step % 2 ? right : left;
m|      int queue = 1 + step % 2;
m|      #pragma acc wait(queue)
m|      prepare (x, step);
m|      #pragma acc update device(x[0:N]) async(queue)
m|      add_on (x, sum, queue);
b|      prepare (left, step);
a|      for (int i = 0; i < N; i++)
a|        left[i] = left[i] * 0.5 + sum[i];
ba|     #pragma acc update device(left)
ba|     add (left, sum);
a|      #pragma acc update self(sum)
      }
#pragma acc wait
  }
  printf ("%.17g\n", sum[7]);
}
`, fortran: `
module work
  implicit none
  integer, parameter :: n = 60000
contains
  subroutine prepare(x, step)
    real(8), intent(out) :: x(n)
    integer, intent(in) :: step
    integer :: i
    do i = 1, n
       x(i) = mod(i, 1000) / (step + 1d0)
    end do
  end subroutine
end module
program p
  use work
  implicit none
  real(8), allocatable :: x(:, :), total(:)
  integer :: s, i, q
  allocate (x(n, 2), total(n))
  total = 0
  x = 0
  !$acc data create(x) copy(total)
  do s = 1, 12
m|   q = 1 + mod(s, 2)
m|   !$acc wait(q)
ba|  q = 1
bm|  call prepare(x(:, q), s)
a|   x(:, q) = x(:, q) * 0.5d0 + total
ba|  !$acc update device(x(:, q))
m|   !$acc update device(x(:, q)) async(q)
ba|  !$acc parallel loop present(x, total)
m|   !$acc parallel loop present(x, total) async(q) wait(3 - q)
     do i = 1, n
        total(i) = total(i) * 0.5d0 + x(i, q)
     end do
a|   !$acc update self(total)
  end do
  !$acc wait
  !$acc end data
  print *, total(7)
end program p
`},
	{rule: "idle-queue", needs: brief, c: `
#define N 200000
struct buffer { double *data; int queue; };
static void prepare (double *x, int s) { for (int i = 0; i < N; i++) x[i] = (i * 7L + s) % 13 / (s + 1.0); }
static void add (const double *x, double *to, int q)
{
#pragma acc update device(x[0:N]) async(q)
#pragma acc parallel loop async(q) present(x[0:N], to[0:N])
  for (int i = 0; i < N; i++)
    to[i] = to[i] * 0.5 + x[i];
b|#pragma acc wait(q)
}
int main (void)
{
  struct buffer buffers[2];
  double *sums = (double *) calloc (2 * N, sizeof (double));
  for (int k = 0; k < 2; k++)
    {
      double *x = buffers[k].data = (double *) malloc (N * sizeof (double));
      buffers[k].queue = k + 1;
      #pragma acc enter data create(x[0:N])
    }
#pragma acc data copy(sums[0:2 * N])
  {
    for (int s = 0; s < 20; s++)
      {
        struct buffer *b = &buffers[s % 2];
ma|     #pragma acc wait(b->queue)
a|      if (s > 1)
a|        b->data[0] += 1;
        prepare (b->data, s);
        add (b->data, sums + s % 2 * N, b->queue);
      }
#pragma acc wait
  }
  printf ("%.17g %.17g\n", sums[5], sums[N + 6]);
}
`, fortran: `
program p
  implicit none
  integer, parameter :: n = 200000
  real(8), allocatable :: x(:, :), total(:, :)
  integer :: s, i, q
  allocate (x(n, 2), total(n, 2))
  total = 0
  !$acc data create(x) copy(total)
  do s = 1, 20
     q = 1 + mod(s, 2)
ma|  !$acc wait(q)
     do i = 1, n
        x(i, q) = mod(i * 7, 13 + s) / (s + 1d0)
     end do
     !$acc update device(x(:, q)) async(q)
     !$acc parallel loop present(x, total) async(q)
     do i = 1, n
        total(i, q) = total(i, q) * 0.5d0 + x(i, q)
     end do
b|   !$acc wait(q)
a|   if (s == 20) total(1, 1) = 0
  end do
  !$acc wait
  !$acc end data
  print *, total(7, 1), total(8, 2)
end program p
`},
	{rule: "short-kernel", needs: brief, c: `
#define ROWS 400
#define COLUMNS 200
static double field[ROWS][COLUMNS];
static void advance (double *row)
{
#pragma acc parallel loop async(1) present(row[0:COLUMNS])
  for (int column = 0; column < COLUMNS; column++)
    row[column] += column % 3;
}
int main (void)
{
#pragma acc data copy(field)
  {
b|  for (int row = 0; row < ROWS; row++)
b|    advance (field[row]);
m|  #pragma acc parallel loop collapse(2) async(1)
m|  for (int row = 0; row < ROWS; row++)
m|    for (int column = 0; column < COLUMNS; column++)
m|      field[row][column] += column % 3;
a|  for (int row = 0; row < ROWS; row++)
a|    {
a|      advance (field[row]);
a|      #pragma acc update self(field[row:1]) async(1)
a|      #pragma acc wait(1)
a|      if (field[row][0] < 0)
a|        break;
a|    }
#pragma acc wait(1)
  }
  printf ("%g\n", field[3][4]);
}
`, fortran: `
program p
  implicit none
  integer, parameter :: n = 400, m = 200
  real(8), allocatable :: field(:, :)
  integer :: i, j
  allocate (field(m, n))
  field = 1
  !$acc data copy(field)
m|!$acc parallel loop collapse(2) async(1)
  do j = 1, n
ba|  !$acc parallel loop async(1) present(field)
     do i = 1, m
        field(i, j) = field(i, j) + mod(i, 3)
     end do
a|   !$acc update self(field(:, j)) async(1)
a|   !$acc wait(1)
a|   if (field(1, j) < 0) exit
  end do
  !$acc wait(1)
  !$acc end data
  print *, field(4, 3)
end program p
`},
	{rule: "deleted-while-busy", needs: lasting, c: `
#define N 10000
static void start (double *x)
{
#pragma acc parallel loop async(1) present(x[0:N])
  for (int i = 0; i < N; i++)
    x[i] = i;
#pragma acc update self(x[0:N]) async(1)
}
static void finish (double *x)
{
m| #pragma acc wait(1)
bm|#pragma acc exit data delete(x[0:N]) async(2)
a| #pragma acc exit data delete(x[0:N]) async(1)
#pragma acc wait
}
int main (void)
{
  double *field = (double *) calloc (N, sizeof (double));
#pragma acc enter data create(field[0:N])
  start (field);
  finish (field);
  printf ("%d\n", field != NULL);
  free (field);
}
`, fortran: `
program p
  implicit none
  integer, parameter :: n = 10000
  real(8), allocatable :: field(:), other(:)
  integer :: i
  allocate (field(n), other(n))
  field = 0
  !$acc enter data create(field, other)
  !$acc parallel loop async(1) present(other)
  do i = 1, n
     other(i) = i
  end do
  !$acc update device(field) async(1)
m|!$acc wait(1)
bm|!$acc exit data delete(field)
a|!$acc exit data delete(field) async(1)
  !$acc wait(1)
  !$acc exit data copyout(other)
  print *, other(7)
end program p
`},
}
