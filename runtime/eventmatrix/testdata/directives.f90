! The directives as gfortran compiles them: allocatables, explicit-shape arrays
! and derived types.

program directives
  use recording
  implicit none
  integer, parameter :: n = 100
  real, target :: fixed(n)
  real, allocatable, target :: a(:)
  type pair
    integer :: count
    real, allocatable :: values(:)
  end type pair
  type(pair), target :: p
  real, pointer :: pointed(:)
  integer :: i
  real, target :: total
  allocate(a(n), p%values(n))
  pointed => a
  p%count = n
  p%values = 1.0
  total = 0.0
  fixed = 1.0
  a = 1.0
  call variable("fixed", c_loc(fixed), int(n * 4, 8))
  call variable("a", c_loc(a), int(n * 4, 8))
  call variable("p", c_loc(p), storage_size(p, 8) / 8_8)
  call variable("p%values", c_loc(p%values), int(n * 4, 8))
  call variable("total", c_loc(total), 4_8)

  call section("parallel copy(fixed), first use of the device")
  !$acc parallel loop copy(fixed)
  do i = 1, n
    fixed(i) = fixed(i) + 1.0
  end do

  call section("kernels copyin(a) copy(fixed) async(1)")
  !$acc kernels copyin(a) copy(fixed) async(1)
  do i = 1, n
    fixed(i) = fixed(i) + a(i)
  end do
  !$acc end kernels

  call section("wait(1)")
  !$acc wait(1)

  call section("serial copy(fixed)")
  !$acc serial copy(fixed)
  fixed(1) = 2.0
  !$acc end serial

  call section("data copy(a)")
  !$acc data copy(a)
  call section("update device(a(11:30))")
  !$acc update device(a(11:30))
  call section("parallel present(a)")
  !$acc parallel loop present(a)
  do i = 1, n
    a(i) = a(i) + 1.0
  end do
  call section("update self(a)")
  !$acc update self(a)
  call section("end of data")
  !$acc end data

  call section("enter data copyin(a)")
  !$acc enter data copyin(a)
  call section("exit data copyout(a)")
  !$acc exit data copyout(a)
  call section("parallel copyin(a) reduction(total)")
  !$acc parallel loop copyin(a) reduction(+:total)
  do i = 1, n
    total = total + a(i)
  end do
  call section("parallel copy(fixed) if(false)")
  !$acc parallel loop copy(fixed) if(total < 0.0)
  do i = 1, n
    fixed(i) = fixed(i) + 1.0
  end do
  call section("enter data copyin(a) async(2)")
  !$acc enter data copyin(a) async(2)
  call section("parallel present(a) async(3) wait(2)")
  !$acc parallel loop present(a) async(3) wait(2)
  do i = 1, n
    a(i) = a(i) + 1.0
  end do
  call section("update self(a) async(3)")
  !$acc update self(a) async(3)
  call section("wait(3) async(2)")
  !$acc wait(3) async(2)
  call section("data copyin(fixed), host_data use_device(fixed)")
  !$acc data copyin(fixed)
  !$acc host_data use_device(fixed)
  i = 0
  !$acc end host_data
  !$acc end data
  call section("wait")
  !$acc wait
  call section("exit data delete(a) finalize")
  !$acc exit data delete(a) finalize
  call section("enter data copyin(p)")
  !$acc enter data copyin(p)
  call section("enter data copyin(p%values)")
  !$acc enter data copyin(p%values)
  call section("parallel present(p)")
  !$acc parallel loop present(p)
  do i = 1, n
    p%values(i) = p%values(i) + 1.0
  end do
  call section("update self(p%values)")
  !$acc update self(p%values)
  call section("exit data copyout(p%values) delete(p)")
  !$acc exit data copyout(p%values)
  !$acc exit data delete(p)
  call section("data copy(pointed)")
  !$acc data copy(pointed)
  !$acc end data
  call section("declare create(local)")
  call declared
  call section("parallel present(a), absent, and the end of the program")
  !$acc parallel loop present(a)
  do i = 1, n
    a(i) = a(i) + 1.0
  end do
contains
  subroutine declared
    real :: local(n)
    !$acc declare create(local)
    integer :: j
    !$acc parallel loop present(local)
    do j = 1, n
      local(j) = 1.0
    end do
  end subroutine declared
end program directives
