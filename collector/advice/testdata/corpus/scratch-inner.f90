! The ends of r are what the host has set.
module norms
  implicit none
contains
  real(8) function residual (u, n)
    integer, intent(in) :: n
    real(8), intent(in) :: u(n)
    real(8) :: r(n), all(n)
    integer :: i
    r = 3
    all = 4
    !$acc parallel loop copyin(u) copy(r, all)
    do i = 1, n
       all(i) = u(i)
       if (i > 1 .and. i < n) r(i) = u(i)
    end do
    !$acc parallel loop copyin(u) copy(r)
    do i = 2, n - 1
       r(i) = u(i - 1) - 2 * u(i) + u(i + 1)
    end do
    residual = sum(abs(r)) + all(n)
  end function residual
end module norms
program main
  use norms
  implicit none
  integer, parameter :: n = 30001
  real(8) :: u(n), total
  integer :: s
  u = 2
  total = 0
  do s = 1, 12
     u(s) = s
     total = total + residual (u, n)
  end do
  print '(es25.17)', total
end program main
