! openacc_kinds.f90 - the kinds and constants of module openacc (openacc.f90).

module openacc_kinds
  use, intrinsic :: iso_fortran_env, only: int32
  implicit none
  private :: int32

  ! 3.1: kinds
  integer, parameter :: acc_device_kind = int32
  integer, parameter :: acc_device_property_kind = int32
  integer, parameter :: acc_handle_kind = int32
  ! the name before OpenACC 3.0
  integer, parameter :: acc_device_property = acc_device_property_kind

  ! 3.1: device types
  integer (acc_device_kind), parameter :: acc_device_current = -1
  integer (acc_device_kind), parameter :: acc_device_none = 0
  integer (acc_device_kind), parameter :: acc_device_default = 1
  integer (acc_device_kind), parameter :: acc_device_host = 2
  integer (acc_device_kind), parameter :: acc_device_not_host = 4
  integer (acc_device_kind), parameter :: acc_device_nvidia = 5
  integer (acc_device_kind), parameter :: acc_device_xeonphi = 6
  integer (acc_device_kind), parameter :: acc_device_radeon = 8
  integer (acc_device_kind), parameter :: acc_device_sim = 100
  integer (acc_device_kind), parameter :: acc_device_opencl = 101

  ! 3.1: special values of an async argument
  integer (acc_handle_kind), parameter :: acc_async_noval = -1
  integer (acc_handle_kind), parameter :: acc_async_sync = -2
  integer (acc_handle_kind), parameter :: acc_async_default = -3

  ! 3.2.6: properties
  integer (acc_device_property_kind), parameter :: acc_property_none = 0
  integer (acc_device_property_kind), parameter :: acc_property_memory = 1
  integer (acc_device_property_kind), parameter :: acc_property_free_memory = 2
  integer (acc_device_property_kind), parameter :: &
       acc_property_shared_memory_support = 3
  integer (acc_device_property_kind), parameter :: acc_property_name = &
       int (z'10001', acc_device_property_kind)
  integer (acc_device_property_kind), parameter :: acc_property_vendor = &
       int (z'10002', acc_device_property_kind)
  integer (acc_device_property_kind), parameter :: acc_property_driver = &
       int (z'10003', acc_device_property_kind)
end module openacc_kinds
