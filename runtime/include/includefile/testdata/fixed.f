C     Fixed form, with the names of OpenACC 1.0 to 2.7.
      program fixed
      implicit none
      include 'openacc_lib.h'
      real a(100), b(100)
      integer i
      integer (acc_device_kind) kind
      kind = acc_get_device_type ()
      if (acc_get_num_devices (kind) .lt. 1) stop 1
      if (acc_get_num_devices (acc_device_xeonphi) .ne. 0) stop 2
      a = 1.0
      call acc_pcopyin (a)
      call acc_present_or_create (b, 400)
      if (.not. acc_is_present (a, 400)) stop 3
!$acc parallel loop present(a, b) async(3)
      do i = 1, 100
        b(i) = a(i) + i
      end do
      call acc_async_wait (3)
      if (.not. acc_async_test_all ()) stop 4
      call acc_copyout (b)
      call acc_delete (a(1:100))
      if (b(100) .ne. 101.0) stop 5
      if (openacc_version .ne. 202211) stop 6
      print '(a)', 'all is so'
      end
