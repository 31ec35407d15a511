! openacc_attach.f90 - acc_attach and acc_detach of module openacc (openacc.f90).
! OpenACC 3.3, 3.2.29: gfortran passes an assumed-type argument by a copy of its
! descriptor, which does not tell where the pointer is; so there is one specific
! for each intrinsic type, for pointers (p) and for allocatables (a) of rank 1 and
! more.  For other types use the attach and detach clauses.

module openacc_attach
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  use openacc_kinds, only: acc_handle_kind
  implicit none
  private
  public :: acc_attach, acc_attach_async, acc_detach, acc_detach_async, &
       acc_detach_finalize, acc_detach_finalize_async

  interface acc_attach
     subroutine acc_attach_i4_p (ptr_addr)
       import
       integer (int32), pointer :: ptr_addr(..)
     end subroutine acc_attach_i4_p
     subroutine acc_attach_i4_a (ptr_addr)
       import
       integer (int32), allocatable :: ptr_addr(..)
     end subroutine acc_attach_i4_a
     subroutine acc_attach_i8_p (ptr_addr)
       import
       integer (int64), pointer :: ptr_addr(..)
     end subroutine acc_attach_i8_p
     subroutine acc_attach_i8_a (ptr_addr)
       import
       integer (int64), allocatable :: ptr_addr(..)
     end subroutine acc_attach_i8_a
     subroutine acc_attach_r4_p (ptr_addr)
       import
       real (real32), pointer :: ptr_addr(..)
     end subroutine acc_attach_r4_p
     subroutine acc_attach_r4_a (ptr_addr)
       import
       real (real32), allocatable :: ptr_addr(..)
     end subroutine acc_attach_r4_a
     subroutine acc_attach_r8_p (ptr_addr)
       import
       real (real64), pointer :: ptr_addr(..)
     end subroutine acc_attach_r8_p
     subroutine acc_attach_r8_a (ptr_addr)
       import
       real (real64), allocatable :: ptr_addr(..)
     end subroutine acc_attach_r8_a
     subroutine acc_attach_c4_p (ptr_addr)
       import
       complex (real32), pointer :: ptr_addr(..)
     end subroutine acc_attach_c4_p
     subroutine acc_attach_c4_a (ptr_addr)
       import
       complex (real32), allocatable :: ptr_addr(..)
     end subroutine acc_attach_c4_a
     subroutine acc_attach_c8_p (ptr_addr)
       import
       complex (real64), pointer :: ptr_addr(..)
     end subroutine acc_attach_c8_p
     subroutine acc_attach_c8_a (ptr_addr)
       import
       complex (real64), allocatable :: ptr_addr(..)
     end subroutine acc_attach_c8_a
     subroutine acc_attach_l4_p (ptr_addr)
       import
       logical, pointer :: ptr_addr(..)
     end subroutine acc_attach_l4_p
     subroutine acc_attach_l4_a (ptr_addr)
       import
       logical, allocatable :: ptr_addr(..)
     end subroutine acc_attach_l4_a
  end interface acc_attach

  interface acc_attach_async
     subroutine acc_attach_async_i4_p (ptr_addr, async_arg)
       import
       integer (int32), pointer :: ptr_addr(..)
       integer (acc_handle_kind), value :: async_arg
     end subroutine acc_attach_async_i4_p
     subroutine acc_attach_async_i4_a (ptr_addr, async_arg)
       import
       integer (int32), allocatable :: ptr_addr(..)
       integer (acc_handle_kind), value :: async_arg
     end subroutine acc_attach_async_i4_a
     subroutine acc_attach_async_i8_p (ptr_addr, async_arg)
       import
       integer (int64), pointer :: ptr_addr(..)
       integer (acc_handle_kind), value :: async_arg
     end subroutine acc_attach_async_i8_p
     subroutine acc_attach_async_i8_a (ptr_addr, async_arg)
       import
       integer (int64), allocatable :: ptr_addr(..)
       integer (acc_handle_kind), value :: async_arg
     end subroutine acc_attach_async_i8_a
     subroutine acc_attach_async_r4_p (ptr_addr, async_arg)
       import
       real (real32), pointer :: ptr_addr(..)
       integer (acc_handle_kind), value :: async_arg
     end subroutine acc_attach_async_r4_p
     subroutine acc_attach_async_r4_a (ptr_addr, async_arg)
       import
       real (real32), allocatable :: ptr_addr(..)
       integer (acc_handle_kind), value :: async_arg
     end subroutine acc_attach_async_r4_a
     subroutine acc_attach_async_r8_p (ptr_addr, async_arg)
       import
       real (real64), pointer :: ptr_addr(..)
       integer (acc_handle_kind), value :: async_arg
     end subroutine acc_attach_async_r8_p
     subroutine acc_attach_async_r8_a (ptr_addr, async_arg)
       import
       real (real64), allocatable :: ptr_addr(..)
       integer (acc_handle_kind), value :: async_arg
     end subroutine acc_attach_async_r8_a
     subroutine acc_attach_async_c4_p (ptr_addr, async_arg)
       import
       complex (real32), pointer :: ptr_addr(..)
       integer (acc_handle_kind), value :: async_arg
     end subroutine acc_attach_async_c4_p
     subroutine acc_attach_async_c4_a (ptr_addr, async_arg)
       import
       complex (real32), allocatable :: ptr_addr(..)
       integer (acc_handle_kind), value :: async_arg
     end subroutine acc_attach_async_c4_a
     subroutine acc_attach_async_c8_p (ptr_addr, async_arg)
       import
       complex (real64), pointer :: ptr_addr(..)
       integer (acc_handle_kind), value :: async_arg
     end subroutine acc_attach_async_c8_p
     subroutine acc_attach_async_c8_a (ptr_addr, async_arg)
       import
       complex (real64), allocatable :: ptr_addr(..)
       integer (acc_handle_kind), value :: async_arg
     end subroutine acc_attach_async_c8_a
     subroutine acc_attach_async_l4_p (ptr_addr, async_arg)
       import
       logical, pointer :: ptr_addr(..)
       integer (acc_handle_kind), value :: async_arg
     end subroutine acc_attach_async_l4_p
     subroutine acc_attach_async_l4_a (ptr_addr, async_arg)
       import
       logical, allocatable :: ptr_addr(..)
       integer (acc_handle_kind), value :: async_arg
     end subroutine acc_attach_async_l4_a
  end interface acc_attach_async

  interface acc_detach
     subroutine acc_detach_i4_p (ptr_addr)
       import
       integer (int32), pointer :: ptr_addr(..)
     end subroutine acc_detach_i4_p
     subroutine acc_detach_i4_a (ptr_addr)
       import
       integer (int32), allocatable :: ptr_addr(..)
     end subroutine acc_detach_i4_a
     subroutine acc_detach_i8_p (ptr_addr)
       import
       integer (int64), pointer :: ptr_addr(..)
     end subroutine acc_detach_i8_p
     subroutine acc_detach_i8_a (ptr_addr)
       import
       integer (int64), allocatable :: ptr_addr(..)
     end subroutine acc_detach_i8_a
     subroutine acc_detach_r4_p (ptr_addr)
       import
       real (real32), pointer :: ptr_addr(..)
     end subroutine acc_detach_r4_p
     subroutine acc_detach_r4_a (ptr_addr)
       import
       real (real32), allocatable :: ptr_addr(..)
     end subroutine acc_detach_r4_a
     subroutine acc_detach_r8_p (ptr_addr)
       import
       real (real64), pointer :: ptr_addr(..)
     end subroutine acc_detach_r8_p
     subroutine acc_detach_r8_a (ptr_addr)
       import
       real (real64), allocatable :: ptr_addr(..)
     end subroutine acc_detach_r8_a
     subroutine acc_detach_c4_p (ptr_addr)
       import
       complex (real32), pointer :: ptr_addr(..)
     end subroutine acc_detach_c4_p
     subroutine acc_detach_c4_a (ptr_addr)
       import
       complex (real32), allocatable :: ptr_addr(..)
     end subroutine acc_detach_c4_a
     subroutine acc_detach_c8_p (ptr_addr)
       import
       complex (real64), pointer :: ptr_addr(..)
     end subroutine acc_detach_c8_p
     subroutine acc_detach_c8_a (ptr_addr)
       import
       complex (real64), allocatable :: ptr_addr(..)
     end subroutine acc_detach_c8_a
     subroutine acc_detach_l4_p (ptr_addr)
       import
       logical, pointer :: ptr_addr(..)
     end subroutine acc_detach_l4_p
     subroutine acc_detach_l4_a (ptr_addr)
       import
       logical, allocatable :: ptr_addr(..)
     end subroutine acc_detach_l4_a
  end interface acc_detach

  interface acc_detach_async
     subroutine acc_detach_async_i4_p (ptr_addr, async_arg)
       import
       integer (int32), pointer :: ptr_addr(..)
       integer (acc_handle_kind), value :: async_arg
     end subroutine acc_detach_async_i4_p
     subroutine acc_detach_async_i4_a (ptr_addr, async_arg)
       import
       integer (int32), allocatable :: ptr_addr(..)
       integer (acc_handle_kind), value :: async_arg
     end subroutine acc_detach_async_i4_a
     subroutine acc_detach_async_i8_p (ptr_addr, async_arg)
       import
       integer (int64), pointer :: ptr_addr(..)
       integer (acc_handle_kind), value :: async_arg
     end subroutine acc_detach_async_i8_p
     subroutine acc_detach_async_i8_a (ptr_addr, async_arg)
       import
       integer (int64), allocatable :: ptr_addr(..)
       integer (acc_handle_kind), value :: async_arg
     end subroutine acc_detach_async_i8_a
     subroutine acc_detach_async_r4_p (ptr_addr, async_arg)
       import
       real (real32), pointer :: ptr_addr(..)
       integer (acc_handle_kind), value :: async_arg
     end subroutine acc_detach_async_r4_p
     subroutine acc_detach_async_r4_a (ptr_addr, async_arg)
       import
       real (real32), allocatable :: ptr_addr(..)
       integer (acc_handle_kind), value :: async_arg
     end subroutine acc_detach_async_r4_a
     subroutine acc_detach_async_r8_p (ptr_addr, async_arg)
       import
       real (real64), pointer :: ptr_addr(..)
       integer (acc_handle_kind), value :: async_arg
     end subroutine acc_detach_async_r8_p
     subroutine acc_detach_async_r8_a (ptr_addr, async_arg)
       import
       real (real64), allocatable :: ptr_addr(..)
       integer (acc_handle_kind), value :: async_arg
     end subroutine acc_detach_async_r8_a
     subroutine acc_detach_async_c4_p (ptr_addr, async_arg)
       import
       complex (real32), pointer :: ptr_addr(..)
       integer (acc_handle_kind), value :: async_arg
     end subroutine acc_detach_async_c4_p
     subroutine acc_detach_async_c4_a (ptr_addr, async_arg)
       import
       complex (real32), allocatable :: ptr_addr(..)
       integer (acc_handle_kind), value :: async_arg
     end subroutine acc_detach_async_c4_a
     subroutine acc_detach_async_c8_p (ptr_addr, async_arg)
       import
       complex (real64), pointer :: ptr_addr(..)
       integer (acc_handle_kind), value :: async_arg
     end subroutine acc_detach_async_c8_p
     subroutine acc_detach_async_c8_a (ptr_addr, async_arg)
       import
       complex (real64), allocatable :: ptr_addr(..)
       integer (acc_handle_kind), value :: async_arg
     end subroutine acc_detach_async_c8_a
     subroutine acc_detach_async_l4_p (ptr_addr, async_arg)
       import
       logical, pointer :: ptr_addr(..)
       integer (acc_handle_kind), value :: async_arg
     end subroutine acc_detach_async_l4_p
     subroutine acc_detach_async_l4_a (ptr_addr, async_arg)
       import
       logical, allocatable :: ptr_addr(..)
       integer (acc_handle_kind), value :: async_arg
     end subroutine acc_detach_async_l4_a
  end interface acc_detach_async

  interface acc_detach_finalize
     subroutine acc_detach_finalize_i4_p (ptr_addr)
       import
       integer (int32), pointer :: ptr_addr(..)
     end subroutine acc_detach_finalize_i4_p
     subroutine acc_detach_finalize_i4_a (ptr_addr)
       import
       integer (int32), allocatable :: ptr_addr(..)
     end subroutine acc_detach_finalize_i4_a
     subroutine acc_detach_finalize_i8_p (ptr_addr)
       import
       integer (int64), pointer :: ptr_addr(..)
     end subroutine acc_detach_finalize_i8_p
     subroutine acc_detach_finalize_i8_a (ptr_addr)
       import
       integer (int64), allocatable :: ptr_addr(..)
     end subroutine acc_detach_finalize_i8_a
     subroutine acc_detach_finalize_r4_p (ptr_addr)
       import
       real (real32), pointer :: ptr_addr(..)
     end subroutine acc_detach_finalize_r4_p
     subroutine acc_detach_finalize_r4_a (ptr_addr)
       import
       real (real32), allocatable :: ptr_addr(..)
     end subroutine acc_detach_finalize_r4_a
     subroutine acc_detach_finalize_r8_p (ptr_addr)
       import
       real (real64), pointer :: ptr_addr(..)
     end subroutine acc_detach_finalize_r8_p
     subroutine acc_detach_finalize_r8_a (ptr_addr)
       import
       real (real64), allocatable :: ptr_addr(..)
     end subroutine acc_detach_finalize_r8_a
     subroutine acc_detach_finalize_c4_p (ptr_addr)
       import
       complex (real32), pointer :: ptr_addr(..)
     end subroutine acc_detach_finalize_c4_p
     subroutine acc_detach_finalize_c4_a (ptr_addr)
       import
       complex (real32), allocatable :: ptr_addr(..)
     end subroutine acc_detach_finalize_c4_a
     subroutine acc_detach_finalize_c8_p (ptr_addr)
       import
       complex (real64), pointer :: ptr_addr(..)
     end subroutine acc_detach_finalize_c8_p
     subroutine acc_detach_finalize_c8_a (ptr_addr)
       import
       complex (real64), allocatable :: ptr_addr(..)
     end subroutine acc_detach_finalize_c8_a
     subroutine acc_detach_finalize_l4_p (ptr_addr)
       import
       logical, pointer :: ptr_addr(..)
     end subroutine acc_detach_finalize_l4_p
     subroutine acc_detach_finalize_l4_a (ptr_addr)
       import
       logical, allocatable :: ptr_addr(..)
     end subroutine acc_detach_finalize_l4_a
  end interface acc_detach_finalize

  interface acc_detach_finalize_async
     subroutine acc_detach_finalize_async_i4_p (ptr_addr, async_arg)
       import
       integer (int32), pointer :: ptr_addr(..)
       integer (acc_handle_kind), value :: async_arg
     end subroutine acc_detach_finalize_async_i4_p
     subroutine acc_detach_finalize_async_i4_a (ptr_addr, async_arg)
       import
       integer (int32), allocatable :: ptr_addr(..)
       integer (acc_handle_kind), value :: async_arg
     end subroutine acc_detach_finalize_async_i4_a
     subroutine acc_detach_finalize_async_i8_p (ptr_addr, async_arg)
       import
       integer (int64), pointer :: ptr_addr(..)
       integer (acc_handle_kind), value :: async_arg
     end subroutine acc_detach_finalize_async_i8_p
     subroutine acc_detach_finalize_async_i8_a (ptr_addr, async_arg)
       import
       integer (int64), allocatable :: ptr_addr(..)
       integer (acc_handle_kind), value :: async_arg
     end subroutine acc_detach_finalize_async_i8_a
     subroutine acc_detach_finalize_async_r4_p (ptr_addr, async_arg)
       import
       real (real32), pointer :: ptr_addr(..)
       integer (acc_handle_kind), value :: async_arg
     end subroutine acc_detach_finalize_async_r4_p
     subroutine acc_detach_finalize_async_r4_a (ptr_addr, async_arg)
       import
       real (real32), allocatable :: ptr_addr(..)
       integer (acc_handle_kind), value :: async_arg
     end subroutine acc_detach_finalize_async_r4_a
     subroutine acc_detach_finalize_async_r8_p (ptr_addr, async_arg)
       import
       real (real64), pointer :: ptr_addr(..)
       integer (acc_handle_kind), value :: async_arg
     end subroutine acc_detach_finalize_async_r8_p
     subroutine acc_detach_finalize_async_r8_a (ptr_addr, async_arg)
       import
       real (real64), allocatable :: ptr_addr(..)
       integer (acc_handle_kind), value :: async_arg
     end subroutine acc_detach_finalize_async_r8_a
     subroutine acc_detach_finalize_async_c4_p (ptr_addr, async_arg)
       import
       complex (real32), pointer :: ptr_addr(..)
       integer (acc_handle_kind), value :: async_arg
     end subroutine acc_detach_finalize_async_c4_p
     subroutine acc_detach_finalize_async_c4_a (ptr_addr, async_arg)
       import
       complex (real32), allocatable :: ptr_addr(..)
       integer (acc_handle_kind), value :: async_arg
     end subroutine acc_detach_finalize_async_c4_a
     subroutine acc_detach_finalize_async_c8_p (ptr_addr, async_arg)
       import
       complex (real64), pointer :: ptr_addr(..)
       integer (acc_handle_kind), value :: async_arg
     end subroutine acc_detach_finalize_async_c8_p
     subroutine acc_detach_finalize_async_c8_a (ptr_addr, async_arg)
       import
       complex (real64), allocatable :: ptr_addr(..)
       integer (acc_handle_kind), value :: async_arg
     end subroutine acc_detach_finalize_async_c8_a
     subroutine acc_detach_finalize_async_l4_p (ptr_addr, async_arg)
       import
       logical, pointer :: ptr_addr(..)
       integer (acc_handle_kind), value :: async_arg
     end subroutine acc_detach_finalize_async_l4_p
     subroutine acc_detach_finalize_async_l4_a (ptr_addr, async_arg)
       import
       logical, allocatable :: ptr_addr(..)
       integer (acc_handle_kind), value :: async_arg
     end subroutine acc_detach_finalize_async_l4_a
  end interface acc_detach_finalize_async

end module openacc_attach
