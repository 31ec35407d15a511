! Components of derived types beside their variable.
module tiles
  implicit none
  type tile
    real, allocatable :: density(:)
    real :: width(4)
    integer :: name = 0
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
  ! What is copied back of a dummy argument, and what is not.
  subroutine parts(c, apart)
    type(tile) :: c
    logical, intent(in) :: apart
    real :: r
    c%width = 1
    c%density = 2
    c%name = 3
    !$acc parallel copyin(c%width) copy(c%name) copyout(r)
    r = c%width(2)
    c%width(3) = 5
    c%name = 6
    !$acc end parallel
    if (r /= 1 .or. c%name /= 6 .or. c%width(3) /= merge(1, 5, apart)) stop 11
    !$acc data copyin(c%width) copy(c%name, c%density) copyout(r)
    !$acc parallel
    r = c%width(2)
    c%width(4) = 5
    c%name = 7
    c%density(1) = 8
    !$acc end parallel
    !$acc end data
    if (r /= 1 .or. c%name /= 7 .or. c%density(1) /= 8 .or. c%width(4) /= merge(1, 5, apart)) stop 12
    !$acc parallel copyin(c%density, c%width) copy(c%name)
    c%width(1) = c%density(1)
    c%density(2) = 9
    c%name = 4
    !$acc end parallel
    if (c%name /= 4 .or. c%width(1) /= merge(1, 8, apart) .or. c%density(2) /= merge(2, 9, apart)) stop 13
  end subroutine
end module
program components
  use tiles
  use openacc
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
  call parts(c, acc_get_device_type() /= acc_device_host)
end program
