! Small kernels, right and wrong, marked as in races.c.
program races
  implicit none
  integer, parameter :: n = 512
  real(8) :: a(n), b(n), total, t
  integer :: key(n), counts(16), i, j
  real(8) :: m(16, 16)
  do i = 1, n
    a(i) = i
    key(i) = mod(i, 16) + 1
  end do
  counts = 0
  total = 0
  !$acc parallel loop copyin(a) copy(total)
  do i = 1, n
    total = total + a(i) ! CHECK race total
  end do
  total = 0
  !$acc parallel loop copyin(a) reduction(+:total)
  do i = 1, n
    total = total + a(i)
  end do
  !$acc parallel loop copyin(a) copyout(b) copy(t)
  do i = 1, n
    t = 2 * a(i)                ! CHECK race t
    b(i) = t                    ! MAYBE race t
  end do
  !$acc parallel loop copyin(a) copyout(b) private(t)
  do i = 1, n
    t = 2 * a(i)
    b(i) = t
  end do
  !$acc parallel loop independent copy(a)
  do i = 2, n
    a(i) = a(i - 1) + 1         ! CHECK race a
  end do
  !$acc parallel loop copyin(key) copy(counts)
  do i = 1, n
    counts(key(i)) = counts(key(i)) + 1 ! CHECK race counts
  end do
  !$acc parallel loop copyin(key) copy(counts)
  do i = 1, n
    !$acc atomic update
    counts(key(i)) = counts(key(i)) + 1
  end do
  !$acc parallel loop collapse(2) copyout(m)
  do j = 1, 16
    do i = 1, 16
      m(i, j) = i + j
    end do
  end do
  !$acc parallel loop gang copy(m)
  do j = 1, 16
    !$acc loop vector
    do i = 1, 16
      m(1, j) = m(1, j) + i     ! CHECK race m
    end do
  end do
  !$acc parallel loop copyin(a) copyout(b(1:n/2))
  do i = 1, n
    b(i) = a(i)                 ! CHECK out-of-bounds b
  end do
  !$acc parallel loop copyout(b) ! CHECK uninitialised b
  do i = 1, n, 2
    b(i) = i
  end do
  print *, total, counts(1), m(1, 1), b(1)
end program races
