! accel_lib.f90 - the module accel_lib of the PGI Accelerator model 1.3, section 3.1:
! its routines, with the meaning that OpenACC 3.3 gives them.

module accel_lib
  use openacc, only: acc_device_kind, acc_handle_kind, &
       acc_device_none, acc_device_default, acc_device_host, &
       acc_device_not_host, acc_device_nvidia, acc_device_xeonphi, &
       acc_device_radeon, acc_device_sim, &
       acc_get_num_devices, acc_set_device, acc_get_device, &
       acc_set_device_num, acc_get_device_num, acc_async_test, &
       acc_async_wait, acc_init, acc_shutdown, acc_on_device
  implicit none
  public

  integer, parameter :: accel_version = 201011
end module accel_lib
