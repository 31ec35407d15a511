! Directives of OpenACC 3.3 that GCC refuses, in free form.
module checks
  use openacc
  implicit none
  logical :: separate
contains
  subroutine check(line, holds)
    integer, intent(in) :: line
    logical, intent(in) :: holds
    if (.not. holds) then
      print *, "line", line, "does not hold"
      stop 1
    end if
  end subroutine
  integer function on_device(x)
!$acc routine seq
    integer, value :: x
    on_device = x + 100
  end function
  integer function on_host(x)
!$acc routine seq bind(on_device)
    integer, value :: x
    on_host = x + 1
  end function
  subroutine set(x, to)
!$acc routine seq
    integer, intent(out) :: x
    integer, value :: to
    x = to
  end subroutine
end module

program directives
  use checks
  implicit none
  integer :: a(64), b(64), m(8, 8), counts(4), i, j, n, s, q
  real, allocatable :: z(:)

  n = 64
  q = 3
!$acc init
!$acc init device_type(host) if (n > 64)
  !$acc set device_num(0) &
  !$acc& device_type(default)
!$acc set default_async(q) if (n == &
!$acc   64)
  call check(29, acc_get_default_async() == 3)
  separate = acc_get_device_type() /= acc_device_host

  a = [(i, i = 1, n)]
!$ACC ENTER DATA COPYIN(A) ASYNC(1)
!$acc parallel loop present(a) async(2) wait(queues: 1) self(.false.)
  do i = 1, n
    a(i) = 2 * a(i)
  end do
!$acc wait(devnum: 0: queues: 2, 1) if (n == 64)
!$acc wait(queues: 2) async(4)
!$acc exit data copyout(a) async(4)
!$acc wait(devnum: 0) if (n == 64)
  call check(44, all(a == [(2 * i, i = 1, n)]))

  b = 0
!$acc data copyin(a) copy(b) async(3) wait(1) default(present) if (n > 1)
!$acc parallel loop async(3) device_type(host) num_gangs(1) device_type(nvidia) num_gangs(2) vector_length(32)
  do i = 1, n
    b(i) = a(i) + 1
  end do
!$acc end data
  call check(53, all(b == a + 1))
!$acc data default(present)
!$acc serial self copy(a)
  a(1) = 0
!$acc end serial
!$acc end data
  call check(59, a(1) == 0)

  m = 1
!$acc enter data copyin(m)
!$acc parallel num_gangs(2, 2) present(m)
!$acc loop gang(dim: 2)
  do j = 1, 8
!$acc loop gang(dim: 1) vector
    do i = 1, 8
      m(i, j) = 2
    end do
  end do
!$acc end parallel
!$acc update self(m(2:3, 4:5), m(1:8:3, 8)) async(1)
!$acc wait(1)
  if (separate) then
    call check(74, sum(m) == 64 + 4 + 3)
    call check(75, all(m(2:3, 4:5) == 2) .and. all(m([1, 4, 7], 8) == 2))
  end if
!$acc exit data delete(m)

  counts = 0
  s = 0
!$acc parallel loop gang reduction(+: counts) reduction(+: s)
  do 10 i = 1, 100
    counts(mod(i, 4) + 1) = counts(mod(i, 4) + 1) + 1
10  s = s + 1
  call check(86, all(counts == 25) .and. s == 100)

  allocate (z(10))
  z = 7
!$acc data copyout(zero: z)
!$acc parallel loop present(z)
  do i = 1, 5
    z(i) = z(i) + 1
  end do
!$acc end data
  call check(96, z(3) == merge(1.0, 8.0, separate) .and. z(8) == merge(0.0, 7.0, separate))
!$acc enter data create(zero: z(2:4))
!$acc update self(z(2:4))
  call check(99, z(3) == merge(0.0, 8.0, separate))
!$acc exit data delete(z(2:4))

!$acc parallel loop collapse(force: 2) copy(m) copyin(readonly: a) copyin(a)
  do j = 1, 8
    n = j
    do i = 1, 8
      m(i, j) = n + a(2) - a(2)
    end do
  end do
  call check(109, m(8, 7) == 7)
!$acc parallel loop worker(2) vector(32) copy(s)
  do i = 1, 100
!$acc atomic update if (i > 0)
    s = s + 1
  end do
  call check(115, s == 200)
  m = 0
!$acc parallel loop gang
  do concurrent (i = 1:8, j = 1:7:2, i /= 3) local(n)
    n = 10 * i
    m(i, j) = n + j
  end do
  call check(121, m(8, 7) == 87 .and. m(8, 6) == 0 .and. m(3, 1) == 0)
!$acc data copy(a) default(present)
  block
    integer :: k
!$acc parallel loop
    do k = 1, 64
      a(k) = k
    end do
  end block
!$acc serial self copy(s)
  block
    s = 1
  end block
  call check(134, a(64) == 64 .and. s == 1)
!$acc parallel loop copyout(a)
  do i = 1, 64
    call set(a(i), on_host(i))
  end do
  call check(0, a(64) == 164 .and. on_host(64) == 65)
!$acc data create(m) copyin(m(1:2, 1), m(:, 8)) copyout(m)
!$acc parallel loop present(m)
  do i = 1, 8
    m(i, :) = i
  end do
!$acc end data
  call check(0, all(m(8, :) == 8))
!$acc shutdown device_type(default)
!$acc shutdown
end program
