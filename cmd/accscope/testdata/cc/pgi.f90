! Directives of the PGI Accelerator model 1.3.
program pgi
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
end program
