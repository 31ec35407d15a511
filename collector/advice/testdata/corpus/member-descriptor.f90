! alike: the descriptor of g%u goes to the device by itself, and no kernel asks for it; its data come back
! by the same directive.
program main
  implicit none
  integer, parameter :: n = 200
  type grid
     real(8), allocatable :: u(:, :)
  end type
  type(grid) :: g
  integer :: s
  allocate (g%u(n, n))
  g%u = 1
  !$acc data copyin(g)
  !$acc enter data copyin(g%u)
  do s = 1, 5
     call grow(g%u)
  end do
  !$acc exit data copyout(g%u)
  !$acc end data
  print *, g%u(3, 4)
contains
  subroutine grow(a)
    real(8), intent(inout) :: a(:, :)
    integer :: i, j
    !$acc parallel loop collapse(2) present(a)
    do j = 1, n
       do i = 1, n
          a(i, j) = a(i, j) + 1
       end do
    end do
  end subroutine
end program
