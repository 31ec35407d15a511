! Small kernels, wrong and right by turns, marked as in races.c.
module loops
  implicit none
  integer, parameter :: n = 256, m = 32
  type particle
    real(8) :: x, v
    integer :: cell
  end type
contains
  subroutine maxima(a, most)
    real(8), intent(in) :: a(n)
    real(8), intent(inout) :: most
    integer :: i
    !$acc parallel loop copyin(a) copy(most)
    do i = 1, n
      most = max(most, a(i)) ! CHECK race most
    end do
    !$acc parallel loop copyin(a) copy(most) reduction(max:most)
    do i = 1, n
      most = max(most, a(i))
    end do
  end subroutine

  subroutine stencils(u, w)
    real(8), intent(inout) :: u(m, m), w(m, m)
    integer :: i, j
    !$acc parallel loop collapse(2) copy(u)
    do j = 2, m - 1
      do i = 2, m - 1
        u(i, j) = 0.25d0*(u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1)) ! CHECK race u
      end do
    end do
    !$acc parallel loop collapse(2) copyin(u) copy(w)
    do j = 2, m - 1
      do i = 2, m - 1
        w(i, j) = 0.25d0*(u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1))
      end do
    end do
  end subroutine

  subroutine columns(u)
    real(8), intent(inout) :: u(m, m)
    integer :: i, j
    !$acc parallel loop gang copy(u)
    do j = 2, m
      !$acc loop vector
      do i = 1, m
        u(i, j) = u(i, j - 1) + 1 ! CHECK race u
      end do
    end do
    !$acc parallel loop gang vector copy(u)
    do i = 1, m
      !$acc loop seq
      do j = 2, m
        u(i, j) = u(i, j - 1) + 1
      end do
    end do
  end subroutine

  subroutine work_arrays(u)
    real(8), intent(inout) :: u(m, m)
    real(8) :: t(m)
    integer :: i, j
    t = 0
    !$acc parallel loop gang copy(u) copy(t) private(i)
    do j = 1, m
      do i = 1, m
        t(i) = 2*u(i, j) ! CHECK race t
      end do
      do i = 1, m
        u(i, j) = t(m + 1 - i) ! MAYBE race t
      end do
    end do
    !$acc parallel loop gang copy(u) private(t, i)
    do j = 1, m
      do i = 1, m
        t(i) = 2*u(i, j)
      end do
      do i = 1, m
        u(i, j) = t(m + 1 - i)
      end do
    end do
  end subroutine

  subroutine deposits(p, charge)
    type(particle), intent(inout) :: p(n)
    real(8), intent(inout) :: charge(m)
    integer :: i
    !$acc parallel loop copy(p) copy(charge)
    do i = 1, n
      p(i)%x = p(i)%x + p(i)%v
      charge(p(i)%cell) = charge(p(i)%cell) + p(i)%x ! CHECK race charge
    end do
    !$acc parallel loop copy(p) copy(charge)
    do i = 1, n
      p(i)%x = p(i)%x + p(i)%v
      !$acc atomic update
      charge(p(i)%cell) = charge(p(i)%cell) + p(i)%x
    end do
  end subroutine

  subroutine marks(flags, text)
    logical(1), intent(inout) :: flags(n)
    character, intent(inout) :: text(n)
    integer :: i
    !$acc parallel loop copy(text)
    do i = 2, n
      text(i) = text(i - 1) ! CHECK race text
    end do
    !$acc parallel loop gang copy(flags, text)
    do i = 1, n
      flags(i) = .not. flags(i)
      text(i) = achar(iachar(text(i)) + 1)
    end do
  end subroutine

  subroutine rows(u, sums)
    real(8), intent(in) :: u(m, m)
    real(8), intent(inout) :: sums(m)
    real(8) :: s
    integer :: i, j
    !$acc parallel loop gang copyin(u) copy(sums)
    do j = 1, m
      !$acc loop vector
      do i = 1, m
        sums(j) = sums(j) + u(i, j) ! CHECK race sums
      end do
    end do
    !$acc parallel loop gang copyin(u) copy(sums) private(s)
    do j = 1, m
      s = 0
      !$acc loop vector reduction(+:s)
      do i = 1, m
        s = s + u(i, j)
      end do
      sums(j) = s
    end do
  end subroutine

  subroutine permuted(to, a, b)
    integer, intent(in) :: to(n)
    real(8), intent(in) :: a(n)
    real(8), intent(inout) :: b(n)
    integer :: i
    !$acc parallel loop copyin(to, a) copy(b)
    do i = 1, n
      b(to(i)/2 + 1) = a(i) ! CHECK race b
    end do
    !$acc parallel loop copyin(to, a) copy(b)
    do i = 1, n
      b(to(i)) = a(i)
    end do
  end subroutine

  subroutine recurrences(a, b)
    real(8), intent(inout) :: a(n), b(n)
    integer :: i
    !$acc parallel copy(a, b) num_gangs(4)
    !$acc loop gang
    do i = 1, n
      a(i) = b(i) + 1 ! CHECK race a
    end do
    !$acc loop gang
    do i = 1, n
      b(i) = a(n + 1 - i) ! CHECK race a
    end do
    !$acc end parallel
    !$acc kernels copy(a, b)
    do i = 1, n
      a(i) = b(i) + 1
    end do
    do i = 1, n
      b(i) = a(n + 1 - i)
    end do
    !$acc end kernels
  end subroutine
end module

program main
  use loops
  real(8) :: a(n), b(n), u(m, m), w(m, m), most, charge(m), sums(m)
  type(particle) :: p(n)
  integer :: to(n), i
  logical(1) :: flags(n)
  character :: text(n)
  do i = 1, n
    a(i) = mod(i*37, 101)
    b(i) = i
    p(i) = particle(i, 0.5d0, mod(i, m) + 1)
    to(i) = mod(i*5, n) + 1
    flags(i) = mod(i, 3) == 0
    text(i) = achar(65 + mod(i, 26))
  end do
  u = reshape([(real(i, 8), i = 1, m*m)], [m, m])
  w = 0
  most = 0
  charge = 0
  sums = 0
  call maxima(a, most)
  call stencils(u, w)
  call columns(u)
  call work_arrays(u)
  call deposits(p, charge)
  call marks(flags, text)
  call rows(u, sums)
  call permuted(to, a, b)
  call recurrences(a, b)
  print *, most + w(2, 2) + charge(1) + sums(1) + b(1)
end program
