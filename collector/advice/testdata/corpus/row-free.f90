! planted: synchronous-construct
program rows
  implicit none
  integer, parameter :: n = 20000
  real(8) :: a(n), b(n)
  integer :: i, k
  a = 1
  b = 2
  !$acc data copy(a, b)
  do k = 1, 40
     !$acc parallel loop present(a, b)
     do i = 1, n
        b(i) = a(i) + 1
     end do
     !$acc parallel loop present(a, b)
     do i = 1, n
        a(n + 1 - i) = b(n + 1 - i) * 0.5d0
     end do
  end do
  !$acc end data
  print '(2es24.16)', a(1), b(n)
end program rows
