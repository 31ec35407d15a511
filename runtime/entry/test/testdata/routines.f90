! Every form of argument that the module's routines take.
program routines
  use openacc
  use, intrinsic :: iso_c_binding
  implicit none
  real :: a(10), b(3, 4)
  character (8) :: name
  integer (acc_handle_kind) :: queues(2) = [5, 6]
  type (c_ptr) :: p
  type node
     integer :: n
     real, pointer :: values(:)
     real, allocatable :: table(:,:)
  end type node
  type (node) :: d

  print '(a,i0)', 'devices ', acc_get_num_devices (acc_device_host)
  call acc_copyin (a)
  call acc_copyin (a, 12)
  call acc_copyin (a, 16_8)
  call acc_copyin_async (b, acc_async_noval)
  call acc_copyin (b(:, 2:3))
  call acc_pcopyin (a(3))
  print '(l1)', acc_async_test (4)
  print '(l1)', acc_async_test_device (4, 1)
  print '(i0)', acc_wait_any (2, queues)
  call acc_get_property_string (0, acc_device_host, acc_property_name, name)
  print '(3a)', '[', name, ']'
  p = acc_malloc (64_c_size_t)
  call acc_init_device (0, acc_device_host)
  call acc_memcpy_to_device (p, a, 40_c_size_t)
  allocate (d%values(4), d%table(2, 2))
  d%values = 1.5
  d%table = 2.5
  call acc_attach (d%values)
  call acc_attach_async (d%table, 7)
  flush (6)
  call acc_copyin (b(1:2, :))
end program routines
