! alike: a namelist writes the data where they are not named
program p
  implicit none
  integer, parameter :: n = 2000
  real(8) :: a(n), b(n)
  integer :: s, i
  namelist /state/ a
  a = 1
  b = 0
  do s = 1, 20
     !$acc parallel loop copyin(a) copyout(b)
     do i = 1, n
        b(i) = a(n + 1 - i) * 0.5d0
     end do
     !$acc parallel loop copyin(b) copy(a)
     do i = 1, n
        a(i) = b(i) * 0.5d0 + a(i) * 0.25d0
     end do
     if (s == 3) write (*, nml=state)
  end do
  print *, a(3), b(4)
end program p
