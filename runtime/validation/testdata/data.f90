! Data clauses as Fortran has them: explicit-shape, assumed-shape, allocatable and
! pointer arrays, derived types, optional arguments, module variables, common
! blocks, and update of sections (OpenACC 3.3 sections 2.6, 2.7, 2.13, 2.14.4, 2.17.1).
module globals
  implicit none
  integer, parameter :: m = 50
  real :: shared_array(m)
  !$acc declare create(shared_array)
  integer :: coefficients(3) = [10, 20, 30]
  !$acc declare copyin(coefficients)
  integer :: scalar
  !$acc declare create(scalar)
  real, allocatable :: module_allocatable(:)
contains
  subroutine fill_on_device (factor)
    integer, intent (in) :: factor
    integer :: i
    !$acc parallel loop present(shared_array) firstprivate(factor)
    do i = 1, m
      shared_array(i) = factor * i + coefficients(1 + mod (i, 3))
    end do
  end subroutine fill_on_device
end module globals

program data
  use checking
  use globals
  use openacc
  implicit none
  integer, parameter :: n = 60
  integer :: k
  real :: matrix(6, 10)

  matrix = reshape ([(real (k), k = 1, n)], [6, 10])
  call explicit_shape
  call allocatables
  call pointers
  call sections
  call assumed (matrix)
  call derived_types
  call nested_types
  call optionals
  call module_variables
  call common_blocks
  call strings_and_logicals
  call associate_names
  call lower_bounds
  call host_data_regions
  call lifetimes
  call report

contains

  subroutine explicit_shape
    real :: a(n), b(n), c(n), matrix(4, 5)
    integer :: i, j
    a = [(real (i), i = 1, n)]
    b = -1
    c = 5
    !$acc parallel loop copyin(a) copyout(b) copy(c)
    do i = 1, n
      b(i) = 2 * a(i)
      c(i) = c(i) + 1
      a(i) = 0
    end do
    call check ('copyout', all (b == [(2.0 * i, i = 1, n)]))
    call check ('copy', all (c == 6))
    if (discrete ()) call check ('copyin', all (a == [(real (i), i = 1, n)]))
    !$acc kernels copyout(matrix)
    do j = 1, 5
      do i = 1, 4
        matrix(i, j) = 10 * i + j
      end do
    end do
    !$acc end kernels
    call check ('kernels', all (matrix == reshape ([((10.0 * i + j, i = 1, 4), j = 1, 5)], [4, 5])))
    !$acc kernels copy(matrix)
    matrix = matrix + 1
    matrix(:, 2) = 0
    !$acc end kernels
    call check ('array syntax', all (matrix(:, 2) == 0) .and. matrix(4, 5) == 46)
    !$acc serial copy(a)
    a(1) = 9
    a(2:3) = a(1)
    !$acc end serial
    call check ('serial', all (a(1:3) == 9))
    !$acc parallel default(none) copy(a)
    a(1) = 11
    !$acc end parallel
    call check ('default(none)', a(1) == 11)
  end subroutine explicit_shape

  subroutine allocatables
    real, allocatable :: a(:), b(:, :), unallocated(:)
    integer, allocatable :: number
    integer :: i, j
    allocate (a(n), b(0:3, -2:2), number)
    a = 1
    number = 4
    !$acc data copy(a) create(b) copyin(number)
    !$acc parallel loop present(a)
    do i = 1, n
      a(i) = a(i) + i * number
    end do
    !$acc parallel loop collapse(2) present(b)
    do j = -2, 2
      do i = 0, 3
        b(i, j) = i * j
      end do
    end do
    !$acc update self(b)
    !$acc end data
    call check ('allocatable', all (a == [(1.0 + 4 * i, i = 1, n)]))
    call check ('bounds', all (b == reshape ([((real (i * j), i = 0, 3), j = -2, 2)], [4, 5])))
    !$acc enter data copyin(a)
    call check ('present', acc_is_present (a))
    !$acc parallel loop
    do i = 1, size (a)
      a(i) = i
    end do
    !$acc exit data copyout(a)
    call check ('enter, exit data', all (a == [(real (i), i = 1, n)]))
    deallocate (a)
    allocate (a(2 * n))
    a = 3
    !$acc parallel loop copy(a)
    do i = 1, 2 * n
      a(i) = a(i) * 2
    end do
    call check ('allocated again', all (a == 6))
    !$acc data copyin(unallocated)
    !$acc end data
    call check ('not allocated', .not. allocated (unallocated))
  end subroutine allocatables

  subroutine pointers
    real, target :: target_array(n)
    real, pointer :: p(:), q(:), none(:)
    integer :: i
    target_array = 1
    p => target_array(11:20)
    allocate (q(n))
    nullify (none)
    q = 2
    !$acc parallel loop copy(p)
    do i = 1, 10
      p(i) = i
    end do
    call check ('pointer to a section', all (target_array(11:20) == [(real (i), i = 1, 10)]) &
         .and. target_array(10) == 1 .and. target_array(21) == 1)
    !$acc enter data copyin(q)
    !$acc parallel loop present(q)
    do i = 1, n
      q(i) = q(i) + i
    end do
    !$acc update self(q)
    call check ('pointer', all (q == [(2.0 + i, i = 1, n)]))
    !$acc exit data delete(q)
    !$acc data copy(none)
    !$acc end data
    call check ('null pointer', .not. associated (none))
    deallocate (q)
  end subroutine pointers

  subroutine sections
    real :: a(n), b(8, 9)
    integer :: i, j
    a = 0
    b = 0
    !$acc parallel loop copy(a(11:20))
    do i = 11, 20
      a(i) = i
    end do
    call check ('section', all (a(11:20) == [(real (i), i = 11, 20)]) .and. all (a(:10) == 0))
    !$acc data copyin(a, b)
    !$acc parallel loop present(a)
    do i = 1, n
      a(i) = -i
    end do
    !$acc update self(a(1:5))
    call check ('update of a section', all (a(1:5) == [(-real (i), i = 1, 5)]))
    if (discrete ()) call check ('nothing else', a(6) == 0)
    !$acc parallel loop collapse(2) present(b)
    do j = 1, 9
      do i = 1, 8
        b(i, j) = 10 * i + j
      end do
    end do
    !$acc update self(b(:, 3:4))
    call check ('columns', all (b(:, 3) == [(10.0 * i + 3, i = 1, 8)]))
    if (discrete ()) call check ('no other columns', all (b(:, 5:) == 0) .and. all (b(:, :2) == 0))
    a(7:8) = 100
    !$acc update device(a(7:8))
    !$acc parallel loop present(a)
    do i = 1, n
      a(i) = a(i) + 1
    end do
    !$acc update self(a)
    !$acc end data
    call check ('update device of a section', all (a(7:8) == 101) .and. a(9) == -8)
    !$acc parallel loop copy(b(:, 2:3)) private(i)
    do j = 2, 3
      do i = 1, 8
        b(i, j) = -1
      end do
    end do
    call check ('copy of columns', all (b(:, 2:3) == -1) .and. b(1, 4) == 14)
  end subroutine sections

  subroutine assumed (a)
    real :: a(:, :)
    integer :: i, j
    !$acc parallel loop collapse(2) copy(a)
    do j = 1, size (a, 2)
      do i = 1, size (a, 1)
        a(i, j) = -a(i, j)
      end do
    end do
    call check ('assumed shape', all (a == reshape ([(-real (i), i = 1, n)], [6, 10])))
    call assumed_size (a, n)
    call check ('assumed size', all (a == reshape ([(-2 * real (i), i = 1, n)], [6, 10])))
    call automatic (n / 2)
  end subroutine assumed

  subroutine assumed_size (a, length)
    integer, intent (in) :: length
    real :: a(*)
    integer :: i
    !$acc parallel loop copy(a(1:length))
    do i = 1, length
      a(i) = 2 * a(i)
    end do
  end subroutine assumed_size

  subroutine automatic (length)
    integer, intent (in) :: length
    integer :: local(length), i
    !$acc parallel loop copyout(local)
    do i = 1, length
      local(i) = i
    end do
    call check ('automatic', sum (local) == length * (length + 1) / 2)
    !$acc data create(local)
    !$acc parallel loop present(local)
    do i = 1, length
      local(i) = 2
    end do
    !$acc update self(local)
    !$acc end data
    call check ('automatic, data', all (local == 2))
  end subroutine automatic

  subroutine derived_types
    type field
      integer :: length
      real :: constants(4)
      real, allocatable :: x(:)
      real, pointer :: y(:)
    end type field
    type (field) :: f
    integer :: i
    f%length = n
    f%constants = [1, 2, 3, 4]
    allocate (f%x(n), f%y(n))
    f%x = 1
    f%y = 2
    !$acc enter data copyin(f)
    !$acc enter data copyin(f%x, f%y)
    !$acc parallel loop present(f)
    do i = 1, n
      f%x(i) = f%x(i) + f%y(i) * f%constants(1 + mod (i, 4))
      f%y(i) = i
    end do
    !$acc update self(f%x)
    call check ('component', all (f%x == [(1.0 + 2 * (1 + mod (i, 4)), i = 1, n)]))
    if (discrete ()) call check ('the other component', all (f%y == 2))
    f%x(3) = 77
    !$acc update device(f%x(3:3))
    !$acc parallel present(f)
    f%x(3) = f%x(3) + 1
    !$acc end parallel
    !$acc exit data copyout(f%x, f%y)
    !$acc exit data delete(f)
    call check ('copyout of components', f%x(3) == 78 .and. all (f%y == [(real (i), i = 1, n)]))
    !$acc data copy(f%constants)
    !$acc parallel present(f%constants)
    f%constants(2) = 20
    !$acc end parallel
    !$acc end data
    call check ('an array component alone', f%constants(2) == 20)
    !$acc parallel loop copy(f%x)
    do i = 1, n
      f%x(i) = 5
    end do
    call check ('a component on a compute construct', all (f%x == 5))
    deallocate (f%y)
  end subroutine derived_types

  subroutine nested_types
    type inner
      real, allocatable :: v(:)
    end type inner
    type outer
      type (inner) :: part
      integer :: tag
    end type outer
    type (outer) :: o
    type (inner), allocatable :: list(:)
    integer :: i, j
    allocate (o%part%v(n))
    o%part%v = 1
    o%tag = 3
    !$acc enter data copyin(o)
    !$acc enter data copyin(o%part%v)
    !$acc parallel loop present(o)
    do i = 1, n
      o%part%v(i) = o%part%v(i) * o%tag + i
    end do
    !$acc exit data copyout(o%part%v)
    !$acc exit data delete(o)
    call check ('nested component', all (o%part%v == [(3.0 + i, i = 1, n)]))
    allocate (list(4))
    do j = 1, 4
      allocate (list(j)%v(j))
      list(j)%v = 0
    end do
    !$acc enter data copyin(list)
    do j = 1, 4
      !$acc enter data copyin(list(j)%v)
    end do
    !$acc parallel loop present(list)
    do j = 1, 4
      do i = 1, j
        list(j)%v(i) = 10 * j + i
      end do
    end do
    do j = 1, 4
      !$acc exit data copyout(list(j)%v)
    end do
    !$acc exit data delete(list)
    do j = 1, 4
      call check ('array of derived types', all (list(j)%v == [(10.0 * j + i, i = 1, j)]))
    end do
  end subroutine nested_types

  subroutine optionals
    real :: a(n), s
    a = 1
    s = 2
    call with_optional (a, s)
    call check ('optional, given', all (a == 3) .and. s == 4)
    call with_optional ()
    call with_optional (y = s)
    call check ('optional, one given', s == 6)
  end subroutine optionals

  subroutine with_optional (x, y)
    real, optional :: x(:), y
    integer :: i
    !$acc data copy(x, y)
    !$acc parallel present_or_copy(y) copy(x)
    if (present (x)) then
      do i = 1, size (x)
        x(i) = x(i) + 2
      end do
    end if
    if (present (y)) y = y + 2
    !$acc end parallel
    !$acc end data
  end subroutine with_optional

  subroutine module_variables
    integer :: i, got
    call fill_on_device (2)
    !$acc update self(shared_array)
    call check ('module array', all (shared_array == [(2.0 * i + 10 * (1 + mod (i, 3)), i = 1, m)]))
    scalar = 8
    !$acc update device(scalar)
    got = 0
    !$acc parallel copy(got)
    got = scalar
    !$acc end parallel
    call check ('module scalar', got == 8)
    allocate (module_allocatable(m))
    module_allocatable = 1
    !$acc enter data copyin(module_allocatable)
    !$acc parallel loop present(module_allocatable)
    do i = 1, m
      module_allocatable(i) = i
    end do
    !$acc exit data copyout(module_allocatable)
    call check ('module allocatable', all (module_allocatable == [(real (i), i = 1, m)]))
    deallocate (module_allocatable)
  end subroutine module_variables

  subroutine common_blocks
    real :: u(20), v(20)
    common /block/ u, v
    integer :: i
    u = 1
    v = 2
    !$acc data copy(/block/)
    !$acc parallel loop present(u, v)
    do i = 1, 20
      u(i) = u(i) + v(i)
    end do
    !$acc end data
    call check ('common block', all (u == 3) .and. all (v == 2))
  end subroutine common_blocks

  subroutine strings_and_logicals
    character (len=8) :: text
    logical :: flags(n)
    complex :: z(n)
    integer (1) :: bytes(n)
    real (8) :: wide
    integer :: i
    text = 'before'
    flags = .false.
    z = (1, 2)
    bytes = 1_1
    wide = 1
    !$acc parallel copy(text, flags, z, bytes, wide)
    text = 'after'
    wide = wide / 4
    !$acc loop
    do i = 1, n
      flags(i) = mod (i, 2) == 0
      z(i) = conjg (z(i)) * i
      bytes(i) = int (i, 1)
    end do
    !$acc end parallel
    call check ('character', text == 'after')
    call check ('logical', count (flags) == n / 2)
    call check ('complex', all (z == [(cmplx (i, -2 * i), i = 1, n)]))
    call check ('small and wide', bytes(n) == n .and. wide == 0.25)
  end subroutine strings_and_logicals

  subroutine associate_names
    real :: a(n)
    integer :: i
    a = 0
    associate (alias => a)
      !$acc parallel loop copy(alias)
      do i = 1, n
        alias(i) = i
      end do
    end associate
    call check ('associate', all (a == [(real (i), i = 1, n)]))
    block
      real :: inside(n)
      !$acc parallel loop copyin(a) copyout(inside)
      do i = 1, n
        inside(i) = a(i)
      end do
      call check ('block', all (inside == a))
    end block
  end subroutine associate_names

  subroutine lower_bounds
    integer, parameter :: low = -5, high = 5
    integer :: a(low:high), i
    integer, allocatable :: b(:)
    allocate (b(low:high))
    b = 0
    !$acc parallel loop copyout(a) copy(b)
    do i = low, high
      a(i) = i
      b(i) = b(i) - i
    end do
    call check ('lower bounds', all (a == -b) .and. a(low) == low)
    !$acc parallel loop copy(a(-2:2))
    do i = -2, 2
      a(i) = 100
    end do
    call check ('section from a negative bound', all (a(-2:2) == 100) .and. a(3) == 3)
  end subroutine lower_bounds

  subroutine host_data_regions
    use, intrinsic :: iso_c_binding
    real, target :: a(n)
    type (c_ptr) :: on_host, on_device
    a = 1
    on_host = c_loc (a)
    !$acc data copyin(a)
    !$acc host_data use_device(a)
    on_device = c_loc (a)
    !$acc end host_data
    call check ('use_device', c_associated (on_device, acc_deviceptr (a)))
    if (discrete ()) call check ('another address', .not. c_associated (on_host, on_device))
    !$acc end data
    !$acc host_data use_device(a) if_present
    on_device = c_loc (a)
    !$acc end host_data
    call check ('if_present', c_associated (on_host, on_device))
  end subroutine host_data_regions

  subroutine lifetimes
    real, allocatable :: a(:)
    integer :: i
    allocate (a(n))
    a = 0
    !$acc enter data create(a)
    !$acc enter data create(a)
    !$acc parallel loop present(a)
    do i = 1, n
      a(i) = i
    end do
    !$acc exit data delete(a)
    call check ('still present', acc_is_present (a))
    !$acc exit data copyout(a) finalize
    if (discrete ()) call check ('gone', .not. acc_is_present (a))
    call check ('finalize', all (a == [(real (i), i = 1, n)]))
    !$acc data create(a) if(n < 0)
    if (discrete ()) call check ('data if', .not. acc_is_present (a))
    !$acc end data
    !$acc update self(a) if_present
    !$acc data no_create(a)
    if (discrete ()) call check ('no_create', .not. acc_is_present (a))
    !$acc end data
  end subroutine lifetimes
end program data
