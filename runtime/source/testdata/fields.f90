! Names of every sort that Fortran has: module variables, allocatables,
! assumed-shape and explicit-shape dummies, common blocks, derived types.
module fields
  implicit none
  real, allocatable :: state(:)
  real :: fixed(100)
  type grid
    integer :: n
    real, allocatable :: a(:)
  end type
contains
  subroutine smooth(n, x, y, al, s)
    integer, intent(in) :: n
    real, intent(inout) :: x(:), y(n)
    real, allocatable, intent(inout) :: al(:)
    real, intent(in) :: s
    real, allocatable :: local(:)
    real :: tmp(50), tmp2
    real :: total
    integer :: i, k2
    common /blk/ tmp2(30), k2
    allocate(local(n))
    local = 1
    total = 0
    tmp = 2
    tmp2 = 1
    k2 = 3
    !$acc data copy(al)
    !$acc parallel loop copy(x, al, local) copyin(y, tmp) reduction(+:total)
    do i = 1, n
      x(i) = y(i) + s + local(i) + al(i) + tmp(mod(i,50)+1)
      total = total + x(i)
    end do
    !$acc end data
    !$acc kernels
    do i = 1, 30
      tmp2(i) = k2 + fixed(i) + state(i)
    end do
    !$acc end kernels
    !$acc parallel loop copy(x(2:n-1))
    do i = 2, n-1
      x(i) = x(i) + 1
    end do
    !$acc update self(al, tmp2, fixed)
    if (total < 0) print *, total
  end subroutine
end module

program main
  use fields
  implicit none
  type(grid) :: d
  real :: x(100), y(100)
  real, allocatable :: q(:)
  integer :: i
  allocate(q(100), state(100), d%a(100))
  d%a = 1
  d%n = 100
  q = 0
  x = 0
  y = 1
  state = 1
  !$acc enter data copyin(q, state, x)
  call smooth(100, x, y, q, 2.0)
  !$acc exit data copyout(q) delete(state, x)
  !$acc enter data copyin(d)
  !$acc enter data copyin(d%a)
  !$acc parallel loop copy(d%a)
  do i = 1, 100
    d%a(i) = i
  end do
  !$acc exit data delete(d%a)
  call inner(q)
  if (x(3) < 0) print *, x(3), d%a(2)
contains
  subroutine inner(values)
    real, intent(inout) :: values(:)
    integer :: j
    !$acc parallel loop copy(values)
    do j = 1, size(values)
      values(j) = values(j) + 1
    end do
  end subroutine
end program
