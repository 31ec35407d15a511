! openacc_attach.f90 - acc_attach and acc_detach of module openacc (openacc.f90).
! OpenACC 3.3, 3.2.29: a pointer or allocatable variable of any type, kind and rank,
! or a c_ptr.  gfortran passes what it points to, and not where the pointer is; the
! library finds that in the memory that is present on the device.

module openacc_attach
  use openacc_kinds, only: acc_handle_kind
  implicit none
  private
  public :: acc_attach, acc_attach_async, acc_detach, acc_detach_async, &
       acc_detach_finalize, acc_detach_finalize_async

  interface acc_attach
     subroutine acc_attach_array_h (ptr_addr)
       type (*), dimension (..), target :: ptr_addr
     end subroutine acc_attach_array_h
  end interface acc_attach

  interface acc_attach_async
     subroutine acc_attach_async_array_h (ptr_addr, async_arg)
       import
       type (*), dimension (..), target :: ptr_addr
       integer (acc_handle_kind), value :: async_arg
     end subroutine acc_attach_async_array_h
  end interface acc_attach_async

  interface acc_detach
     subroutine acc_detach_array_h (ptr_addr)
       type (*), dimension (..), target :: ptr_addr
     end subroutine acc_detach_array_h
  end interface acc_detach

  interface acc_detach_async
     subroutine acc_detach_async_array_h (ptr_addr, async_arg)
       import
       type (*), dimension (..), target :: ptr_addr
       integer (acc_handle_kind), value :: async_arg
     end subroutine acc_detach_async_array_h
  end interface acc_detach_async

  interface acc_detach_finalize
     subroutine acc_detach_finalize_array_h (ptr_addr)
       type (*), dimension (..), target :: ptr_addr
     end subroutine acc_detach_finalize_array_h
  end interface acc_detach_finalize

  interface acc_detach_finalize_async
     subroutine acc_detach_finalize_async_array_h (ptr_addr, async_arg)
       import
       type (*), dimension (..), target :: ptr_addr
       integer (acc_handle_kind), value :: async_arg
     end subroutine acc_detach_finalize_async_array_h
  end interface acc_detach_finalize_async

end module openacc_attach
