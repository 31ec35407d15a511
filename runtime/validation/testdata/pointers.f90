! acc_attach and acc_detach of pointers and allocatables of any type, kind and rank,
! and of c_ptr (OpenACC 3.3 section 3.2.29); addresses that the routines return
! (3.2.23, 3.2.24).
module lists
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env
  implicit none

  type item
    integer :: number = 0
    real :: values(3) = 0.0
  end type item

  ! Each pointer follows a word whose address tells where the pointer is.
  type holder
    integer (int64) :: at_int8
    integer (int8), pointer :: int8s(:) => null ()
    integer (int64) :: at_int16
    integer (int16), allocatable :: int16s(:, :)
    integer (int64) :: at_real16
    real (real128), pointer :: real16s(:) => null ()
    integer (int64) :: at_complex
    complex (real64), pointer :: complexes(:, :, :) => null ()
    integer (int64) :: at_logical
    logical (int8), allocatable :: logicals(:)
    integer (int64) :: at_text
    character (5), pointer :: text(:) => null ()
    integer (int64) :: at_deferred
    character (:), allocatable :: deferred
    integer (int64) :: at_items
    type (item), allocatable :: items(:)
    integer (int64) :: at_item
    type (item), pointer :: one => null ()
    integer (int64) :: at_class
    class (item), pointer :: polymorphic => null ()
    integer (int64) :: at_strided
    real, pointer :: strided(:) => null ()
    integer (int64) :: at_handle
    type (c_ptr) :: handle = c_null_ptr
    integer (int64) :: at_next
    type (holder), pointer :: next => null ()
  end type holder
end module lists

program pointers
  use checking
  use lists
  use openacc
  implicit none
  real, target :: whole(100)
  integer, target :: number = 7
  type (item), target :: plain
  type (holder), target :: h, second
  integer :: i

  allocate (h%int8s(10), h%int16s(4, 5), h%real16s(3), h%complexes(2, 3, 4), h%logicals(8), h%text(4), h%items(6), &
       h%one)
  h%deferred = 'a text of its own'
  h%strided => whole(90:10:-10)
  h%handle = c_loc (number)
  h%polymorphic => plain
  h%next => second
  whole = [(real (i), i = 1, 100)]

  call acc_create (h%int8s)
  call acc_create (h%int16s)
  call acc_create (h%real16s)
  call acc_create (h%complexes)
  call acc_create (h%logicals)
  call acc_create (h%text)
  call acc_create (h%deferred, len (h%deferred))
  call acc_copyin (h%items)
  call acc_copyin (h%one)
  call acc_create (plain)
  call acc_copyin (whole)
  call acc_copyin (number)
  call acc_copyin (second)
  call acc_copyin (h)

  call acc_attach (h%int8s)
  call attached ('integer (int8), pointer', h%at_int8, c_loc (h%int8s))
  call acc_attach_async (h%int16s, 3)
  call acc_wait (3)
  call attached ('integer (int16), allocatable, of rank 2', h%at_int16, c_loc (h%int16s))
  call acc_attach (h%real16s)
  call attached ('real (real128), pointer', h%at_real16, c_loc (h%real16s))
  call acc_attach (h%complexes)
  call attached ('complex (real64), pointer, of rank 3', h%at_complex, c_loc (h%complexes))
  call acc_attach (h%logicals)
  call attached ('logical (int8), allocatable', h%at_logical, c_loc (h%logicals))
  call acc_attach (h%text)
  call attached ('character (5), pointer', h%at_text, c_loc (h%text))
  call acc_attach (h%deferred)
  call attached ('character of deferred length', h%at_deferred, c_loc (h%deferred))
  call acc_attach (h%items)
  call attached ('derived type, allocatable', h%at_items, c_loc (h%items))
  call acc_attach (h%one)
  call attached ('derived type, pointer, scalar', h%at_item, c_loc (h%one))
  call acc_attach (h%polymorphic)
  call attached ('polymorphic pointer', h%at_class, c_loc (plain))
  call acc_attach (h%strided)
  call attached ('pointer that runs backwards', h%at_strided, c_loc (h%strided(1)))
  call acc_attach (h%handle)
  call attached ('c_ptr', h%at_handle, h%handle)
  call acc_attach (h%next)
  call attached ('pointer to its own type', h%at_next, c_loc (h%next))
  call acc_attach (second%one)
  call acc_detach (second%one)
  call check ('a null pointer is none', .true.)

  !$acc parallel loop present(h)
  do i = 1, 6
    h%items(i)%number = i * i
    h%items(i)%values(2) = h%strided(i)
  end do
  call acc_update_self (h%items)
  do i = 1, 6
    call check ('a kernel writes through an attached allocatable', h%items(i)%number == i * i)
    call check ('a kernel reads through an attached pointer', abs (h%items(i)%values(2) - (100 - 10 * i)) < 0.5)
  end do

  call acc_attach (h%items)
  call acc_detach (h%items)
  call attached ('attached twice, detached once', h%at_items, c_loc (h%items))
  call acc_detach_async (h%items, 4)
  call acc_wait (4)
  call detached ('detached twice', h%at_items, c_loc (h%items))
  call acc_attach (h%one)
  call acc_detach_finalize (h%one)
  call detached ('detached for good', h%at_item, c_loc (h%one))
  call acc_attach (h%handle)
  call acc_detach_finalize_async (h%handle, 5)
  call acc_wait (5)
  call detached ('c_ptr detached for good', h%at_handle, h%handle)
  call attached ('another pointer stays attached', h%at_next, c_loc (h%next))

  call addresses
  if (discrete ()) then
    call mapped
    call updates_of_aliases
  end if
  call report

contains

  ! The pointer after MARK as the device has it.
  function on_device (mark)
    integer (int64), target, intent (in) :: mark
    type (c_ptr) :: on_device
    type (c_ptr), target :: copy(2)
    call acc_memcpy_from_device (copy, acc_deviceptr (mark), 16_c_size_t)
    on_device = copy(2)
  end function on_device

  subroutine attached (what, mark, target)
    character (*), intent (in) :: what
    integer (int64), intent (in) :: mark
    type (c_ptr), intent (in) :: target
    integer (int8), pointer :: first(:)
    call c_f_pointer (target, first, [1])
    call check (what, c_associated (on_device (mark), acc_deviceptr (first)))
  end subroutine attached

  subroutine detached (what, mark, target)
    character (*), intent (in) :: what
    integer (int64), intent (in) :: mark
    type (c_ptr), intent (in) :: target
    call check (what, c_associated (on_device (mark), target))
  end subroutine detached

  ! That a routine was told an address is no secret of the routine's: the address
  ! which another returns may be the same.
  subroutine addresses
    real, target :: local(50), other(50)
    type (c_ptr) :: device
    call acc_copyin (local)
    device = acc_deviceptr (local)
    call check ('acc_hostptr is where the variable is', c_associated (acc_hostptr (device), c_loc (local)))
    call acc_delete (local)
    other = 1.0
    call acc_copyin (other)
    !$acc parallel loop present(other)
    do i = 1, 50
      other(i) = 2.0
    end do
    call acc_update_self_async (other, 6)
    call acc_wait (6)
    call check ('what comes while the program waits', all (abs (other - 2.0) < 0.5))
    call acc_delete (other)
  end subroutine addresses

  ! Nothing but acc_map_data is told where the variable is.
  subroutine mapped
    real, target :: local(50)
    type (c_ptr) :: device
    device = acc_malloc (200_c_size_t)
    call acc_map_data (local, device, 200_c_size_t)
    call check ('acc_hostptr of acc_map_data', c_associated (acc_hostptr (device), c_loc (local)))
    call acc_unmap_data (local)
    call acc_free (device)
  end subroutine mapped

  ! Where two names of an update mean the same memory, its clauses' order counts.
  subroutine updates_of_aliases
    integer, target :: x(4)
    integer, pointer :: p(:), q(:)
    p => x
    q => x
    x = 10
    !$acc enter data copyin(x)
    x = 1
    !$acc update self(p(1:3)) device(q(2:3))
    call check ('update self before device', all (x == [10, 10, 10, 1]))
    x = 1
    !$acc update device(q(2:3)) self(p(1:3))
    call check ('update device before self', all (x == [10, 1, 1, 1]))
    !$acc exit data delete(x)
  end subroutine updates_of_aliases
end program pointers
