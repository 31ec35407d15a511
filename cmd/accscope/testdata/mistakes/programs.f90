! Right programs in Fortran, as in programs.c: a function each. What they allocate stays, as a queue may
! still use it where a wait was dropped.
module programs
  implicit none
  integer, parameter :: n = 96, m = 8
contains

function scaled() result(sum)
  real(8), allocatable, save :: a(:), b(:)
  real(8) :: sum
  integer :: i
  allocate (a(n), b(n))
  do i = 1, n
    a(i) = i
    b(i) = 3
  end do
  !$acc parallel loop copyin(a(1:n)) copyout(b(1:n))
  do i = 1, n
    b(i) = 2 * a(i)
  end do
  sum = 0
  do i = 1, n
    sum = sum + b(i)
  end do
end function

function region() result(sum)
  real(8), allocatable, save :: x(:), y(:), t(:)
  real(8) :: sum
  integer :: i
  allocate (x(n), y(n), t(n))
  do i = 1, n
    x(i) = i
    y(i) = 1
    t(i) = 0
  end do
  !$acc data copyin(x(1:n)) copy(y(1:n)) create(t(1:n))
  !$acc parallel loop
  do i = 1, n
    t(i) = x(i) * x(i)
  end do
  !$acc parallel loop
  do i = 1, n
    y(i) = y(i) + t(i)
  end do
  !$acc end data
  sum = 0
  do i = 1, n
    sum = sum + y(i)
  end do
end function

function stepped() result(sum)
  real(8), allocatable, save :: u(:), f(:)
  real(8) :: sum
  integer :: i, step
  allocate (u(n), f(n))
  sum = 0
  do i = 1, n
    u(i) = i
    f(i) = 1
  end do
  !$acc data copyin(u(1:n), f(1:n))
  do step = 1, 3
    do i = 1, n
      f(i) = step + i
    end do
    !$acc update device(f(1:n))
    !$acc parallel loop
    do i = 1, n
      u(i) = u(i) + f(i)
    end do
    !$acc update self(u(1:n))
    do i = 1, n
      sum = sum + u(i)
    end do
  end do
  !$acc end data
end function

function reduced() result(sum)
  real(8), allocatable, save :: v(:)
  real(8) :: sum, total
  integer :: i
  allocate (v(n))
  do i = 1, n
    v(i) = i
  end do
  total = 0
  !$acc parallel loop copyin(v(1:n)) copy(total) reduction(+:total)
  do i = 1, n
    total = total + v(i)
  end do
  sum = total
end function

function counted() result(sum)
  integer, allocatable, save :: key(:), bin(:)
  real(8) :: sum
  integer :: i
  allocate (key(n), bin(m))
  do i = 1, n
    key(i) = mod(i, m) + 1
  end do
  do i = 1, m
    bin(i) = 0
  end do
  !$acc parallel loop copyin(key(1:n)) copy(bin(1:m))
  do i = 1, n
    !$acc atomic update
    bin(key(i)) = bin(key(i)) + 1
  end do
  sum = 0
  do i = 1, m
    sum = sum + bin(i) * i
  end do
end function

function queued() result(sum)
  real(8), allocatable, save :: p(:), q(:), r(:)
  real(8) :: sum
  integer :: i
  allocate (p(n), q(n), r(n))
  do i = 1, n
    p(i) = i
    q(i) = 0
    r(i) = 0
  end do
  sum = 0
  !$acc data copyin(p(1:n), q(1:n), r(1:n))
  !$acc parallel loop async(1)
  do i = 1, n
    q(i) = 2 * p(i)
  end do
  !$acc wait(1) async(2)
  !$acc parallel loop async(2)
  do i = 1, n
    r(i) = q(i) + 1
  end do
  !$acc update self(r(1:n)) async(2)
  !$acc wait(2)
  do i = 1, n
    sum = sum + r(i)
  end do
  !$acc end data
end function

function relaxed() result(sum)
  real(8), allocatable, save :: now(:), then(:)
  real(8) :: sum
  integer :: i, step
  allocate (now(n), then(n))
  do i = 1, n
    now(i) = mod(i, 7)
    then(i) = 0
  end do
  !$acc data copy(now(1:n)) create(then(1:n))
  do step = 1, 2
    !$acc parallel loop
    do i = 2, n - 1
      then(i) = now(i - 1) + now(i + 1)
    end do
    !$acc parallel loop
    do i = 2, n - 1
      now(i) = then(i)
    end do
  end do
  !$acc end data
  sum = 0
  do i = 1, n
    sum = sum + now(i)
  end do
end function

function boundary() result(sum)
  real(8), allocatable, save :: g(:)
  real(8) :: sum, edge
  integer :: i, step
  allocate (g(n))
  sum = 0
  do i = 1, n
    g(i) = i
  end do
  !$acc data copy(g(1:n))
  do step = 1, 3
    !$acc parallel loop
    do i = 1, n
      g(i) = g(i) + 1
    end do
    !$acc update self(g(1:1))
    edge = g(1)
    sum = sum + edge
    g(n) = edge
    !$acc update device(g(n:n))
  end do
  !$acc end data
  do i = 1, n
    sum = sum + g(i)
  end do
end function

function layered() result(sum)
  real(8), allocatable, save :: in(:), mid(:), out(:)
  real(8) :: sum
  integer :: i
  allocate (in(n), mid(n), out(n))
  do i = 1, n
    in(i) = mod(i, 5)
    mid(i) = 0
    out(i) = 0
  end do
  !$acc parallel loop copyin(in(1:n)) copyout(mid(1:n))
  do i = 1, n
    mid(i) = in(i) + 1
  end do
  !$acc parallel loop copyin(mid(1:n)) copyout(out(1:n))
  do i = 1, n
    out(i) = mid(i) * mid(i)
  end do
  sum = 0
  do i = 1, n
    sum = sum + out(i)
  end do
end function

function batched() result(sum)
  real(8), allocatable, save :: job(:), done(:)
  real(8) :: sum
  integer :: i, step
  allocate (job(n), done(n))
  do i = 1, n
    job(i) = 1
    done(i) = 0
  end do
  sum = 0
  !$acc enter data create(job(1:n), done(1:n))
  do step = 1, 2
    do i = 1, n
      job(i) = i + step
    end do
    !$acc update device(job(1:n)) async(4)
    !$acc parallel loop present(job, done) async(4)
    do i = 1, n
      done(i) = job(i) * 2
    end do
    !$acc update self(done(1:n)) async(4)
    !$acc wait(4)
    do i = 1, n
      sum = sum + done(i)
    end do
  end do
  !$acc exit data delete(job, done)
end function

end module
