! planted: mapped-in-loop
module steps
  implicit none
contains
  subroutine relax (from, to, n)
    integer, intent(in) :: n
    real(8), intent(in) :: from(n)
    real(8), intent(out) :: to(n)
    integer :: i
    !$acc parallel loop copyin(from) copyout(to)
    do i = 1, n
       to(i) = 0.5d0 * from(i) + 1d0 / i
    end do
  end subroutine relax
end module steps
program p
  use steps
  implicit none
  integer, parameter :: n = 50000
  real(8) :: a(n), b(n)
  integer :: s
  a = 3
  do s = 1, 15
     call relax (a, b, n)
     call relax (b, a, n)
  end do
  do s = 1, 12
     call relax (a, b, n)
  end do
  print '(2es25.17)', a(9), b(n)
end program p
