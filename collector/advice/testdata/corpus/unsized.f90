! alike: where the procedure is called the arrays have no known size
module m
contains
  subroutine step(x, y, n)
    integer :: n, i
    real(8) :: x(n), y(n)
    !$acc parallel loop copyin(x) copyout(y)
    do i = 1, n
       y(i) = x(i) * 2 + 1
    end do
  end subroutine
  subroutine run(x, y, n)
    integer :: n, s
    real(8) :: x(*), y(*)
    do s = 1, 20
       call step(x, y, n)
    end do
  end subroutine
end module
program p
  use m
  implicit none
  real(8) :: a(20000), b(20000)
  a = 3
  b = 0
  call run(a, b, 20000)
  print *, a(3), b(4)
end program p
