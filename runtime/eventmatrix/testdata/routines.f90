! The API routines as gfortran calls them: sections by descriptor, lengths and
! async values by reference.

program routines
  use recording
  use openacc
  implicit none
  integer, parameter :: n = 100
  integer(c_size_t), parameter :: bytes = 4 * n
  real, target :: a(n), b(n)
  type(c_ptr) :: device
  integer :: i
  a = 1.0
  b = 2.0
  call variable("a", c_loc(a), 4_8 * n)
  call variable("b", c_loc(b), 4_8 * n)

  call section("acc_init")
  call acc_init(acc_get_device_type())
  call section("acc_copyin")
  call acc_copyin(a)
  call section("acc_create of a section")
  call acc_create(b(11:30))
  call section("acc_update_device of a length")
  call acc_update_device(a(1), 40)
  call section("acc_update_self_async")
  call acc_update_self_async(a, 1)
  call section("acc_wait")
  call acc_wait(1)
  call section("acc_update_device_async")
  call acc_update_device_async(a(1:10), 1)
  call section("acc_wait_async")
  call acc_wait_async(1, 2)
  call section("acc_wait_any")
  i = acc_wait_any(1, [1])
  call section("acc_wait_all")
  call acc_wait_all()
  call section("acc_delete")
  call acc_delete(b(11:30))
  call section("acc_copyin_async")
  call acc_copyin_async(b, 3)
  call section("acc_memcpy_d2d")
  call acc_memcpy_d2d(b, a, int(bytes), 0, 0)
  call section("acc_copyout_async")
  call acc_copyout_async(b, 3)
  call section("acc_wait_device")
  call acc_wait_device(3, 0)
  call section("acc_copyout")
  call acc_copyout(a)
  call section("acc_malloc")
  device = acc_malloc(bytes)
  call section("acc_map_data")
  call acc_map_data(a, device, bytes)
  call section("acc_update_self of a section")
  call acc_update_self(a(11:30))
  call section("acc_unmap_data")
  call acc_unmap_data(a)
  call section("acc_memcpy_to_device")
  call acc_memcpy_to_device(device, a, bytes)
  call section("acc_memcpy_from_device_async")
  call acc_memcpy_from_device_async(b, device, bytes, 4)
  call section("acc_wait_all_device")
  call acc_wait_all_device(0)
  call section("acc_free")
  call acc_free(device)
  call section("acc_shutdown")
  call acc_shutdown(acc_get_device_type())
  call section("acc_update_self of absent data")
  call acc_update_self(a)
end program routines
