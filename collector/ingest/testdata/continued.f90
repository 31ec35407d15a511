! Directives that go on in further lines, where GCC notes the last one.
program continued
  implicit none
  integer :: i
  real :: a(100), b(100)
  a = 1
  !$acc data copy(a) &
  !$acc   create(b)
  !$acc parallel loop &
  !$acc   present(a) &
  ! which has no end of its own
  !$acc   present(b)
  do i = 1, 100
    b(i) = a(i)
  end do
  !$acc kernels &
  !$acc & present(a)
  a = a + 1
  !$acc end kernels
  !$acc update &
  !$acc   self(a)
  !$acc end data
end program
