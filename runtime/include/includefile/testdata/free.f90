! Free form: routines whose arguments are of any type, and those of C.
subroutine inner
  use, intrinsic :: iso_c_binding
  implicit none
  include 'openacc_lib.h'
  type item
    real, allocatable :: values(:)
  end type item
  type (item) :: one
  type (c_ptr) :: memory
  real, target :: a(10)
  integer :: i
  allocate (one%values(10), source = 0.0)
  call acc_copyin (one)
  call acc_copyin (one%values)
  call acc_attach (one%values)
  !$acc parallel loop present(one)
  do i = 1, 10
    one%values(i) = i
  end do
  call acc_update_self (one%values)
  if (any (nint (one%values) /= [(i, i = 1, 10)])) stop 1
  memory = acc_malloc (40_c_size_t)
  if (acc_get_device_type () /= acc_device_host) then
    call acc_map_data (a, memory, 40_c_size_t)
    if (.not. c_associated (acc_hostptr (memory), c_loc (a))) stop 2
    call acc_unmap_data (a)
  end if
  call acc_free (memory)
  call acc_set_default_async (acc_async_default)
end subroutine inner

program free
  call inner
  print '(a)', 'all is so'
end program free
