! The same through the module.
program accel
  use accel_lib
  implicit none
  integer (acc_handle_kind) :: handle = 4
  call acc_init (acc_device_default)
  call acc_set_device_num (0, acc_get_device ())
  if (accel_version /= 201011 .or. acc_get_device_num (acc_get_device ()) /= 0) stop 1
  if (.not. acc_async_test (handle)) stop 2
  call acc_async_wait (handle)
  call acc_shutdown (acc_device_not_host)
  print '(a)', 'all is so'
end program accel
