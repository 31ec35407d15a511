! Each case runs into one error about data of its own.
module arrays
  implicit none
  real(8), allocatable, save :: declared(:)
  !$acc declare create(declared)
  real :: fixed(-1:8, 3)
  type chunk
    real(8), allocatable :: density(:, :)
  end type
contains
  subroutine bigger (n, m, r)
    integer, intent(in) :: n, m
    real(8), intent(inout) :: r(n, m)
    integer :: i, j
    !$acc parallel loop collapse(2) copyin(r)
    do j = 1, m
      do i = 1, n
        if (r(i, j) > 1d30) r(i, j) = 0
      end do
    end do
  end subroutine
  subroutine shape (x)
    real(8), intent(inout) :: x(0:)
    integer :: i
    !$acc parallel loop present(x)
    do i = 0, size (x) - 1
      x(i) = i
    end do
  end subroutine
  subroutine size_star (n, x)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(*)
    !$acc data present(x(1:n))
    x(1) = 1
    !$acc end data
  end subroutine
  ! The branches may share one call.
  subroutine in_turn (n, which)
    integer, intent(in) :: n, which
    real(8), allocatable :: first(:)
    type(chunk) :: c
    allocate (first(n), c%density(n, 2))
    first = 1; c%density = 1
    if (which == 0) then
      !$acc update self(fixed)
    else if (which == 1) then
      !$acc update self(c%density)
    else if (which == 2) then
      !$acc update self(first)
    end if
    print *, first(1), c%density(1, 1), fixed(1, 1)
  end subroutine
end module

program told
  use arrays
  use openacc
  implicit none
  character(32) :: name
  real(8), allocatable :: a(:), b(:, :)
  type(chunk) :: c
  integer :: i, n
  call get_command_argument (1, name)
  n = len_trim (name) * 0 + 1000
  allocate (a(n), b(0:19, 30))
  a = 1; b = 2
  select case (name)
  case ('never')
    !$acc parallel loop present(a)
    do i = 1, n
      a(i) = i
    end do
  case ('shorter')
    !$acc enter data copyin(a(1:500))
    !$acc update self(a)
  case ('section')
    !$acc enter data copyin(a(1:500))
    !$acc update device(a(401:600))
  case ('columns')
    !$acc enter data copyin(b(:, 1:10))
    !$acc parallel loop present(b)
    do i = 1, 30
      b(0, i) = i
    end do
  case ('fixed')
    !$acc enter data create(fixed(:, 1))
    !$acc data present(fixed)
    fixed(1, 1) = 1
    !$acc end data
  case ('bigger')
    !$acc enter data copyin(b(0:0, 1:1))
    call bigger (20, 30, b)
  case ('shape')
    call shape (a(11:20))
  case ('size_star')
    call size_star (n, a)
  case ('component')
    allocate (c%density(10, 10))
    !$acc enter data copyin(c)
    !$acc update self(c%density)
  case ('declared')
    allocate (declared(n))
    !$acc update device(declared)
  case ('declared_present')
    allocate (declared(n))
    !$acc parallel loop present(declared)
    do i = 1, n
      declared(i) = i
    end do
  case ('used')
    !$acc host_data use_device(fixed)
    i = 1
    !$acc end host_data
  case ('ended')
    !$acc enter data copyin(a)
    !$acc exit data delete(a)
    !$acc update self(a)
  case ('reallocated')
    !$acc enter data copyin(a)
    deallocate (a)
    allocate (a(4 * n))
    !$acc serial present(a)
    a(1) = 1
    !$acc end serial
  case ('routine')
    call acc_update_self (a)
    i = 2
  case ('routine_shorter')
    call acc_copyin (a(1:500))
    call acc_copyout (a)
    i = 2
  case ('fixed_in_turn')
    call in_turn(n, n - 1000)
  case ('array_in_turn')
    call in_turn(n, n - 999)
  end select
  print *, 'no error'
end program
