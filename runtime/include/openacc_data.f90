! openacc_data.f90 - the data routines of module openacc (openacc.f90).
! OpenACC 3.3, 3.2.18 to 3.2.20 and 3.2.25: the section is data_arg, or bytes bytes
! from its address.

module openacc_data
  use, intrinsic :: iso_fortran_env, only: int32, int64
  use openacc_kinds, only: acc_handle_kind
  implicit none
  private

  public :: acc_copyin, acc_present_or_copyin, acc_pcopyin, &
       acc_create, acc_present_or_create, acc_pcreate, &
       acc_copyout, acc_copyout_finalize, acc_delete, &
       acc_delete_finalize, acc_update_device, acc_update_self, &
       acc_copyin_async, acc_create_async, acc_copyout_async, &
       acc_copyout_finalize_async, acc_delete_async, acc_delete_finalize_async, &
       acc_update_device_async, acc_update_self_async, acc_is_present

  interface acc_copyin
     subroutine acc_copyin_32_h (data_arg, bytes)
       import
       !GCC$ attributes no_arg_check :: data_arg
       type (*), dimension (*), target :: data_arg
       integer (int32) :: bytes
     end subroutine acc_copyin_32_h
     subroutine acc_copyin_64_h (data_arg, bytes)
       import
       !GCC$ attributes no_arg_check :: data_arg
       type (*), dimension (*), target :: data_arg
       integer (int64) :: bytes
     end subroutine acc_copyin_64_h
     subroutine acc_copyin_array_h (data_arg)
       type (*), dimension (..), target :: data_arg
     end subroutine acc_copyin_array_h
  end interface acc_copyin

  interface acc_present_or_copyin
     subroutine acc_present_or_copyin_32_h (data_arg, bytes)
       import
       !GCC$ attributes no_arg_check :: data_arg
       type (*), dimension (*), target :: data_arg
       integer (int32) :: bytes
     end subroutine acc_present_or_copyin_32_h
     subroutine acc_present_or_copyin_64_h (data_arg, bytes)
       import
       !GCC$ attributes no_arg_check :: data_arg
       type (*), dimension (*), target :: data_arg
       integer (int64) :: bytes
     end subroutine acc_present_or_copyin_64_h
     subroutine acc_present_or_copyin_array_h (data_arg)
       type (*), dimension (..), target :: data_arg
     end subroutine acc_present_or_copyin_array_h
  end interface acc_present_or_copyin

  interface acc_pcopyin
     procedure :: acc_present_or_copyin_32_h, acc_present_or_copyin_64_h, &
          acc_present_or_copyin_array_h
  end interface acc_pcopyin

  interface acc_create
     subroutine acc_create_32_h (data_arg, bytes)
       import
       !GCC$ attributes no_arg_check :: data_arg
       type (*), dimension (*), target :: data_arg
       integer (int32) :: bytes
     end subroutine acc_create_32_h
     subroutine acc_create_64_h (data_arg, bytes)
       import
       !GCC$ attributes no_arg_check :: data_arg
       type (*), dimension (*), target :: data_arg
       integer (int64) :: bytes
     end subroutine acc_create_64_h
     subroutine acc_create_array_h (data_arg)
       type (*), dimension (..), target :: data_arg
     end subroutine acc_create_array_h
  end interface acc_create

  interface acc_present_or_create
     subroutine acc_present_or_create_32_h (data_arg, bytes)
       import
       !GCC$ attributes no_arg_check :: data_arg
       type (*), dimension (*), target :: data_arg
       integer (int32) :: bytes
     end subroutine acc_present_or_create_32_h
     subroutine acc_present_or_create_64_h (data_arg, bytes)
       import
       !GCC$ attributes no_arg_check :: data_arg
       type (*), dimension (*), target :: data_arg
       integer (int64) :: bytes
     end subroutine acc_present_or_create_64_h
     subroutine acc_present_or_create_array_h (data_arg)
       type (*), dimension (..), target :: data_arg
     end subroutine acc_present_or_create_array_h
  end interface acc_present_or_create

  interface acc_pcreate
     procedure :: acc_present_or_create_32_h, acc_present_or_create_64_h, &
          acc_present_or_create_array_h
  end interface acc_pcreate

  interface acc_copyout
     subroutine acc_copyout_32_h (data_arg, bytes)
       import
       !GCC$ attributes no_arg_check :: data_arg
       type (*), dimension (*), target :: data_arg
       integer (int32) :: bytes
     end subroutine acc_copyout_32_h
     subroutine acc_copyout_64_h (data_arg, bytes)
       import
       !GCC$ attributes no_arg_check :: data_arg
       type (*), dimension (*), target :: data_arg
       integer (int64) :: bytes
     end subroutine acc_copyout_64_h
     subroutine acc_copyout_array_h (data_arg)
       type (*), dimension (..), target :: data_arg
     end subroutine acc_copyout_array_h
  end interface acc_copyout

  interface acc_copyout_finalize
     subroutine acc_copyout_finalize_32_h (data_arg, bytes)
       import
       !GCC$ attributes no_arg_check :: data_arg
       type (*), dimension (*), target :: data_arg
       integer (int32) :: bytes
     end subroutine acc_copyout_finalize_32_h
     subroutine acc_copyout_finalize_64_h (data_arg, bytes)
       import
       !GCC$ attributes no_arg_check :: data_arg
       type (*), dimension (*), target :: data_arg
       integer (int64) :: bytes
     end subroutine acc_copyout_finalize_64_h
     subroutine acc_copyout_finalize_array_h (data_arg)
       type (*), dimension (..), target :: data_arg
     end subroutine acc_copyout_finalize_array_h
  end interface acc_copyout_finalize

  interface acc_delete
     subroutine acc_delete_32_h (data_arg, bytes)
       import
       !GCC$ attributes no_arg_check :: data_arg
       type (*), dimension (*), target :: data_arg
       integer (int32) :: bytes
     end subroutine acc_delete_32_h
     subroutine acc_delete_64_h (data_arg, bytes)
       import
       !GCC$ attributes no_arg_check :: data_arg
       type (*), dimension (*), target :: data_arg
       integer (int64) :: bytes
     end subroutine acc_delete_64_h
     subroutine acc_delete_array_h (data_arg)
       type (*), dimension (..), target :: data_arg
     end subroutine acc_delete_array_h
  end interface acc_delete

  interface acc_delete_finalize
     subroutine acc_delete_finalize_32_h (data_arg, bytes)
       import
       !GCC$ attributes no_arg_check :: data_arg
       type (*), dimension (*), target :: data_arg
       integer (int32) :: bytes
     end subroutine acc_delete_finalize_32_h
     subroutine acc_delete_finalize_64_h (data_arg, bytes)
       import
       !GCC$ attributes no_arg_check :: data_arg
       type (*), dimension (*), target :: data_arg
       integer (int64) :: bytes
     end subroutine acc_delete_finalize_64_h
     subroutine acc_delete_finalize_array_h (data_arg)
       type (*), dimension (..), target :: data_arg
     end subroutine acc_delete_finalize_array_h
  end interface acc_delete_finalize

  interface acc_update_device
     subroutine acc_update_device_32_h (data_arg, bytes)
       import
       !GCC$ attributes no_arg_check :: data_arg
       type (*), dimension (*), target :: data_arg
       integer (int32) :: bytes
     end subroutine acc_update_device_32_h
     subroutine acc_update_device_64_h (data_arg, bytes)
       import
       !GCC$ attributes no_arg_check :: data_arg
       type (*), dimension (*), target :: data_arg
       integer (int64) :: bytes
     end subroutine acc_update_device_64_h
     subroutine acc_update_device_array_h (data_arg)
       type (*), dimension (..), target :: data_arg
     end subroutine acc_update_device_array_h
  end interface acc_update_device

  interface acc_update_self
     subroutine acc_update_self_32_h (data_arg, bytes)
       import
       !GCC$ attributes no_arg_check :: data_arg
       type (*), dimension (*), target :: data_arg
       integer (int32) :: bytes
     end subroutine acc_update_self_32_h
     subroutine acc_update_self_64_h (data_arg, bytes)
       import
       !GCC$ attributes no_arg_check :: data_arg
       type (*), dimension (*), target :: data_arg
       integer (int64) :: bytes
     end subroutine acc_update_self_64_h
     subroutine acc_update_self_array_h (data_arg)
       type (*), dimension (..), target :: data_arg
     end subroutine acc_update_self_array_h
  end interface acc_update_self

  interface acc_copyin_async
     subroutine acc_copyin_async_32_h (data_arg, bytes, async_arg)
       import
       !GCC$ attributes no_arg_check :: data_arg
       type (*), dimension (*), target :: data_arg
       integer (int32) :: bytes
       integer (acc_handle_kind) :: async_arg
     end subroutine acc_copyin_async_32_h
     subroutine acc_copyin_async_64_h (data_arg, bytes, async_arg)
       import
       !GCC$ attributes no_arg_check :: data_arg
       type (*), dimension (*), target :: data_arg
       integer (int64) :: bytes
       integer (acc_handle_kind) :: async_arg
     end subroutine acc_copyin_async_64_h
     subroutine acc_copyin_async_array_h (data_arg, async_arg)
       import
       type (*), dimension (..), target :: data_arg
       integer (acc_handle_kind) :: async_arg
     end subroutine acc_copyin_async_array_h
  end interface acc_copyin_async

  interface acc_create_async
     subroutine acc_create_async_32_h (data_arg, bytes, async_arg)
       import
       !GCC$ attributes no_arg_check :: data_arg
       type (*), dimension (*), target :: data_arg
       integer (int32) :: bytes
       integer (acc_handle_kind) :: async_arg
     end subroutine acc_create_async_32_h
     subroutine acc_create_async_64_h (data_arg, bytes, async_arg)
       import
       !GCC$ attributes no_arg_check :: data_arg
       type (*), dimension (*), target :: data_arg
       integer (int64) :: bytes
       integer (acc_handle_kind) :: async_arg
     end subroutine acc_create_async_64_h
     subroutine acc_create_async_array_h (data_arg, async_arg)
       import
       type (*), dimension (..), target :: data_arg
       integer (acc_handle_kind) :: async_arg
     end subroutine acc_create_async_array_h
  end interface acc_create_async

  interface acc_copyout_async
     subroutine acc_copyout_async_32_h (data_arg, bytes, async_arg)
       import
       !GCC$ attributes no_arg_check :: data_arg
       type (*), dimension (*), target :: data_arg
       integer (int32) :: bytes
       integer (acc_handle_kind) :: async_arg
     end subroutine acc_copyout_async_32_h
     subroutine acc_copyout_async_64_h (data_arg, bytes, async_arg)
       import
       !GCC$ attributes no_arg_check :: data_arg
       type (*), dimension (*), target :: data_arg
       integer (int64) :: bytes
       integer (acc_handle_kind) :: async_arg
     end subroutine acc_copyout_async_64_h
     subroutine acc_copyout_async_array_h (data_arg, async_arg)
       import
       type (*), dimension (..), target :: data_arg
       integer (acc_handle_kind) :: async_arg
     end subroutine acc_copyout_async_array_h
  end interface acc_copyout_async

  interface acc_copyout_finalize_async
     subroutine acc_copyout_finalize_async_32_h (data_arg, bytes, async_arg)
       import
       !GCC$ attributes no_arg_check :: data_arg
       type (*), dimension (*), target :: data_arg
       integer (int32) :: bytes
       integer (acc_handle_kind) :: async_arg
     end subroutine acc_copyout_finalize_async_32_h
     subroutine acc_copyout_finalize_async_64_h (data_arg, bytes, async_arg)
       import
       !GCC$ attributes no_arg_check :: data_arg
       type (*), dimension (*), target :: data_arg
       integer (int64) :: bytes
       integer (acc_handle_kind) :: async_arg
     end subroutine acc_copyout_finalize_async_64_h
     subroutine acc_copyout_finalize_async_array_h (data_arg, async_arg)
       import
       type (*), dimension (..), target :: data_arg
       integer (acc_handle_kind) :: async_arg
     end subroutine acc_copyout_finalize_async_array_h
  end interface acc_copyout_finalize_async

  interface acc_delete_async
     subroutine acc_delete_async_32_h (data_arg, bytes, async_arg)
       import
       !GCC$ attributes no_arg_check :: data_arg
       type (*), dimension (*), target :: data_arg
       integer (int32) :: bytes
       integer (acc_handle_kind) :: async_arg
     end subroutine acc_delete_async_32_h
     subroutine acc_delete_async_64_h (data_arg, bytes, async_arg)
       import
       !GCC$ attributes no_arg_check :: data_arg
       type (*), dimension (*), target :: data_arg
       integer (int64) :: bytes
       integer (acc_handle_kind) :: async_arg
     end subroutine acc_delete_async_64_h
     subroutine acc_delete_async_array_h (data_arg, async_arg)
       import
       type (*), dimension (..), target :: data_arg
       integer (acc_handle_kind) :: async_arg
     end subroutine acc_delete_async_array_h
  end interface acc_delete_async

  interface acc_delete_finalize_async
     subroutine acc_delete_finalize_async_32_h (data_arg, bytes, async_arg)
       import
       !GCC$ attributes no_arg_check :: data_arg
       type (*), dimension (*), target :: data_arg
       integer (int32) :: bytes
       integer (acc_handle_kind) :: async_arg
     end subroutine acc_delete_finalize_async_32_h
     subroutine acc_delete_finalize_async_64_h (data_arg, bytes, async_arg)
       import
       !GCC$ attributes no_arg_check :: data_arg
       type (*), dimension (*), target :: data_arg
       integer (int64) :: bytes
       integer (acc_handle_kind) :: async_arg
     end subroutine acc_delete_finalize_async_64_h
     subroutine acc_delete_finalize_async_array_h (data_arg, async_arg)
       import
       type (*), dimension (..), target :: data_arg
       integer (acc_handle_kind) :: async_arg
     end subroutine acc_delete_finalize_async_array_h
  end interface acc_delete_finalize_async

  interface acc_update_device_async
     subroutine acc_update_device_async_32_h (data_arg, bytes, async_arg)
       import
       !GCC$ attributes no_arg_check :: data_arg
       type (*), dimension (*), target :: data_arg
       integer (int32) :: bytes
       integer (acc_handle_kind) :: async_arg
     end subroutine acc_update_device_async_32_h
     subroutine acc_update_device_async_64_h (data_arg, bytes, async_arg)
       import
       !GCC$ attributes no_arg_check :: data_arg
       type (*), dimension (*), target :: data_arg
       integer (int64) :: bytes
       integer (acc_handle_kind) :: async_arg
     end subroutine acc_update_device_async_64_h
     subroutine acc_update_device_async_array_h (data_arg, async_arg)
       import
       type (*), dimension (..), target :: data_arg
       integer (acc_handle_kind) :: async_arg
     end subroutine acc_update_device_async_array_h
  end interface acc_update_device_async

  interface acc_update_self_async
     subroutine acc_update_self_async_32_h (data_arg, bytes, async_arg)
       import
       !GCC$ attributes no_arg_check :: data_arg
       type (*), dimension (*), target :: data_arg
       integer (int32) :: bytes
       integer (acc_handle_kind) :: async_arg
     end subroutine acc_update_self_async_32_h
     subroutine acc_update_self_async_64_h (data_arg, bytes, async_arg)
       import
       !GCC$ attributes no_arg_check :: data_arg
       type (*), dimension (*), target :: data_arg
       integer (int64) :: bytes
       integer (acc_handle_kind) :: async_arg
     end subroutine acc_update_self_async_64_h
     subroutine acc_update_self_async_array_h (data_arg, async_arg)
       import
       type (*), dimension (..), target :: data_arg
       integer (acc_handle_kind) :: async_arg
     end subroutine acc_update_self_async_array_h
  end interface acc_update_self_async

  interface acc_is_present
     function acc_is_present_32_h (data_arg, bytes)
       import
       logical :: acc_is_present_32_h
       !GCC$ attributes no_arg_check :: data_arg
       type (*), dimension (*), target :: data_arg
       integer (int32) :: bytes
     end function acc_is_present_32_h
     function acc_is_present_64_h (data_arg, bytes)
       import
       logical :: acc_is_present_64_h
       !GCC$ attributes no_arg_check :: data_arg
       type (*), dimension (*), target :: data_arg
       integer (int64) :: bytes
     end function acc_is_present_64_h
     function acc_is_present_array_h (data_arg)
       logical :: acc_is_present_array_h
       type (*), dimension (..), target :: data_arg
     end function acc_is_present_array_h
  end interface acc_is_present

end module openacc_data
