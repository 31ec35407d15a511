! planted: mapped-in-loop
program heat
  implicit none
  integer, parameter :: n = 100000
  real(8), allocatable :: field(:), next(:)
  integer :: step, i
  allocate (field(n), next(n))
  field = 1
  next = 0
  steps: do step = 1, 25
     !$acc parallel loop copyin(field) &
     !$acc   copyout(next)
     do i = 1, n
        next(i) = field(i) * 0.5d0 + i
     end do
     !$acc parallel loop copyin(next) copy(field)
     do i = 1, n
        field(i) = field(i) + next(i)
     end do
  end do steps
  print '(2es24.16)', sum(field), sum(next)
end program heat
