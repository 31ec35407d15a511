! Takes its processor time in a procedure of a module that is inlined into another one, and that into the program.
module grid
  implicit none
  private
  public :: sweep
contains
  function relax(x, before) result(y)
    real(8), intent(in) :: x, before
    real(8) :: y
    integer :: k
    y = x
    do k = 1, 60
      ! The one line that costs.
      y = y / (y + k) + before
    end do
  end function

  subroutine sweep(values)
    real(8), intent(inout) :: values(:)
    integer :: i
    ! What is passed is one statement, and the call is in one place.
    do i = 2, size(values)
      ! Here relax is inlined.
      values(i) = relax(values(i), values(i - 1))
    end do
  end subroutine
end module

program inlined
  use grid
  implicit none
  real(8) :: values(4096), total
  integer :: step
  values = 1
  total = 0
  do step = 1, 300
    call sweep(values)
  end do
  !$acc parallel loop copy(total) reduction(+:total)
  do step = 1, 10
    total = total + step
  end do
  print *, total, values(17)
end program
