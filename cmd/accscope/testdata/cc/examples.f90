! The examples of OpenACC 3.3 and 2.0 in Fortran, in other words: 2.4, 2.7.1, 2.9.10, and of 2.12 all forms.
module data
  implicit none
  type grid
    integer :: n = 4
    real, allocatable :: u(:)
  end type
contains
  ! 2.4: clauses behind device_type are a device's, those ahead of all are of the others.
  subroutine device_types
    integer :: a(64), i
!$acc parallel num_gangs(2) &
!$acc device_type(nvidia) num_gangs(4) &
!$acc device_type(host) num_workers(8)
!$acc loop
    do i = 1, 64
      a(i) = i
    end do
!$acc end parallel
    if (any(a /= [(i, i = 1, 64)])) stop 1
!$acc parallel device_type(*) num_gangs(2) &
!$acc device_type(nvidia) num_gangs(4) &
!$acc device_type(host) num_workers(8)
!$acc loop
    do i = 1, 64
      a(i) = 2 * i
    end do
!$acc end parallel
    if (any(a /= [(2 * i, i = 1, 64)])) stop 2
  end subroutine

  ! 2.7.1: a section.
  subroutine sections(low, high)
    integer, intent(in) :: low, high
    integer :: arr(100, 100), i, j
    arr = 1
!$acc data copy(arr(1:high, low:100))
!$acc parallel loop collapse(2)
    do j = low, 100
      do i = 1, high
        arr(i, j) = arr(i, j) + 1
      end do
    end do
!$acc end data
    if (any(arr(:, low:) /= 2) .or. any(arr(:, :low - 1) /= 1)) stop 3
  end subroutine

  ! 2.9.10: a variable that is private to each worker, and to each gang of all dimensions.
  subroutine privates(n)
    integer, intent(in) :: n
    real :: a(n, n, n), b(n, n), c(n, n), tmp, div
    integer :: i, j, k
    a = 1
    div = 2
    do k = 1, n
      b(:, k) = [(j, j = 1, n)]
      c(:, k) = 10 * k
    end do
!$acc parallel
!$acc loop gang
    do k = 1, n
!$acc loop worker private(tmp)
      do j = 1, n
        tmp = b(j, k) + c(j, k)
!$acc loop vector
        do i = 1, n
          a(i, j, k) = a(i, j, k) + tmp / div
        enddo
      enddo
    enddo
!$acc end parallel
!$acc parallel num_gangs(3, 50, 150)
!$acc loop gang(dim:3)
    do k = 1, n
!$acc loop gang(dim:2) private(tmp)
      do j = 1, n
        tmp = b(j, k) + c(j, k)
!$acc loop gang(dim:1)
        do i = 1, n
          a(i, j, k) = a(i, j, k) + tmp / div
        enddo
      enddo
    enddo
!$acc end parallel
    do k = 1, n
      do j = 1, n
        if (any(a(:, j, k) /= 1 + j + 10 * k)) stop 4
      end do
    end do
  end subroutine

  ! 2.12: statements that are atomic.
  subroutine atomics
    integer :: n, v(10), w, most, least, bits, i
    logical :: l, m
    n = 0
    most = 0
    least = 99
    bits = 0
    l = .false.
    m = .true.
!$acc parallel loop copy(n, most, least, bits, l, m) copyout(v)
    do i = 1, 10
!$acc atomic capture if (i > 0)
      n = n + 1
      v(i) = n
!$acc end atomic
!$acc atomic
      most = max(most, i)
!$acc atomic update
      least = min(i, least)
!$acc atomic
      bits = ior(bits, i)
!$acc end atomic
!$acc atomic
      l = l .or. .true.
!$acc atomic
      m = m .eqv. .true.
    end do
    if (n /= 10 .or. sum(v) /= 55 .or. most /= 10 .or. least /= 1 .or. bits /= 15 .or. .not. l .or. .not. m) stop 5
!$acc serial copy(n, bits) copyout(w, v(1:5))
!$acc atomic read
    w = n
!$acc atomic write
    n = 5
!$acc end atomic
!$acc atomic capture
    v(1) = n
    n = 7
!$acc end atomic
!$acc atomic capture
    v(2) = n
    n = 20 - n
!$acc end atomic
!$acc atomic capture
    n = n / 2
    v(3) = n
!$acc end atomic
!$acc atomic
    bits = iand(bits, 6)
!$acc atomic
    bits = ieor(9, bits)
!$acc end serial
    if (w /= 10 .or. v(1) /= 5 .or. v(2) /= 7 .or. v(3) /= 6 .or. n /= 6 .or. bits /= 15) stop 6
  end subroutine

  ! Components of dummy arguments (2.6.2, 2.7), whose own data the caller has or has not on the device.
  subroutine fill(this, x)
    type(grid), intent(inout) :: this
    real, intent(in) :: x
    integer :: i
!$acc parallel loop copy(this%u)
    do i = 1, this%n
      this%u(i) = x
    end do
!$acc data copy(this%u)
!$acc serial loop present(this%u)
    do i = 1, this%n
      this%u(i) = this%u(i) + 1
    end do
!$acc end data
  end subroutine

  ! Arrays of assumed size in a region that has their bounds.
  subroutine assumed(a, n)
    integer, intent(in) :: n
    real :: a(*)
    integer :: i
!$acc data copy(a(1:n)) default(present)
!$acc parallel loop
    do i = 1, n
      a(i) = a(i) + 1
    end do
!$acc end data
  end subroutine
end module

program examples
  use data
  use openacc
  type(grid) :: g
  real :: a(10) = 1
  if (openacc_version /= 202211) stop 9
  call device_types
  call sections(40, 100)
  call privates(6)
  call atomics
  allocate (g%u(4))
  g%u = 0
  call fill(g, 2.)
  if (any(g%u /= 3)) stop 7
!$acc enter data copyin(g)
!$acc enter data copyin(g%u)
  call fill(g, 3.)
!$acc exit data copyout(g%u)
!$acc exit data delete(g)
  if (any(g%u /= 4)) stop 8
  call assumed(a, 10)
  if (any(a /= 2)) stop 10
end program
