! A program compiled against GCC's own module.
program gcc_module
  use openacc
  implicit none
  real :: a(10)
  integer (8) :: long = 24

  print '(a,i0)', 'devices ', acc_get_num_devices (acc_device_host)
  flush (6)
  call acc_copyin (a)
  call acc_copyin (a, 12)
  call acc_copyin (a, long)
  call acc_copyin_async (a, 8, 3)
end program gcc_module
