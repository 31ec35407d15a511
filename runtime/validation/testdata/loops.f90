! Compute constructs, loops, reductions, routines and atomics in Fortran
! (OpenACC 3.3 sections 2.5, 2.9, 2.10, 2.12, 2.15).
module procedures
  implicit none
contains
  integer function square (x)
    !$acc routine seq
    integer, intent (in) :: x
    square = x * x
  end function square

  subroutine scale (a, n, factor)
    !$acc routine vector
    integer, intent (in) :: n
    real, intent (inout) :: a(n)
    real, intent (in) :: factor
    integer :: i
    !$acc loop vector
    do i = 1, n
      a(i) = a(i) * factor
    end do
  end subroutine scale

  subroutine shift (a, n)
    !$acc routine gang
    integer, intent (in) :: n
    real, intent (inout) :: a(n)
    integer :: i
    !$acc loop gang
    do i = 1, n
      a(i) = a(i) + 1
    end do
  end subroutine shift

  recursive integer function factorial (n) result (f)
    !$acc routine seq
    integer, intent (in) :: n
    f = 1
    if (n > 1) f = n * factorial (n - 1)
  end function factorial
end module procedures

program loops
  use checking
  use procedures
  implicit none
  integer, parameter :: n = 120
  call schedules
  call shapes
  call privates
  call sums_and_products
  call extremes
  call logicals
  call bits
  call nested_reductions
  call calls
  call atomics
  call conditions
  call report

contains

  subroutine schedules
    integer :: a(n), i
    integer, parameter :: want(n) = [(i, i = 1, n)]
    a = 0
    !$acc parallel loop gang copyout(a)
    do i = 1, n
      a(i) = i
    end do
    call check ('gang', all (a == want))
    !$acc parallel loop gang worker vector num_gangs(4) num_workers(2) vector_length(32) copy(a)
    do i = 1, n
      a(i) = a(i) + 1
    end do
    call check ('gang worker vector', all (a == want + 1))
    !$acc parallel copy(a)
    !$acc loop seq
    do i = 2, n
      a(i) = a(i - 1) + 1
    end do
    !$acc end parallel
    call check ('seq', all (a == want + 1))
    !$acc kernels loop independent copy(a)
    do i = n, 1, -1
      a(i) = a(i) * 2
    end do
    call check ('independent, downwards', all (a == 2 * want + 2))
    !$acc serial loop copy(a)
    do i = 1, n, 3
      a(i) = 0
    end do
    call check ('serial loop, stride', all (a(1::3) == 0) .and. a(2) == 6)
    !$acc parallel loop auto copy(a)
    do i = 1, n
      a(i) = 1
    end do
    call check ('auto', all (a == 1))
    !$acc parallel loop gang(static:8) copy(a)
    do i = 1, n
      a(i) = i
    end do
    call check ('gang(static:8)', all (a == want))
    !$acc kernels copy(a)
    !$acc loop gang(4)
    do i = 1, n / 2
      a(i) = -1
    end do
    !$acc loop vector(16)
    do i = n / 2 + 1, n
      a(i) = -2
    end do
    !$acc end kernels
    call check ('two loops of a kernels construct', all (a(:n / 2) == -1) .and. all (a(n / 2 + 1:) == -2))
  end subroutine schedules

  subroutine shapes
    integer :: a(5, 6, 7), t(20, 30), i, j, k
    !$acc parallel loop collapse(3) copyout(a)
    do k = 1, 7
      do j = 1, 6
        do i = 1, 5
          a(i, j, k) = 100 * i + 10 * j + k
        end do
      end do
    end do
    call check ('collapse', all (a == reshape ([(((100 * i + 10 * j + k, i = 1, 5), j = 1, 6), k = 1, 7)], [5, 6, 7])))
    t = 0
    !$acc parallel loop tile(4, 8) copy(t)
    do j = 1, 30
      do i = 1, 20
        t(i, j) = t(i, j) + i * j
      end do
    end do
    call check ('tile', all (t == reshape ([((i * j, i = 1, 20), j = 1, 30)], [20, 30])))
    !$acc parallel loop gang copy(t)
    do j = 1, 30
      !$acc loop vector
      do i = 1, 20
        t(i, j) = t(i, j) - i * j
      end do
    end do
    call check ('gang, vector inside', all (t == 0))
  end subroutine shapes

  subroutine privates
    integer :: a(n), buffer(3), x, y, i
    x = 5
    y = 7
    buffer = 9
    !$acc parallel loop private(x, buffer) firstprivate(y) copyout(a)
    do i = 1, n
      x = i
      buffer = [i, 2 * i, 3 * i]
      a(i) = x + sum (buffer) + y
    end do
    call check ('private', all (a == [(7 * i + 7, i = 1, n)]) .and. x == 5 .and. all (buffer == 9))
    !$acc parallel firstprivate(buffer, y) copyout(a)
    y = y + buffer(1)
    !$acc loop
    do i = 1, n
      a(i) = y
    end do
    !$acc end parallel
    call check ('firstprivate', all (a == 16) .and. y == 7)
  end subroutine privates

  subroutine sums_and_products
    integer :: i, s, p
    integer (1) :: small
    integer (8) :: large
    real :: r
    real (8) :: d, pd
    complex :: c
    s = 1
    p = 1
    small = 0
    large = 2_8**40
    r = 0
    d = 0.5d0
    pd = 1
    c = 0
    !$acc parallel loop reduction(+:s, small, large, r, d, c) reduction(*:p, pd)
    do i = 1, n
      s = s + i
      small = small + int (mod (i, 2), 1)
      large = large + i
      r = r + 0.5
      d = d + 0.25d0
      c = c + cmplx (1, -1)
      if (mod (i, 40) == 0) p = p * 3
      pd = pd * merge (2d0, 0.5d0, mod (i, 2) == 0)
    end do
    call check ('sum of integers', s == 1 + n * (n + 1) / 2 .and. small == n / 2 .and. large == 2_8**40 + n * (n + 1) / 2)
    call check ('sum of reals', abs (r - 0.5 * n) < 1e-3 .and. abs (d - 0.5d0 - 0.25d0 * n) < 1e-9)
    call check ('sum of complex numbers', abs (c - n * (1, -1)) < 1e-3)
    call check ('product', p == 27 .and. abs (pd - 1) < 1e-9)
    s = 10
    !$acc kernels loop reduction(-:s)
    do i = 1, n
      s = s - i
    end do
    call check ('difference', s == 10 - n * (n + 1) / 2)
  end subroutine sums_and_products

  subroutine extremes
    integer :: a(n), i, low, high
    real :: x(n), least, most
    real (8) :: wide
    a = [(mod (i * 37, 101) - 50, i = 1, n)]
    x = a / 4.0
    low = 1000
    high = -1000
    least = 1e9
    most = -1e9
    wide = -1
    !$acc parallel loop copyin(a, x) reduction(min:low, least) reduction(max:high, most, wide)
    do i = 1, n
      low = min (low, a(i))
      high = max (high, a(i))
      least = min (least, x(i))
      most = max (most, x(i))
      wide = max (wide, dble (a(i)) * 2)
    end do
    call check ('min, max of integers', low == minval (a) .and. high == maxval (a))
    call check ('min, max of reals', least == minval (x) .and. most == maxval (x) .and. wide == 2 * maxval (a))
  end subroutine extremes

  subroutine logicals
    logical :: every, some, even, odd
    integer :: i
    every = .true.
    some = .false.
    even = .true.
    odd = .false.
    !$acc parallel loop reduction(.and.:every) reduction(.or.:some) reduction(.eqv.:even) reduction(.neqv.:odd)
    do i = 1, n
      every = every .and. i > 0
      some = some .or. i == 77
      even = even .eqv. mod (i, 2) == 0
      odd = odd .neqv. i == 5
    end do
    call check ('.and., .or.', every .and. some)
    call check ('.eqv., .neqv.', even .and. odd)
    every = .true.
    !$acc serial loop reduction(.and.:every)
    do i = 1, n
      every = every .and. i /= 4
    end do
    call check ('.and., one false', .not. every)
  end subroutine logicals

  subroutine bits
    integer :: i, a, o, x
    integer (8) :: wide
    a = -1
    o = 0
    x = 0
    wide = 0
    !$acc parallel loop reduction(iand:a) reduction(ior:o, wide) reduction(ieor:x)
    do i = 1, n
      a = iand (a, not (ishft (1, mod (i, 5))))
      o = ior (o, ishft (1, mod (i, 12)))
      wide = ior (wide, ishft (1_8, mod (i, 50)))
      x = ieor (x, i)
    end do
    call check ('iand, ior', a == not (31) .and. o == 4095 .and. wide == 2_8**50 - 1)
    o = 0
    do i = 1, n
      o = ieor (o, i)
    end do
    call check ('ieor', x == o)
  end subroutine bits

  subroutine nested_reductions
    integer :: total, row, i, j, rows(10)
    total = 0
    !$acc parallel loop gang reduction(+:total) private(row) copyout(rows)
    do i = 1, 10
      row = 0
      !$acc loop vector reduction(+:row)
      do j = 1, 20
        row = row + i * j
      end do
      rows(i) = row
      total = total + row
    end do
    call check ('nested', total == 55 * 210 .and. all (rows == [(210 * i, i = 1, 10)]))
    total = 0
    !$acc data copy(total)
    do j = 1, 3
      !$acc parallel loop present(total) reduction(+:total)
      do i = 1, n
        total = total + 1
      end do
    end do
    !$acc end data
    call check ('of present data', total == 3 * n)
    total = 0
    !$acc parallel loop reduction(+:total) collapse(2) async(1)
    do i = 1, 10
      do j = 1, 10
        total = total + i - j + 1
      end do
    end do
    !$acc wait(1)
    call check ('asynchronous', total == 100)
  end subroutine nested_reductions

  subroutine calls
    integer :: a(n), i
    real :: x(n)
    !$acc parallel loop copyout(a)
    do i = 1, n
      a(i) = square (i) + factorial (mod (i, 5))
    end do
    call check ('routine seq', a(4) == 16 + 24 .and. a(n) == n * n + 1)
    x = 2
    !$acc parallel num_gangs(1) copy(x)
    call scale (x, n, 1.5)
    !$acc end parallel
    call check ('routine vector', all (x == 3))
    !$acc parallel copy(x)
    call shift (x, n)
    !$acc end parallel
    call check ('routine gang', all (x == 4))
  end subroutine calls

  subroutine atomics
    integer :: total, order(n), mine, highest, i, histogram(4), copy
    real :: s
    logical :: seen(n)
    total = 0
    highest = -1
    histogram = 0
    s = 0
    !$acc parallel loop copy(total, highest, histogram, s) copyout(order) private(mine)
    do i = 1, n
      !$acc atomic capture
      total = total + 1
      mine = total
      !$acc end atomic
      order(i) = mine
      !$acc atomic update
      highest = max (highest, i)
      !$acc atomic
      histogram(1 + mod (i, 4)) = histogram(1 + mod (i, 4)) + 1
      !$acc atomic
      s = s + 0.5
    end do
    seen = .false.
    seen(order) = .true.
    call check ('atomic capture', total == n .and. all (seen))
    call check ('atomic update', highest == n .and. all (histogram == n / 4) .and. s == n / 2.0)
    !$acc parallel copy(total, copy)
    !$acc atomic write
    total = 5
    !$acc atomic read
    copy = total
    !$acc end parallel
    call check ('atomic write, read', total == 5 .and. copy == 5)
  end subroutine atomics

  subroutine conditions
    integer :: a(n), i
    logical :: yes
    a = 0
    yes = .true.
    !$acc data copyin(a)
    !$acc parallel loop if(yes) present(a)
    do i = 1, n
      a(i) = 1
    end do
    !$acc parallel loop if(.not. yes)
    do i = 1, n
      a(i) = a(i) + 2
    end do
    if (discrete ()) call check ('if', all (a == 2))
    !$acc update self(a) if(yes)
    !$acc end data
    call check ('update if', all (a == merge (1, 3, discrete ())))
    !$acc update self(a) if(.not. yes)
    call check ('update if false', acc_checks (a))
  end subroutine conditions

  logical function acc_checks (a)
    integer, intent (in) :: a(:)
    acc_checks = size (a) == n
  end function acc_checks
end program loops
