! From GCC 14 on: routines that have addresses of the device (OpenACC 3.3 §3.2.16 to
! §3.2.31), in Fortran, by the module and by the include file.
program routines
  use iso_c_binding
#ifndef INCLUDED
  use openacc
#endif
  implicit none
#ifdef INCLUDED
  include "openacc_lib.h"
#endif
  integer, parameter :: n = 8
  integer, target :: a(n), b(n)
  type(c_ptr) :: device
  integer(c_size_t) :: bytes
  integer :: i
  logical :: right

  bytes = n * 4
  a = [(i, i = 1, n)]
  b = 0
  device = acc_malloc(bytes)
  right = c_associated(device)
  call acc_memcpy_to_device(device, a, bytes)
  call acc_memcpy_from_device(b, device, bytes)
  right = right .and. all(b == a)
  b = -1
  if (acc_get_device_type() /= acc_device_host) then
    call acc_map_data(b, device, bytes)
    right = right .and. acc_is_present(b) .and. c_associated(acc_deviceptr(b), device) &
      .and. c_associated(acc_hostptr(device), c_loc(b))
    !$acc parallel loop present(b)
    do i = 1, n
      b(i) = b(i) + 10
    end do
    !$acc update self(b)
    right = right .and. all(b == a + 10)
    call acc_unmap_data(b)
    right = right .and. .not. acc_is_present(b)
  end if
  call acc_free(device)
  print '(a)', merge('right', 'WRONG', right)
  if (.not. right) stop 1
end program
