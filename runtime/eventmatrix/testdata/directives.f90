! The directives as gfortran compiles them: allocatables, explicit-shape arrays
! and derived types.
subroutine section(name)
  use iso_c_binding
  character(*), intent(in) :: name
  interface
    subroutine record_section(name) bind(C, name="record_section_")
      import
      character(kind=c_char), intent(in) :: name(*)
    end subroutine
  end interface
  call record_section(name // c_null_char)
end subroutine section

subroutine variable(name, address, bytes)
  use iso_c_binding
  character(*), intent(in) :: name
  type(c_ptr), value :: address
  integer(8), intent(in) :: bytes
  interface
    subroutine record_variable(name, address, bytes) bind(C, name="record_variable_")
      import
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr), value :: address
      integer(c_int64_t), intent(in) :: bytes
    end subroutine
  end interface
  call record_variable(name // c_null_char, address, bytes)
end subroutine variable

program directives
  use iso_c_binding
  implicit none
  interface
    subroutine variable(name, address, bytes)
      use iso_c_binding
      character(*), intent(in) :: name
      type(c_ptr), value :: address
      integer(8), intent(in) :: bytes
    end subroutine
  end interface
  integer, parameter :: n = 100
  real, target :: fixed(n)
  real, allocatable, target :: a(:)
  integer :: i
  allocate(a(n))
  fixed = 1.0
  a = 1.0
  call variable("fixed", c_loc(fixed), int(n * 4, 8))
  call variable("a", c_loc(a), int(n * 4, 8))

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
  call section("end of program")
end program directives
