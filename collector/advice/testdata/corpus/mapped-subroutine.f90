! planted: mapped-in-loop
module steps
contains
  subroutine advance(u, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: u(n)
    integer :: i
    !$acc parallel loop copy(u)
    do i = 1, n
       u(i) = u(i) * 0.5d0 + 1
    end do
  end subroutine advance
end module steps
program main
  use steps
  implicit none
  integer, parameter :: n = 100000
  real(8) :: field(n)
  integer :: k
  field = 2
  do k = 1, 25
     call advance(field, n)
  end do
  print '(es24.16)', field(1)
end program main
