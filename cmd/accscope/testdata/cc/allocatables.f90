! Allocatable variables of declare directives (OpenACC 3.3 2.13.2), do concurrent (2.9) and the
! forms of a directive's lines (2.1).
module fields
  implicit none
  real, allocatable :: field(:), &
    other(:,:)
  integer :: steps(4) = 7
!$acc declare create(field, steps) create(other)
contains
  integer function step(i)
!$acc routine seq
    integer, intent(in) :: i
    step = steps(i)
  end function
  subroutine resize(n)
    integer, intent(in) :: n
    if (allocated(field)) deallocate (field)
    allocate (field(n), &
      other(n, 2))
    field = 1
    other = 2
    !$acc update device(field, other)
  end subroutine
end module

program allocatables
  use fields
  implicit none
  real :: x(4)
  integer :: i, n

  do n = 8, 16, 8
    call resize(n)
    !$acc parallel loop
    do i = 1, n
      field(i) = field(i) + other(i, 2) + i
    end do
    !$acc update self(field)
    call check(39, all(field == [(i + 3, i = 1, n)]))
    deallocate (other)
  end do
  call local(10)
  call local(20)
  do n = 1, 20
    call left(n)
    call left(2 * n + 100)
  end do
  call kept(3)
  call kept(3)
  call concurrent
  call lines
  !$acc serial copyout(x)
  x = step(3)
  !$acc end serial
  call check(49, x(1) == 7)
contains
  subroutine check(line, holds)
    integer, intent(in) :: line
    logical, intent(in) :: holds
    if (.not. holds) then
      print *, "line", line, "does not hold"
      stop 1
    end if
  end subroutine

  subroutine local(n)
    integer, intent(in) :: n
    integer, allocatable :: a(:)
    !$acc declare create(a)
    integer :: i
    if (n > 0) allocate (a(n))
    a = 5
    !$acc update device(a)
    !$acc parallel loop present(a)
    do i = 1, n
      a(i) = a(i) + 1
    end do
    !$acc update self(a)
    call check(73, all(a == 6))
  end subroutine

  ! Left from its middle: what the host allocates next lies where this was.
  subroutine left(n)
    integer, intent(in) :: n
    integer, allocatable :: a(:)
    !$acc declare create(a)
    allocate (a(n))
    a = n
    !$acc update device(a)
    !$acc serial
    a(n) = a(1) + 1
    !$acc end serial
    !$acc update self(a)
    if (a(n) /= n + 1) stop 2
    if (n < 100) return
    if (n > 200) deallocate (a)
  end subroutine
  subroutine kept(n)
    integer, intent(in) :: n
    integer, allocatable, save :: a(:)
    !$acc declare create(a)
    if (.not. allocated(a)) allocate (a(n))
    !$acc serial
    a = n
    !$acc end serial
    !$acc update self(a)
    if (a(n) /= n) stop 3
  end subroutine

  subroutine concurrent
    integer :: a(8, 8), i, j
    real :: t

    a = 0
    !$acc parallel loop copy(a)
    do concurrent (integer :: k = 1:8, l = 1:8)
      a(k, l) = k
    end do
    call check(85, all(a(3, :) == 3))
    !$acc parallel copy(a)
    !$acc loop gang vector private(j)
    do concurrent (i = 1:8, & ! the first
      & j = 1:8, i /= j)
      a(i, j) = i + j
    end do
    !$acc end parallel
    call check(93, a(3, 4) == 7 .and. a(3, 3) == 3)
    !$acc kernels loop copyin(readonly: steps) copyout(x)
    do concurrent (i = 1:4) local(t)
      t = steps(i)
      x(i) = t
    end do
    call check(99, all(x == 7))
  end subroutine

  subroutine lines
    integer :: a(8), b(8), i

    !$acc parallel loop & ! the lists follow
    !$acc copyout(a) &
    !$acc
    !$acc& copyout(b) num_ga&

    !$acc&ngs(2) self(.false.) default(present)
    do i = 1, 8
      a(i) = i
      b(i) = 2
    end do
    !$acc parallel loop num_gangs(4) num_workers(1) vector_length(32) copy(a(1:8)) copyin(b(1:8)) private(i) default(none) async(1) wait(2)
    do i = 1, 8
      a(i) = a(i) + b(i)
    end do
    !$acc wait
    call check(120, all(a == [(i + 2, i = 1, 8)]))
  end subroutine
end program
