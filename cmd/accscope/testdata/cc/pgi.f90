! Directives of the PGI Accelerator model 1.3.
module mirrored
  implicit none
  real, allocatable :: v(:)
!$acc mirror(v)
contains
  subroutine increment(a, n)
    integer :: n, i
    real :: a(n)
!$acc reflected(a)
!$acc region do parallel, &
!$acc vector(32)
    do i = 1, n
      a(i) = a(i) + 1
    end do
  end subroutine
end module

program pgi
  use mirrored
  implicit none
  integer :: a(64), b(64), i, n

  n = 64
  a = [(i, i = 1, n)]
  b = 0
!$acc data region copyin(a(1:n)) local(b)
!$acc region do parallel, vector(32)
  do i = 1, n
    b(i) = a(i)
  end do
!$acc region updatein(a(2:3)) update host(b) if (n > 1)
!$acc do seq
  do i = 1, n
    b(i) = b(i) + a(i)
  end do
!$acc end region
  if (b(5) /= 10 .or. b(64) /= 128) stop 1
!$acc end data region
  allocate (v(n))
  v = 1
!$acc update device(v)
  call increment(v, n)
!$acc region
  do i = 1, n
    v(i) = v(i) + 1
  end do
!$acc end region
!$acc update host(v)
  if (any(v /= 3)) stop 2
  deallocate (v)
end program
