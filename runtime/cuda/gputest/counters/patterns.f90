! Kernels of a Fortran program, beside patterns.c: columns are contiguous here.
program patterns
  implicit none
  integer, parameter :: n = 2**18, m = 512
  real(8), save :: x(n), y(n), a(m, m), b(m, m)
  real(8) :: total
  x = 1
  y = 2
  a = 3
  b = 0
  !$acc data copy(x, y, a, b)
  call axpy(x, y)
  call along(a, b)
  call across(a, b)
  call inner(x, y, total)
  call smooth(a, b)
  !$acc end data
  print *, total, b(2, 2)
contains
  subroutine axpy(x, y)
    real(8) :: x(n), y(n)
    integer :: i
    !$acc parallel loop gang worker vector num_gangs(64) num_workers(4) vector_length(32) present(x, y)
    do i = 1, n
      y(i) = y(i) + 2*x(i)
    end do
  end subroutine
  subroutine along(a, b)
    real(8) :: a(m, m), b(m, m)
    integer :: i, j
    !$acc parallel loop gang num_gangs(64) num_workers(1) vector_length(32) present(a, b)
    do j = 1, m
      !$acc loop vector
      do i = 1, m
        b(i, j) = 2*a(i, j)
      end do
    end do
  end subroutine
  subroutine across(a, b)
    real(8) :: a(m, m), b(m, m)
    integer :: i, j
    !$acc parallel loop gang num_gangs(64) num_workers(1) vector_length(32) present(a, b)
    do i = 1, m
      !$acc loop vector
      do j = 1, m
        b(i, j) = 2*a(i, j)
      end do
    end do
  end subroutine
  subroutine inner(x, y, total)
    real(8) :: x(n), y(n), total
    integer :: i
    total = 0
    !$acc parallel loop gang worker vector num_gangs(64) num_workers(4) vector_length(32) reduction(+:total) present(x, y)
    do i = 1, n
      total = total + x(i)*y(i)
    end do
  end subroutine
  subroutine smooth(a, b)
    real(8) :: a(m, m), b(m, m)
    integer :: i, j
    !$acc parallel loop collapse(2) gang worker vector num_gangs(64) num_workers(4) vector_length(32) present(a, b)
    do j = 2, m - 1
      do i = 2, m - 1
        b(i, j) = 0.25d0*(a(i - 1, j) + a(i + 1, j) + a(i, j - 1) + a(i, j + 1))
      end do
    end do
  end subroutine
end program
