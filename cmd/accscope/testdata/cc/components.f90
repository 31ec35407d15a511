! Components of derived types beside their variable.
module tiles
  implicit none
  type tile
    real, allocatable :: density(:)
    real :: width(4)
  end type
contains
  subroutine step(c)
    class(tile) :: c
    integer :: i
    !$acc data copyin(c) copy(c%density)
    !$acc parallel loop present(c)
    do i = 1, 4
      c%density(i) = c%density(i) + i
    end do
    !$acc end data
  end subroutine
end module
program components
  use tiles
  type(tile) :: c
  integer :: i
  allocate (c%density(4))
  c%density = 0
  !$acc enter data copyin(c, c%density) async(1)
  !$acc parallel loop present(c) async(1)
  do i = 1, 4
    c%density(i) = c%density(i) + i
  end do
  !$acc exit data copyout(c%density) delete(c) async(1)
  !$acc wait
  if (c%density(4) /= 4) stop 1
  call step(c)
  if (c%density(4) /= 8) stop 2
  !$acc parallel loop copyin(c) copy(c%density) if(i > 0)
  do i = 1, 4
    c%density(i) = c%density(i) + i
  end do
  if (c%density(4) /= 12) stop 3
  !$acc serial copyin(c) copy(c%density) default(none)
  c%density(4) = 1
  !$acc end serial
  if (c%density(4) /= 1) stop 4
end program
