module declared
contains
  subroutine scale(a)
    real, intent(inout) :: a(100)
    real :: factor(100)
    !$acc declare create(factor) &
    !$acc copyin(a)
    !$acc data copy(a)
    !$acc serial
    factor = 2
    a = a * factor
    !$acc end serial
    !$acc end data
  end subroutine
end module

program main
  use declared
  real :: a(100)
  a = 1
  call scale(a)
end program
