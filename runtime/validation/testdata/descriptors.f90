! Array descriptors that serve a kernel alone: those of pointers whose data are present,
! and of arrays that a construct itself maps (OpenACC 3.3 sections 2.6.1, 2.7.6).  What a
! launch gets is what the descriptor says at its call.
program descriptors
  use checking
  use openacc
  implicit none
  real, allocatable, target :: a(:), b(:)
  real, allocatable, target :: matrix(:, :)

  allocate (a(60), b(60), matrix(6, 10))
  a = 0.0
  b = 0.0
  matrix = 0.0
  !$acc enter data copyin(a, b, matrix)
  call moving
  call bounds
  call ranks
  call asynchronous
  call two
  call of_dummies (a, b)
  call allocated
  call again
  call report

contains

  ! A pointer that leads elsewhere from launch to launch, and comes back.
  subroutine moving
    real, pointer :: p(:)
    integer :: i, launch

    do launch = 1, 12
      if (mod (launch, 6) < 4) then
        p => a(1:20)
      else if (mod (launch, 6) == 4) then
        p => a(21:40)
      else
        p => b
      end if
      !$acc parallel loop present(p)
      do i = 1, size (p)
        p(i) = p(i) + 1.0
      end do
    end do
    !$acc update self(a, b)
    call check ('the first part', all (nint (a(1:20)) == 8))
    call check ('the second part', all (nint (a(21:40)) == 2) .and. all (nint (a(41:60)) == 0))
    call check ('the other array', all (nint (b) == 2))
  end subroutine moving

  ! The same data by other bounds: nothing but the descriptor tells.
  subroutine bounds
    real, pointer :: p(:)
    integer :: i, launch, low, high

    do launch = 1, 8
      p(launch:) => b(1:10)
      low = 0
      high = 0
      !$acc parallel present(p) copyout(low, high)
      low = lbound (p, 1)
      high = ubound (p, 1)
      p(high) = real (low)
      !$acc end parallel
      call check ('bounds in a kernel', low == launch .and. high == launch + 9)
    end do
    do launch = 1, 12
      low = merge (3, 6, launch < 12)
      p(low:) => b(1:10)
      !$acc parallel loop present(p)
      do i = low, low + 9
        p(i) = real (i)
      end do
    end do
    !$acc update self(b)
    call check ('what was written by them', all (nint (b(1:10)) == [(i, i = 6, 15)]))
  end subroutine bounds

  subroutine ranks
    real, pointer :: p(:, :)
    integer :: i, j, launch

    do launch = 1, 6
      p => matrix(:, launch:launch + 3)
      !$acc parallel loop collapse(2) present(p)
      do j = 1, 4
        do i = 1, 6
          p(i, j) = p(i, j) + 1.0
        end do
      end do
    end do
    !$acc update self(matrix)
    call check ('columns', all (nint (matrix(1, :)) == [1, 2, 3, 4, 4, 4, 3, 2, 1, 0]))
    call check ('rows', all (nint (sum (matrix, 1)) == 6 * nint (matrix(1, :))))
  end subroutine ranks

  ! The host goes on as soon as the call returns.
  subroutine asynchronous
    real, pointer :: p(:)
    integer :: i, launch

    !$acc parallel loop present(a, b)
    do i = 1, 60
      a(i) = 0.0
      b(i) = 0.0
    end do
    do launch = 1, 20
      if (mod (launch, 2) == 0) then
        p => a
      else
        p => b(1:30)
      end if
      !$acc parallel loop present(p) async(1)
      do i = 1, size (p)
        p(i) = p(i) + 1.0
      end do
      nullify (p)
    end do
    !$acc update self(a, b) async(1)
    !$acc wait(1)
    call check ('every second launch', all (nint (a) == 10))
    call check ('and the others', all (nint (b) == merge (10, 0, [(i <= 30, i = 1, 60)])))
  end subroutine asynchronous

  subroutine two
    real, pointer :: p(:), q(:)
    integer :: i, launch

    p => a
    q => a
    do launch = 1, 4
      !$acc parallel loop present(p, q)
      do i = 1, 60
        p(i) = q(i) + real (launch)
      end do
      if (launch == 2) q => b
    end do
    !$acc update self(a)
    call check ('two pointers to an array, then to two', all (nint (a) == merge (14, 4, [(i <= 30, i = 1, 60)])))
  end subroutine two

  ! Dummies have a pointer to the caller's descriptor.
  subroutine of_dummies (x, y)
    real, allocatable, target, intent (inout) :: x(:), y(:)
    real, pointer :: p(:)
    integer :: i, launch

    do launch = 1, 4
      !$acc parallel loop present(x, y)
      do i = 1, 60
        x(i) = real (launch)
        y(i) = 0.0
      end do
    end do
    do launch = 1, 6
      if (mod (launch, 2) == 0) then
        p => x
      else
        p => y
      end if
      call add_one (p)
    end do
    !$acc update self(x, y)
    call check ('a dummy that is a pointer', all (nint (x) == 7) .and. all (nint (y) == 3))
  end subroutine of_dummies

  subroutine add_one (p)
    real, pointer :: p(:)
    integer :: i

    !$acc parallel loop present(p)
    do i = 1, size (p)
      p(i) = p(i) + 1.0
    end do
  end subroutine add_one

  ! Arrays that each construct maps with their descriptors, and their bounds with them.
  subroutine allocated
    real, allocatable :: x(:)
    integer :: i, launch, low

    do launch = 1, 6
      allocate (x(launch:2 * launch))
      x = 1.0
      low = -1
      !$acc parallel copy(x) copyout(low)
      low = lbound (x, 1)
      !$acc loop
      do i = lbound (x, 1), ubound (x, 1)
        x(i) = x(i) + real (i)
      end do
      !$acc end parallel
      call check ('bounds of what is mapped', low == launch)
      call check ('what is mapped', all (nint (x) == [(i + 1, i = launch, 2 * launch)]))
      deallocate (x)
    end do
  end subroutine allocated

  ! What is entered has its descriptor on the device; entered again it is the new one.
  subroutine again
    real, allocatable :: x(:)
    integer :: i, round, launch

    do round = 1, 3
      allocate (x(round:round + 9))
      x = 0.0
      !$acc enter data copyin(x)
      do launch = 1, 5
        !$acc parallel loop present(x)
        do i = lbound (x, 1), ubound (x, 1)
          x(i) = x(i) + real (i)
        end do
      end do
      !$acc exit data copyout(x)
      call check ('an array that is entered again', all (nint (x) == [(5 * i, i = round, round + 9)]))
      deallocate (x)
    end do
  end subroutine again
end program descriptors
