! As differs.c.
module programs
  implicit none
  integer, parameter :: n = 3000
contains
  subroutine right(a, b)
    real(8), intent(inout) :: a(n), b(n)
    integer :: i
    !$acc parallel loop copy(a, b)
    do i = 1, n
      b(i) = sqrt(abs(a(i)))*2.5d0 + b(i)*a(i)
    end do
  end subroutine

  subroutine columns(c, total)
    real, intent(inout) :: c(30, 100)
    real, intent(out) :: total
    integer :: i, j
    total = 0
    !$acc parallel loop gang copy(c) reduction(+:total)
    do j = 1, 100
      !$acc loop vector reduction(+:total)
      do i = 1, 30
        c(i, j) = c(i, j)*0.1 + real(i*j)
        total = total + c(i, j)
      end do
    end do
  end subroutine

  subroutine shifted(k)
    integer, intent(inout) :: k(n)
    integer :: i
    !$acc parallel loop copy(k)
    do i = 2, n
      k(i) = k(i - 1) + 3 ! CHECK race k; CHECK differs k
    end do
  end subroutine
end module

program main
  use programs
  real(8) :: a(n), b(n)
  real :: c(30, 100), total
  integer :: k(n), i
  do i = 1, n
    a(i) = cos(real(i, 8))
    b(i) = i
    k(i) = 0
  end do
  c = 0.5
  call right(a, b)
  call columns(c, total)
  call shifted(k)
  print '(l1)', total > 0
end program
