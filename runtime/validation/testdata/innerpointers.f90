! Kernels that are given pointers of the host's inside of their data. A line that ends
! "warns: NAME" is a directive of which the runtime warns once, naming that.
module fields
  implicit none
  type field
    integer :: count
    real(8), allocatable :: values(:)
    real(8), pointer :: others(:)
  end type
contains
  subroutine present_one(x)
    type(field) :: x
    real(8) :: total
    integer :: i
    total = 0
    !$acc enter data copyin(x)
    !$acc parallel loop present(x) reduction(+:total) ! warns: x%values
    do i = 1, x%count
      total = total + x%values(i)
    end do
    !$acc exit data delete(x)
    print *, total
  end subroutine
  subroutine attached(x)
    type(field) :: x
    real(8) :: total
    integer :: i
    total = 0
    !$acc enter data copyin(x)
    !$acc enter data copyin(x%values)
    !$acc parallel loop present(x) reduction(+:total)
    do i = 1, x%count
      total = total + x%values(i)
    end do
    !$acc exit data delete(x%values)
    !$acc exit data delete(x)
    print *, total
  end subroutine
end module

program innerpointers
  use fields
  implicit none
  type(field) :: x
  real(8) :: total
  integer :: i
  x%count = 10
  allocate(x%values(10), x%others(10))
  x%values = 1
  x%others = 2
  call present_one(x)
  call attached(x)
  total = 0
  !$acc parallel loop copyin(x) reduction(+:total) ! warns: x%others
  do i = 1, 10
    total = total + x%others(i)
  end do
  print *, total
end program
