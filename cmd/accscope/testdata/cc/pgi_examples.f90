! What PGI Accelerator 1.3 says of Fortran, in other words: 2.4.1's schedules, 2.6's declarations, 2.7's directives.
module arrays
  implicit none
  real, allocatable :: w(:)
!$acc mirror(w)
contains
  subroutine raised(a, n)
    integer :: n
    real :: a(n)
!$acc reflected(a)
!$acc region
    a = a + 1
!$acc end region
  end subroutine
  subroutine doubled(p, n)
    integer :: n, i
    real :: p(n)
!$acc device present(p)
!$acc region
    do i = 1, n
      p(i) = 2 * p(i)
    end do
!$acc end region
  end subroutine
end module

program pgi
  use arrays
  implicit none
  integer, parameter :: n = 64
  real :: a(n), b(n), c(n, n), t, own(n)
  integer :: i, j, h = 0
!$acc local(own)
  a = [(i, i = 1, n)]
!$acc region copyin(a(1:n)), copyout(b(1:n))
!$acc do host(16), parallel
  do i = 1, n
    b(i) = a(i) + 1
  end do
!$acc end region
  if (any(b /= a + 1)) stop 1
!$acc region do parallel, vector(32), private(t)
  do i = 1, n
    t = a(i)
    b(i) = 2 * t
  end do
  if (any(b /= 2 * a)) stop 2
!$acc data region copy(a) local(b)
!$acc region
!$acc do vector
  do i = 1, n
    b(i) = a(i)
    own(i) = b(i)
  end do
!$acc do parallel
  do j = 1, n
!$acc do vector(16) kernel
    do i = 1, n
      c(i, j) = own(i) + a(j)
    end do
  end do
!$acc end region
  call raised(a, n)
  call doubled(a, n)
!$acc update host(a(1:n)) async(h)
!$acc wait(h)
  if (a(1) /= 4) stop 3
!$acc end data region
  if (a(64) /= 130 .or. c(3, 4) /= 7) stop 4
  allocate (w(8))
!$acc region
  w = 3
!$acc end region
!$acc update host(w)
  if (any(w /= 3)) stop 5
  deallocate (w)
end program
