! Every other element of w is what the host has set.
program p
  implicit none
  integer, parameter :: n = 300
  real(8) :: u(n, n), w(n, n)
  integer :: s, i, j
  u = 1
  w = 3
  do s = 1, 12
     !$acc data copy(u) copyin(w)
     !$acc parallel loop collapse(2)
     do j = 1, n
        do i = 1, n, 2
           w(i, j) = u(i, j) + s
        end do
     end do
     !$acc parallel loop collapse(2)
     do j = 1, n
        do i = 1, n
           u(i, j) = w(i, j) * 0.5d0
        end do
     end do
     !$acc end data
  end do
  print '(es25.17)', sum(u)
end program p
