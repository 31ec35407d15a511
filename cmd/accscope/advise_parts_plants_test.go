package main

// partPlants are updates of whole arrays of which a part changes or is used.
var partPlants = []plant{
	{rule: "whole-update", c: `
#define N 100000
static double field[N];
a| static double *other;
int main (void)
{
  double sum = 0;
a| other = field + 5;
#pragma acc data copy(field)
  for (int s = 0; s < 20; s++)
    {
#pragma acc parallel loop present(field)
      for (int i = 0; i < N; i++)
        field[i] = field[i] * 0.5 + i % 7 + s;
ba|   #pragma acc update self(field)
m|    #pragma acc update self(field[0:2])
m|    #pragma acc update self(field[N - 1:1])
bma|  sum += field[0] + field[1] + field[N - 1];
a|    sum += other[s];
    }
  printf ("%.17g %.17g\n", field[7], sum);
}
`, fortran: `
program p
  implicit none
  integer, parameter :: n = 100000
a| real(8), target :: field(n)
a| real(8), pointer :: other(:)
bm| real(8) :: field(n)
  real(8) :: total
  integer :: s, i
  field = 1
  total = 0
a| other => field
  !$acc data copy(field)
  do s = 1, 20
     !$acc parallel loop
     do i = 1, n
        field(i) = field(i) * 0.5d0 + mod(i, 7) + s
     end do
ba|  !$acc update self(field)
m|   !$acc update self(field(1:1))
m|   !$acc update self(field(n:n))
     total = total + field(1) + field(n)
a|   total = total + other(s)
  end do
  !$acc end data
  print '(2es25.17)', field(7), total
end program p
`},
	{rule: "whole-update", c: `
#define ROWS 300
#define COLUMNS 200
static double source[ROWS][COLUMNS], field[ROWS][COLUMNS];
int main (void)
{
  double sum = 0;
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < COLUMNS; j++)
      source[i][j] = i + j;
#pragma acc data copyin(source) copy(field)
  for (int s = 0; s < 20; s++)
    {
      for (int j = 1; j < COLUMNS - 1; j++)
        {
          source[0][j] = s + j;
          source[ROWS - 1][j] = s - j;
a|        source[(s * j) % ROWS][j] = sum;
        }
ba|   #pragma acc update device(source)
m|    #pragma acc update device(source[0:1])
m|    #pragma acc update device(source[ROWS - 1:1])
#pragma acc parallel loop collapse(2) present(source, field)
      for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
          field[i][j] = field[i][j] * 0.5 + source[i][j];
      sum += source[0][5];
    }
  printf ("%.17g %.17g\n", field[0][7], sum);
}
`, fortran: `
program p
  implicit none
  integer, parameter :: n = 300, m = 200
  real(8), allocatable :: source(:,:), field(:,:)
  integer :: s, i, j
  allocate (source(0:m + 1, 0:n + 1), field(m, n))
  source = 1
  field = 0
  !$acc enter data copyin(source, field)
  do s = 1, 20
     do i = 0, m + 1
        source(i, 0) = s + i
        source(i, n + 1) = s - i
     end do
a|   source(s, :) = s
ba|  !$acc update device(source)
m|   !$acc update device(source(:, 0:0))
m|   !$acc update device(source(:, n + 1:n + 1))
     !$acc parallel loop collapse(2) present(source, field)
     do j = 1, n
        do i = 1, m
           field(i, j) = field(i, j) * 0.5d0 + source(i, j - 1) + source(i, j + 1)
        end do
     end do
  end do
  !$acc exit data copyout(field) delete(source)
  print '(2es25.17)', field(7, 1), field(m, n)
end program p
`},
	{rule: "whole-update", c: `
int main (void)
{
  int n = 250, m = 240;
  double *u = (double *) malloc (n * m * sizeof (double)), sum = 0;
  for (int i = 0; i < n * m; i++)
    u[i] = i % 11;
#pragma acc enter data copyin(u[0:n * m])
  for (int s = 0; s < 20; s++)
    {
#pragma acc parallel loop present(u)
      for (int i = 0; i < n * m; i++)
        u[i] = u[i] * 0.25 + s;
b|    #pragma acc update self(u[0:n * m])
a|    if (s > 2)
a|      {
a|    #pragma acc update self(u[0:n * m])
a|      }
m|    #pragma acc update self(u[0:m])
m|    #pragma acc update self(u[(n - 1) * m:m])
m|    #pragma acc update self(u[m:m])
m|    #pragma acc update self(u[(n - 2) * m:m])
      for (int j = 0; j < m; j++)
        u[j] = u[m + j];
      for (int j = 0; j < m; j++)
        u[(n - 1) * m + j] = u[(n - 2) * m + j];
ba|   #pragma acc update device(u[0:n * m])
m|    #pragma acc update device(u[0:m])
m|    #pragma acc update device(u[(n - 1) * m:m])
    }
#pragma acc exit data copyout(u[0:n * m])
  for (int i = 0; i < n * m; i++)
    sum += u[i];
  printf ("%.17g\n", sum);
  free (u);
}
`, fortran: `
program p
  implicit none
  integer, parameter :: n = 250, m = 240
  real(8), allocatable :: u(:,:)
  integer :: s, i, j
  allocate (u(m, n))
  u = 3
  !$acc data copy(u)
  do s = 1, 20
     !$acc parallel loop collapse(2)
     do j = 1, n
        do i = 1, m
           u(i, j) = u(i, j) * 0.25d0 + i + j
        end do
     end do
ba|  !$acc update self(u)
m|   !$acc update self(u(:, 1:2))
m|   !$acc update self(u(:, n - 1:n))
a|   !$acc serial
a|   u(1, 1) = s
a|   !$acc end serial
     u(:, 1) = u(:, 2)
     u(:, n) = u(:, n - 1)
ba|  !$acc update device(u)
m|   !$acc update device(u(:, 1:1))
m|   !$acc update device(u(:, n:n))
  end do
  !$acc end data
  print '(2es25.17)', sum(u), u(m, n)
end program p
`},
	{rule: "whole-update", c: `
#define N 100000
static double field[N];
int main (void)
{
  double most = 0;
  for (int i = 0; i < N; i++)
    field[i] = i % 9;
#pragma acc data copy(field)
  for (int s = 0; s < 20; s++)
    {
bma|  #pragma acc parallel loop present(field)
bm|   for (int i = 10; i <= 2000; i++)
a|    for (int i = 10; i <= 90000; i++)
        field[i] = field[i - 10] * 0.5 + s;
ba|   #pragma acc update self(field)
m|    #pragma acc update self(field[10:1991])
      for (int i = 0; i < N; i++)
        most = field[i] > most ? field[i] : most;
    }
  printf ("%.17g %.17g\n", field[7], most);
}
`, fortran: `
program p
  implicit none
  integer, parameter :: n = 100000
  real(8) :: field(n), most
  integer :: s, i
  field = 1
  most = 0
  !$acc data copy(field)
  do s = 1, 20
     !$acc parallel loop
bm|  do i = 1, 500
a|   do i = 1, n - 1
        field(i) = field(i) * 0.5d0 + s * i
     end do
ba|  !$acc update self(field)
m|   !$acc update self(field(1:500))
     most = max(most, sum(field))
  end do
  !$acc end data
  print '(2es25.17)', field(7), most
end program p
`},
	{rule: "scratch-transfer", c: `
int main (void)
{
  int n = 300, m = 200;
  double *u = (double *) malloc (n * m * sizeof (double)), *v = (double *) malloc (n * m * sizeof (double)), sum = 0;
  for (int i = 0; i < n * m; i++)
    u[i] = v[i] = i % 17;
b|  #pragma acc data copy(u[0:n * m], v[0:n * m])
m|  #pragma acc data copy(u[0:n * m]) create(v[0:n * m])
a|  #pragma acc data copy(u[0:n * m]) copyin(v[0:n * m])
  for (int s = 0; s < 10; s++)
    {
#pragma acc parallel loop collapse(2)
bm|   for (int i = 1; i < n - 1; i++)
a|    for (int i = 2; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
          v[i * m + j] = 0.25 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] + u[i * m + j + 1]);
#pragma acc parallel loop collapse(2)
      for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
          u[i * m + j] = v[i * m + j];
    }
  for (int i = 0; i < n * m; i++)
    sum += u[i];
  printf ("%.17g\n", sum);
  free (u);
  free (v);
}
`, fortran: `
program p
  implicit none
  integer, parameter :: n = 200
  real(8) :: u(n, n), work(n, n)
  integer :: s, i, j
  u = 1
  work = 2
  do s = 1, 12
b|   !$acc data copyin(work) copy(u)
m|   !$acc data create(work) copy(u)
a|   !$acc data copyin(work) copy(u)
     !$acc parallel loop collapse(2)
     do j = 1, n
        do i = 1, n
bm|        work(i, j) = u(i, j) + i
a|         if (u(i, j) > 50) work(i, j) = u(i, j) + i
        end do
     end do
     !$acc parallel loop collapse(2)
     do j = 2, n
        do i = 1, n
           u(i, j) = work(i, j - 1) * 0.5d0 + u(i, j)
        end do
     end do
     !$acc end data
     u(1, 1) = s
  end do
  print '(2es25.17)', u(3, 5), sum(u)
end program p
`},
	{rule: "scratch-transfer", c: `
#define N 100000
static double field[N], image[N];
static double smooth (int turns)
{
  double *work = (double *) malloc (N * sizeof (double)), last = 0;
  for (int i = 0; i < N; i++)
    work[i] = -1;
  for (int s = 0; s < turns; s++)
    {
b|    #pragma acc parallel loop copyin(field) copyout(image, work[0:N])
m|    #pragma acc parallel loop copyin(field) copyout(image) create(work[0:N])
a|    #pragma acc parallel loop copyin(field) copyout(image, work[0:N])
      for (int i = 0; i < N; i++)
        {
          work[i] = field[i] * 0.5;
          image[i] = work[i] * work[i] + s;
        }
      field[s] = image[s + 1];
a|    last += work[s + 3];
    }
  free (work);
  return last;
}
int main (void)
{
  for (int i = 0; i < N; i++)
    field[i] = i % 13;
  double last = smooth (12);
  printf ("%.17g %.17g\n", image[7], last);
}
`, fortran: `
subroutine smooth (field, image, n)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: field(n)
  real(8), intent(inout) :: image(n)
  real(8), allocatable :: work(:)
  integer :: i
  allocate (work(n))
  work = -1
b| !$acc parallel loop copyin(field) copy(image, work)
m| !$acc parallel loop copyin(field) copy(image) create(work)
a| !$acc parallel loop copyin(field) copy(image, work)
  do i = 1, n
bm|  work(i) = field(i) * 0.5d0
     image(i) = image(i) * 0.5d0 + work(i) * work(i)
a|   work(i) = field(i) * 0.5d0
  end do
a| image(1) = work(n)
  deallocate (work)
end subroutine smooth
program p
  implicit none
  integer, parameter :: n = 100000
  real(8) :: field(n), image(n)
  integer :: s
  image = 0
  do s = 1, 12
     field = s
     call smooth (field, image, n)
  end do
  print '(2es25.17)', image(7), sum(image)
end program p
`},
	{rule: "needless-wait", c: `
#define N 100000
static double field[N], other[N];
static int spent;
static void host_work (int n) { for (int i = 0; i < n; i++) spent += i % 7; }
int main (void)
{
  double sum = 0;
#pragma acc data copy(field, other)
  {
    for (int s = 0; s < 20; s++)
      {
#pragma acc parallel loop async(1) present(field) firstprivate(s)
        for (int i = 0; i < N; i++)
          field[i] = field[i] * 0.5 + s;
a|      #pragma acc update self(field[0:100]) async(1)
ba|     #pragma acc wait
a|      sum += field[3];
        host_work (200000);
#pragma acc parallel loop async(1) present(field, other)
        for (int i = 0; i < N; i++)
          other[i] += field[i];
a|      #pragma acc update self(other[0:100]) async(1)
ba|     #pragma acc wait
a|      sum += other[3];
        host_work (200000);
      }
#pragma acc wait
  }
  printf ("%.17g %.17g %.17g %d\n", field[7], other[9], sum, spent);
}
`, fortran: `
program p
  implicit none
  integer, parameter :: n = 100000
  real(8) :: field(n), other(n), total
  integer :: s, i, spent
  field = 0
  other = 0
  total = 0
  spent = 0
  !$acc data copy(field, other)
  do s = 1, 20
     !$acc parallel loop async(3) present(field)
     do i = 1, n
        field(i) = field(i) * 0.5d0 + i
     end do
a|   !$acc update self(field(1:100)) async(3)
ba|  !$acc wait
a|   total = total + field(s)
     do i = 1, 200000
        spent = spent + mod(i * s, 7)
     end do
     !$acc parallel loop async(3) present(field, other)
     do i = 1, n
        other(i) = other(i) + field(i)
     end do
a|   !$acc update self(other(1:100)) async(3)
ba|  !$acc wait
a|   total = total + other(s)
     do i = 1, 200000
        spent = spent + mod(i * s, 5)
     end do
  end do
  !$acc wait
  !$acc end data
  print '(3es25.17, i12)', field(7), other(9), total, spent
end program p
`},
}
