! A heat equation on a plate, in a module with allocatable arrays: unstructured
! data lifetimes, kernels and parallel constructs, and module procedures.
!
!   gfortran -fopenacc -O2 -g stencil.f90 -o stencil && accscope run -- ./stencil
module plate
  implicit none
  real(8), allocatable :: temperature(:,:), updated(:,:)
contains
  subroutine setup(n)
    integer, intent(in) :: n
    allocate(temperature(n, n), updated(n, n))
    temperature = 0d0
    temperature(:, 1) = 100d0
    updated = temperature
    !$acc enter data copyin(temperature, updated)
  end subroutine setup

  subroutine step(n, residual)
    integer, intent(in) :: n
    real(8), intent(out) :: residual
    integer :: i, j
    residual = 0d0
    !$acc parallel loop collapse(2) present(temperature, updated) reduction(max:residual)
    do j = 2, n - 1
      do i = 2, n - 1
        updated(i, j) = 0.25d0 * (temperature(i-1, j) + temperature(i+1, j) &
                                + temperature(i, j-1) + temperature(i, j+1))
        residual = max(residual, abs(updated(i, j) - temperature(i, j)))
      end do
    end do
    !$acc kernels present(temperature, updated)
    do j = 2, n - 1
      do i = 2, n - 1
        temperature(i, j) = updated(i, j)
      end do
    end do
    !$acc end kernels
  end subroutine step

  subroutine finish()
    !$acc exit data copyout(temperature) delete(updated)
    print '(a, f14.6)', 'total heat ', sum(temperature)
    deallocate(temperature, updated)
  end subroutine finish
end module plate

program stencil
  use plate
  implicit none
  integer, parameter :: n = 128, steps = 200
  integer :: s
  real(8) :: residual
  call setup(n)
  do s = 1, steps
    call step(n, residual)
    if (mod(s, 50) == 0) then
      !$acc update self(temperature)
      print '(a, i5, a, es12.4, a, f10.5)', 'step ', s, '  residual ', residual, &
        '  centre ', temperature(n/2, n/2)
    end if
  end do
  call finish()
  if (.not. residual < 1d0) stop 1
end program stencil
