C     The names of the PGI Accelerator model 1.3.
      program accel
      implicit none
      include 'accel_lib.h'
      call acc_init (acc_device_default)
      call acc_set_device (acc_get_device ())
      if (accel_version .ne. 201011) stop 1
      if (acc_get_num_devices (acc_device_host) .ne. 1) stop 2
      if (.not. acc_on_device (acc_device_host)) stop 3
      call acc_async_wait (acc_async_noval)
      print '(a)', 'all is so'
      end
