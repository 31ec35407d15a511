! alike: where the procedure is called the array does not lie in one piece, so that it gets a copy
module m
contains
  subroutine step(x, n)
    integer :: n, i
    real(8) :: x(n)
    !$acc parallel loop copy(x)
    do i = 1, n
       x(i) = x(i) * 0.5d0 + i
    end do
  end subroutine
  subroutine run(x, n)
    integer :: n, s
    real(8) :: x(:)
    do s = 1, 20
       call step(x, n)
    end do
  end subroutine
end module
program p
  use m
  implicit none
  real(8) :: a(40000)
  a = 3
  call run(a(1:40000:2), 20000)
  print *, sum(a), a(3), a(4)
end program p
