! Asynchronous constructs and the routines of chapter 3 in Fortran
! (OpenACC 3.3 sections 2.16 and 3.2).
program asynchronous
  use checking
  use openacc
  use, intrinsic :: iso_c_binding
  implicit none
  integer, parameter :: n = 1000
  call queues
  call defaults
  call devices
  call data_routines
  call memory_routines
  call report

contains

  subroutine queues
    integer :: a(n), b(n), c(n), i
    integer (acc_handle_kind) :: q
    a = 0
    b = 0
    c = 0
    !$acc enter data copyin(a, b) async(1)
    !$acc parallel loop present(a) async(1)
    do i = 1, n
      a(i) = i
    end do
    !$acc parallel loop present(a, b) async(2) wait(1)
    do i = 1, n
      b(i) = 2 * a(i)
    end do
    !$acc update self(b) async(2)
    !$acc wait(2)
    call check ('wait clause', all (b == [(2 * i, i = 1, n)]))
    call check ('acc_async_test', acc_async_test (2_acc_handle_kind))
    !$acc parallel loop present(a) copy(c) async(3)
    do i = 1, n
      c(i) = a(i) + 1
    end do
    !$acc wait(3) async(4)
    !$acc exit data copyout(a) async(4)
    !$acc wait(4)
    call check ('wait async', all (a == [(i, i = 1, n)]) .and. all (c == a + 1))
    !$acc exit data delete(b)
    do q = 1, 8
      !$acc parallel loop copy(c) async(q) wait
      do i = 1, n
        c(i) = c(i) + 1
      end do
    end do
    !$acc wait
    call check ('wait without argument', all (c == a + 9) .and. acc_async_test_all ())
    !$acc parallel loop copy(c) async
    do i = 1, n
      c(i) = 0
    end do
    !$acc wait(acc_async_noval)
    call check ('async without argument', all (c == 0))
    !$acc parallel loop copy(c) async(acc_async_sync)
    do i = 1, n
      c(i) = 1
    end do
    call check ('acc_async_sync', all (c == 1))
    !$acc enter data create(c) async(1)
    call acc_update_device_async (c, 1)
    call acc_wait_async (1, 2)
    !$acc parallel loop present(c) async(2)
    do i = 1, n
      c(i) = c(i) * 5
    end do
    call acc_copyout_async (c, 2)
    i = acc_wait_any (1, [2])
    call check ('acc_wait_any', i == 1 .and. all (c == 5))
    call acc_wait_all_async (3)
    call acc_wait_all ()
    call acc_wait_device (3, 0)
    call acc_wait_all_device (0)
  end subroutine queues

  subroutine defaults
    integer (acc_handle_kind) :: initial
    integer :: a(n), i
    initial = acc_get_default_async ()
    call acc_set_default_async (7_acc_handle_kind)
    call check ('acc_get_default_async', acc_get_default_async () == 7)
    !$acc parallel loop copyout(a) async
    do i = 1, n
      a(i) = i
    end do
    call acc_wait (7_acc_handle_kind)
    call check ('acc_set_default_async', all (a == [(i, i = 1, n)]))
    call acc_set_default_async (acc_async_default)
    call check ('acc_async_default', acc_get_default_async () == initial)
  end subroutine defaults

  subroutine devices
    integer (acc_device_kind) :: kind
    character (len=64) :: name
    integer :: count
    integer (c_size_t) :: memory
    kind = acc_get_device_type ()
    count = acc_get_num_devices (kind)
    call check ('acc_get_num_devices', count >= 1)
    call acc_set_device_num (0, kind)
    call check ('acc_get_device_num', acc_get_device_num (kind) == 0)
    call acc_set_device_type (kind)
    call check ('acc_set_device_type', acc_get_device_type () == kind)
    call acc_init (kind)
    call acc_init_device (0, kind)
    memory = acc_get_property (0, kind, acc_property_memory)
    call acc_get_property_string (0, kind, acc_property_name, name)
    call check ('acc_get_property_string', len_trim (name) > 0)
    if (discrete ()) call check ('acc_get_property', memory > 0)
    call check ('acc_on_device', acc_on_device (acc_device_host) .and. .not. acc_on_device (acc_device_not_host))
  end subroutine devices

  subroutine data_routines
    real :: a(n), b(n)
    real, allocatable :: c(:)
    integer :: i
    a = 1
    b = 2
    call acc_copyin (a)
    call acc_create (b, 4 * n)
    call check ('acc_is_present', acc_is_present (a) .and. acc_is_present (b, 4 * n))
    call check ('acc_is_present of a section', acc_is_present (a(10:20)))
    !$acc parallel loop present(a, b)
    do i = 1, n
      b(i) = a(i) + i
    end do
    call acc_copyout (b)
    call check ('acc_copyout', all (b == [(1.0 + i, i = 1, n)]))
    a(1:10) = 50
    call acc_update_device (a(1:10))
    !$acc parallel loop present(a)
    do i = 1, n
      a(i) = a(i) * 2
    end do
    call acc_update_self (a(1:20))
    call check ('acc_update_self', all (a(1:10) == 100) .and. all (a(11:20) == 2))
    if (discrete ()) call check ('of a section only', a(21) == 1)
    call acc_copyin (a)
    call acc_delete (a)
    call check ('counted', acc_is_present (a))
    call acc_delete_finalize (a)
    if (discrete ()) call check ('acc_delete_finalize', .not. acc_is_present (a))
    allocate (c(n))
    c = 3
    call acc_copyin_async (c, 1)
    !$acc parallel loop present(c) async(1)
    do i = 1, n
      c(i) = c(i) + 1
    end do
    call acc_update_self_async (c, 1)
    call acc_delete_async (c, 1)
    call acc_wait (1)
    call check ('asynchronous data routines', all (c == 4))
    call acc_present_or_copyin (c)
    call acc_pcreate (c)
    call acc_copyout_finalize (c)
    if (discrete ()) call check ('acc_copyout_finalize', .not. acc_is_present (c))
  end subroutine data_routines

  subroutine memory_routines
    real, target :: a(n), b(n)
    type (c_ptr) :: d
    integer (c_size_t), parameter :: bytes = 4 * n
    integer :: i
    a = [(real (i), i = 1, n)]
    b = 0
    d = acc_malloc (bytes)
    call check ('acc_malloc', c_associated (d))
    call acc_memcpy_to_device (d, a, bytes)
    call acc_memcpy_from_device (b, d, bytes)
    call check ('acc_memcpy', all (a == b))
    if (discrete ()) then
      b = 0
      call acc_map_data (b, d, bytes)
      call check ('acc_map_data', acc_is_present (b))
      !$acc parallel loop present(b)
      do i = 1, n
        b(i) = b(i) + 1
      end do
      call acc_update_self (b)
      call check ('mapped', all (b == a + 1))
      call check ('acc_hostptr', c_associated (acc_hostptr (d), c_loc (b)))
      call check ('acc_deviceptr', c_associated (acc_deviceptr (b), d))
      call acc_unmap_data (b)
    end if
    call acc_free (d)
    call acc_copyin (a)
    call acc_create (b)
    call acc_memcpy_d2d (b, a, int (bytes), 0, 0)
    call acc_copyout (b)
    call acc_delete (a)
    if (discrete ()) call check ('acc_memcpy_d2d', all (b == a))
  end subroutine memory_routines
end program asynchronous
