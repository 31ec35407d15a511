! Arrays that are dummy arguments: a kernel gets a pointer to their data, which the
! compiler has made for the construct (OpenACC 3.3 section 2.6.4).
module dummies
  implicit none
contains
  subroutine add (values, amount, queue)
    integer, intent (inout) :: values(:)
    integer, intent (in) :: amount, queue
    integer :: i
    !$acc parallel loop copy(values) async(queue)
    do i = 1, size (values)
      values(i) = values(i) + amount
    end do
  end subroutine add

  ! A part of an array with bounds of its own.
  subroutine add_part (values)
    integer, intent (inout) :: values(-3:)
    integer :: i
    !$acc parallel loop copy(values(3:7))
    do i = 3, 7
      values(i) = values(i) + 100
    end do
  end subroutine add_part

  subroutine sum_up (left, right, total)
    integer, intent (in) :: left(:, :), right(:, :)
    integer, intent (out) :: total(:, :)
    integer :: i, j
    !$acc parallel loop collapse(2) copyin(left, right) copy(total)
    do j = 1, size (total, 2)
      do i = 1, size (total, 1)
        total(i, j) = left(i, j) + right(i, j)
      end do
    end do
  end subroutine sum_up

  ! The data region has the pointer too.
  subroutine within (values)
    integer, intent (inout) :: values(:)
    integer :: i, k
    !$acc data copy(values)
    do k = 1, 3
      !$acc parallel loop present(values)
      do i = 1, size (values)
        values(i) = values(i) + k
      end do
    end do
    !$acc end data
  end subroutine within

  subroutine perhaps (values, more)
    integer, intent (inout) :: values(:)
    integer, intent (in), optional :: more(:)
    integer :: i
    logical :: given
    given = present (more)
    !$acc parallel loop copy(values) copyin(more)
    do i = 1, size (values)
      if (given) then
        values(i) = values(i) + more(i)
      else
        values(i) = -values(i)
      end if
    end do
  end subroutine perhaps

  ! What is absent the kernel gets where it is on the host, which sim's kernels reach.
  subroutine absent (values, first)
    integer, intent (in) :: values(:)
    integer, intent (out) :: first
    !$acc parallel no_create(values) copy(first)
    first = values(1)
    !$acc end parallel
  end subroutine absent

  subroutine absent_allocatables (values, scalar, total)
    integer, allocatable, intent (in) :: values(:), scalar
    integer, intent (out) :: total
    !$acc parallel no_create(values, scalar) copy(total)
    total = values(1) + scalar
    !$acc end parallel
  end subroutine absent_allocatables

  ! Its descriptor is the caller's, and so is where the pointer to that lies.
  subroutine raise (values, queue)
    integer, allocatable, intent (inout) :: values(:)
    integer, intent (in) :: queue
    integer :: i
    !$acc parallel loop present(values) async(queue)
    do i = lbound (values, 1), ubound (values, 1)
      values(i) = values(i) + size (values) + lbound (values, 1)
    end do
  end subroutine raise

  subroutine raise_pointer (values, queue)
    integer, pointer, intent (inout) :: values(:)
    integer, intent (in) :: queue
    integer :: i
    !$acc parallel loop present(values) async(queue)
    do i = lbound (values, 1), ubound (values, 1)
      values(i) = values(i) + size (values) + lbound (values, 1)
    end do
  end subroutine raise_pointer

  ! The kernel changes the descriptor that it has.
  subroutine take (values)
    integer, pointer, intent (inout) :: values(:)
    !$acc parallel present(values)
    values(1) = values(1) + 1
    nullify (values)
    !$acc end parallel
  end subroutine take

  subroutine raise_within (values)
    integer, allocatable, intent (inout) :: values(:)
    integer :: i, k
    !$acc data present(values)
    do k = 1, 3
      !$acc parallel loop present(values)
      do i = lbound (values, 1), ubound (values, 1)
        values(i) = values(i) + size (values) + lbound (values, 1)
      end do
    end do
    !$acc end data
  end subroutine raise_within

  ! Without its descriptor.
  subroutine enter (values)
    integer, intent (in) :: values(:)
    !$acc enter data copyin(values)
  end subroutine enter

  subroutine leave (values)
    integer, intent (inout) :: values(:)
    !$acc exit data copyout(values)
  end subroutine leave

  subroutine absent_pointer (values, first)
    integer, pointer, intent (in) :: values(:)
    integer, intent (out) :: first
    !$acc parallel no_create(values) copy(first)
    first = values(1)
    !$acc end parallel
  end subroutine absent_pointer
end module dummies

program arrays
  use checking
  use dummies
  implicit none
  integer :: first(100), second(100), grid(8, 8), other(8, 8), total(8, 8), parts(11)
  integer, allocatable :: allocated(:), scalar
  integer, pointer :: pointer(:), other_pointer(:)
  integer :: i, k

  first = [(i, i = 1, 100)]
  second = 1000
  !$acc enter data copyin(first, second)
  ! One construct with one array after the other, and parts of them, on one queue.
  do k = 1, 50
    call add (first, 1, 1)
    call add (second, 2, 1)
    call add (first(11:20), 3, 1)
  end do
  !$acc wait(1)
  call add (second(100:), 5, -1)
  !$acc wait
  !$acc exit data copyout(first, second)
  call check ('an array of several', all (first(:10) == [(i + 50, i = 1, 10)]) .and. all (first(21:) == [(i + 50, i = 21, 100)]))
  call check ('a part of it', all (first(11:20) == [(i + 200, i = 11, 20)]))
  call check ('another one', all (second(:99) == 1100))
  call check ('its last element', second(100) == 1105)

  ! Not on the device before.
  do k = 1, 3
    call add (first(1:100:1), -1, 2)
    !$acc wait(2)
  end do
  call check ('an array that is not present', first(1) == 48 .and. first(100) == 147)

  parts = 0
  call add_part (parts)
  call check ('a part with bounds of its own', all (parts == [0, 0, 0, 0, 0, 0, 100, 100, 100, 100, 100]))
  !$acc enter data copyin(parts)
  call add_part (parts)
  call add_part (parts)
  !$acc exit data copyout(parts)
  call check ('the same, present', all (parts == [0, 0, 0, 0, 0, 0, 300, 300, 300, 300, 300]))

  grid = 1
  other = 2
  total = 0
  !$acc data copyin(grid, other) copy(total)
  call sum_up (grid, other, total)
  call sum_up (total, total, grid)
  call sum_up (grid, other, total)
  !$acc end data
  call check ('several, some twice', all (total == 8))

  call within (second)
  call check ('in a data region of the procedure', second(1) == 1106 .and. second(100) == 1111)

  call perhaps (second)
  call perhaps (second(:10), first)
  call check ('an argument that is absent', second(11) == -1106)
  call check ('and present', second(1) == -1106 + 48)

  allocate (allocated(100), scalar, pointer(100))
  allocated = 30
  scalar = 12
  pointer = 40
  do k = 1, 2
    call absent (first(k:), i)
    call check ('no_create of an array that is absent', i == first(k))
    call absent_allocatables (allocated, scalar, i)
    call check ('of an allocatable one, and of a scalar', i == 42)
    call absent_pointer (pointer, i)
    call check ('of a pointer', i == 40)
  end do

  call enter (pointer)
  do k = 1, 4
    other_pointer => pointer
    call take (other_pointer)
  end do
  call leave (pointer)
  call check ('a pointer that kernels change', pointer(1) == 44)
  do i = 1, 2
    ! Each time elsewhere, with other bounds.
    deallocate (allocated, pointer)
    allocate (allocated(i:i + 9), pointer(-i:8 + i))
    allocated = 0
    pointer = 0
    call enter (allocated)
    call enter (pointer)
    do k = 1, 4
      call raise (allocated, 1)
      call raise_pointer (pointer, -1)
    end do
    !$acc wait
    call raise_within (allocated)
    call leave (allocated)
    call leave (pointer)
    call check ('an allocatable whose descriptor is not on the device', all (allocated == 7 * (10 + i)))
    call check ('a pointer', all (pointer == 4 * (9 + 2 * i - i)))
    !$acc enter data copyin(allocated)
    do k = 1, 4
      call raise (allocated, 1)
    end do
    !$acc wait
    call raise_within (allocated)
    !$acc exit data copyout(allocated)
    call check ('one whose descriptor is', all (allocated == 14 * (10 + i)))
  end do
  call report
end program arrays
