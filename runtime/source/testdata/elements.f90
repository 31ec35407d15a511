! Elements of arrays of a derived type, another one in each call from a place.
program elements
  implicit none
  type part
    real, allocatable :: p(:)
  end type
  type(part), allocatable :: heap(:)
  type(part) :: local(3)
  integer :: i
  allocate (heap(3))
  do i = 1, 3
    allocate (heap(i)%p(merge(34, 30 + i, i == 2)), local(i)%p(50 + i))
    heap(i)%p = i
    local(i)%p = i
  end do
  do i = 1, 3
    !$acc enter data copyin(heap(i)%p)
    !$acc update self(heap(i)%p)
    !$acc enter data copyin(local(i)%p)
    !$acc update self(local(i)%p)
    !$acc update device(heap(2)%p(1:34))
  end do
end program
