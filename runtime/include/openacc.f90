! openacc.f90 - the module openacc of OpenACC 3.3, chapter 3, for gfortran.
!
! Routines that take integers by reference and routines about data are bound to
! the names that GCC's own module uses (acc_init_h, acc_copyin_32_h, ...), so
! programs compiled against either find the same library; the rest are bound to
! their C names.  _OPENACC is the compiler's to define (GCC 12: 201711).

module openacc
  use openacc_kinds
  use openacc_data
  use openacc_attach
  implicit none
  public

  integer, parameter :: openacc_version = 202211

  ! 3.2.1 to 3.2.8: devices; acc_set_device and acc_get_device are names of the
  ! PGI Accelerator model 1.3

  interface acc_get_num_devices
     function acc_get_num_devices_h (dev_type)
       import
       integer :: acc_get_num_devices_h
       integer (acc_device_kind) :: dev_type
     end function acc_get_num_devices_h
  end interface acc_get_num_devices

  interface acc_set_device_type
     subroutine acc_set_device_type_h (dev_type)
       import
       integer (acc_device_kind) :: dev_type
     end subroutine acc_set_device_type_h
  end interface acc_set_device_type

  interface acc_set_device
     procedure :: acc_set_device_type_h
  end interface acc_set_device

  interface acc_get_device_type
     function acc_get_device_type_h ()
       import
       integer (acc_device_kind) :: acc_get_device_type_h
     end function acc_get_device_type_h
  end interface acc_get_device_type

  interface acc_get_device
     procedure :: acc_get_device_type_h
  end interface acc_get_device

  interface acc_set_device_num
     subroutine acc_set_device_num_h (dev_num, dev_type)
       import
       integer :: dev_num
       integer (acc_device_kind) :: dev_type
     end subroutine acc_set_device_num_h
  end interface acc_set_device_num

  interface acc_get_device_num
     function acc_get_device_num_h (dev_type)
       import
       integer :: acc_get_device_num_h
       integer (acc_device_kind) :: dev_type
     end function acc_get_device_num_h
  end interface acc_get_device_num

  interface acc_get_property
     function acc_get_property_h (dev_num, dev_type, property)
       use, intrinsic :: iso_c_binding, only: c_size_t
       import
       integer (c_size_t) :: acc_get_property_h
       integer, value :: dev_num
       integer (acc_device_kind), value :: dev_type
       integer (acc_device_property_kind), value :: property
     end function acc_get_property_h
  end interface acc_get_property

  interface acc_get_property_string
     subroutine acc_get_property_string_h (dev_num, dev_type, property, string)
       import
       integer, value :: dev_num
       integer (acc_device_kind), value :: dev_type
       integer (acc_device_property_kind), value :: property
       character (*) :: string
     end subroutine acc_get_property_string_h
  end interface acc_get_property_string

  interface acc_init
     subroutine acc_init_h (dev_type)
       import
       integer (acc_device_kind) :: dev_type
     end subroutine acc_init_h
  end interface acc_init

  interface acc_init_device
     subroutine acc_init_device_h (dev_num, dev_type)
       import
       integer :: dev_num
       integer (acc_device_kind) :: dev_type
     end subroutine acc_init_device_h
  end interface acc_init_device

  interface acc_shutdown
     subroutine acc_shutdown_h (dev_type)
       import
       integer (acc_device_kind) :: dev_type
     end subroutine acc_shutdown_h
  end interface acc_shutdown

  interface acc_shutdown_device
     subroutine acc_shutdown_device_h (dev_num, dev_type)
       import
       integer :: dev_num
       integer (acc_device_kind) :: dev_type
     end subroutine acc_shutdown_device_h
  end interface acc_shutdown_device

  ! 3.2.9 to 3.2.15: queues; acc_async_wait and acc_async_wait_all are names of
  ! OpenACC 1.0

  interface acc_async_test
     function acc_async_test_h (wait_arg)
       import
       logical :: acc_async_test_h
       integer (acc_handle_kind) :: wait_arg
     end function acc_async_test_h
  end interface acc_async_test

  interface acc_async_test_device
     function acc_async_test_device_h (wait_arg, dev_num)
       import
       logical :: acc_async_test_device_h
       integer (acc_handle_kind) :: wait_arg
       integer :: dev_num
     end function acc_async_test_device_h
  end interface acc_async_test_device

  interface acc_async_test_all
     function acc_async_test_all_h ()
       import
       logical :: acc_async_test_all_h
     end function acc_async_test_all_h
  end interface acc_async_test_all

  interface acc_async_test_all_device
     function acc_async_test_all_device_h (dev_num)
       import
       logical :: acc_async_test_all_device_h
       integer :: dev_num
     end function acc_async_test_all_device_h
  end interface acc_async_test_all_device

  interface acc_wait
     subroutine acc_wait_h (wait_arg)
       import
       integer (acc_handle_kind) :: wait_arg
     end subroutine acc_wait_h
  end interface acc_wait

  interface acc_async_wait
     procedure :: acc_wait_h
  end interface acc_async_wait

  interface acc_wait_device
     subroutine acc_wait_device_h (wait_arg, dev_num)
       import
       integer (acc_handle_kind) :: wait_arg
       integer :: dev_num
     end subroutine acc_wait_device_h
  end interface acc_wait_device

  interface acc_wait_all
     subroutine acc_wait_all_h ()
     end subroutine acc_wait_all_h
  end interface acc_wait_all

  interface acc_async_wait_all
     procedure :: acc_wait_all_h
  end interface acc_async_wait_all

  interface acc_wait_all_device
     subroutine acc_wait_all_device_h (dev_num)
       import
       integer :: dev_num
     end subroutine acc_wait_all_device_h
  end interface acc_wait_all_device

  interface acc_wait_async
     subroutine acc_wait_async_h (wait_arg, async_arg)
       import
       integer (acc_handle_kind) :: wait_arg
       integer (acc_handle_kind) :: async_arg
     end subroutine acc_wait_async_h
  end interface acc_wait_async

  interface acc_wait_device_async
     subroutine acc_wait_device_async_h (wait_arg, async_arg, dev_num)
       import
       integer (acc_handle_kind) :: wait_arg
       integer (acc_handle_kind) :: async_arg
       integer :: dev_num
     end subroutine acc_wait_device_async_h
  end interface acc_wait_device_async

  interface acc_wait_all_async
     subroutine acc_wait_all_async_h (async_arg)
       import
       integer (acc_handle_kind) :: async_arg
     end subroutine acc_wait_all_async_h
  end interface acc_wait_all_async

  interface acc_wait_all_device_async
     subroutine acc_wait_all_device_async_h (async_arg, dev_num)
       import
       integer (acc_handle_kind) :: async_arg
       integer :: dev_num
     end subroutine acc_wait_all_device_async_h
  end interface acc_wait_all_device_async

  interface acc_wait_any
     function acc_wait_any_h (count, wait_arg)
       import
       integer :: acc_wait_any_h
       integer :: count
       integer (acc_handle_kind), dimension (count) :: wait_arg
     end function acc_wait_any_h
  end interface acc_wait_any

  interface acc_wait_any_device
     function acc_wait_any_device_h (count, wait_arg, dev_num)
       import
       integer :: acc_wait_any_device_h
       integer :: count
       integer (acc_handle_kind), dimension (count) :: wait_arg
       integer :: dev_num
     end function acc_wait_any_device_h
  end interface acc_wait_any_device

  interface acc_get_default_async
     function acc_get_default_async_h ()
       import
       integer (acc_handle_kind) :: acc_get_default_async_h
     end function acc_get_default_async_h
  end interface acc_get_default_async

  interface acc_set_default_async
     subroutine acc_set_default_async_h (async_arg)
       import
       integer (acc_handle_kind) :: async_arg
     end subroutine acc_set_default_async_h
  end interface acc_set_default_async

  interface acc_on_device
     function acc_on_device_h (dev_type)
       import
       !$acc routine seq
       logical :: acc_on_device_h
       integer (acc_device_kind) :: dev_type
     end function acc_on_device_h
  end interface acc_on_device

  ! 3.2.16, 3.2.17, 3.2.21 to 3.2.24 and 3.2.26 to 3.2.28: device memory
  interface

     function acc_malloc (bytes) &
          bind (c, name="acc_malloc")
       use, intrinsic :: iso_c_binding, only: c_ptr, c_size_t
       type (c_ptr) :: acc_malloc
       integer (c_size_t), value :: bytes
     end function acc_malloc

     subroutine acc_free (data_dev) &
          bind (c, name="acc_free")
       use, intrinsic :: iso_c_binding, only: c_ptr
       type (c_ptr), value :: data_dev
     end subroutine acc_free

     subroutine acc_map_data (data_arg, data_dev, bytes) &
          bind (c, name="acc_map_data")
       use, intrinsic :: iso_c_binding, only: c_ptr, c_size_t
       !GCC$ attributes no_arg_check :: data_arg
       type (*), dimension (*), target :: data_arg
       type (c_ptr), value :: data_dev
       integer (c_size_t), value :: bytes
     end subroutine acc_map_data

     subroutine acc_unmap_data (data_arg) &
          bind (c, name="acc_unmap_data")
       !GCC$ attributes no_arg_check :: data_arg
       type (*), dimension (*), target :: data_arg
     end subroutine acc_unmap_data

     function acc_deviceptr (data_arg) &
          bind (c, name="acc_deviceptr")
       use, intrinsic :: iso_c_binding, only: c_ptr
       type (c_ptr) :: acc_deviceptr
       !GCC$ attributes no_arg_check :: data_arg
       type (*), dimension (*), target :: data_arg
     end function acc_deviceptr

     function acc_hostptr (data_dev) &
          bind (c, name="acc_hostptr")
       use, intrinsic :: iso_c_binding, only: c_ptr
       type (c_ptr) :: acc_hostptr
       type (c_ptr), value :: data_dev
     end function acc_hostptr

     subroutine acc_memcpy_to_device (data_dev_dest, data_host_src, bytes) &
          bind (c, name="acc_memcpy_to_device")
       use, intrinsic :: iso_c_binding, only: c_ptr, c_size_t
       type (c_ptr), value :: data_dev_dest
       !GCC$ attributes no_arg_check :: data_host_src
       type (*), dimension (*), target :: data_host_src
       integer (c_size_t), value :: bytes
     end subroutine acc_memcpy_to_device

     subroutine acc_memcpy_to_device_async (data_dev_dest, data_host_src, &
            bytes, async_arg) &
          bind (c, name="acc_memcpy_to_device_async")
       use, intrinsic :: iso_c_binding, only: c_int, c_ptr, c_size_t
       type (c_ptr), value :: data_dev_dest
       !GCC$ attributes no_arg_check :: data_host_src
       type (*), dimension (*), target :: data_host_src
       integer (c_size_t), value :: bytes
       integer (c_int), value :: async_arg
     end subroutine acc_memcpy_to_device_async

     subroutine acc_memcpy_from_device (data_host_dest, data_dev_src, bytes) &
          bind (c, name="acc_memcpy_from_device")
       use, intrinsic :: iso_c_binding, only: c_ptr, c_size_t
       !GCC$ attributes no_arg_check :: data_host_dest
       type (*), dimension (*), target :: data_host_dest
       type (c_ptr), value :: data_dev_src
       integer (c_size_t), value :: bytes
     end subroutine acc_memcpy_from_device

     subroutine acc_memcpy_from_device_async (data_host_dest, data_dev_src, &
            bytes, async_arg) &
          bind (c, name="acc_memcpy_from_device_async")
       use, intrinsic :: iso_c_binding, only: c_int, c_ptr, c_size_t
       !GCC$ attributes no_arg_check :: data_host_dest
       type (*), dimension (*), target :: data_host_dest
       type (c_ptr), value :: data_dev_src
       integer (c_size_t), value :: bytes
       integer (c_int), value :: async_arg
     end subroutine acc_memcpy_from_device_async

     subroutine acc_memcpy_device (data_dev_dest, data_dev_src, bytes) &
          bind (c, name="acc_memcpy_device")
       use, intrinsic :: iso_c_binding, only: c_ptr, c_size_t
       type (c_ptr), value :: data_dev_dest
       type (c_ptr), value :: data_dev_src
       integer (c_size_t), value :: bytes
     end subroutine acc_memcpy_device

     subroutine acc_memcpy_device_async (data_dev_dest, data_dev_src, bytes, &
            async_arg) &
          bind (c, name="acc_memcpy_device_async")
       use, intrinsic :: iso_c_binding, only: c_int, c_ptr, c_size_t
       type (c_ptr), value :: data_dev_dest
       type (c_ptr), value :: data_dev_src
       integer (c_size_t), value :: bytes
       integer (c_int), value :: async_arg
     end subroutine acc_memcpy_device_async

  end interface

  ! 3.2.30

  interface acc_memcpy_d2d
     subroutine acc_memcpy_d2d_h (data_arg_dest, data_arg_src, bytes, &
            dev_num_dest, dev_num_src)
       import
       type (*), dimension (..), target :: data_arg_dest
       type (*), dimension (..), target :: data_arg_src
       integer :: bytes
       integer :: dev_num_dest
       integer :: dev_num_src
     end subroutine acc_memcpy_d2d_h
  end interface acc_memcpy_d2d

  interface acc_memcpy_d2d_async
     subroutine acc_memcpy_d2d_async_h (data_arg_dest, data_arg_src, bytes, &
            dev_num_dest, dev_num_src, async_arg_src)
       import
       type (*), dimension (..), target :: data_arg_dest
       type (*), dimension (..), target :: data_arg_src
       integer :: bytes
       integer :: dev_num_dest
       integer :: dev_num_src
       integer :: async_arg_src
     end subroutine acc_memcpy_d2d_async_h
  end interface acc_memcpy_d2d_async

end module openacc
