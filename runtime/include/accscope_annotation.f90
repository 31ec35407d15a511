! accscope_annotation.f90 - ranges, frames and marks of a program's own, for accscope's
! profiler: what accscope_annotation.h is for C. Compile it with the program; nothing
! else has to be linked. Without the profiler a call costs a comparison.
!
!   use accscope_annotation
!   call accscope_frame_begin('step', n)       a turn of the program's main loop
!   call accscope_range_push('assemble')       or ('assemble', __FILE__, __LINE__)
!   call accscope_range_pop()
!   call accscope_mark('restarted')
!   call accscope_frame_end()
!   request = accscope_range_start('request')   a range of the process: it may end on
!   call accscope_range_end(request)            another thread; integer(c_int64_t)
!
! Without the file the profiler finds out who called, which it cannot where the compiler
! has put these procedures into their callers (-flto).
module accscope_annotation
  use, intrinsic :: iso_c_binding
  implicit none
  private
  public :: accscope_range_push, accscope_range_pop, accscope_frame_begin, accscope_frame_end, accscope_mark, &
    accscope_range_start, accscope_range_end

  ! accscope_frame_begin(name, number, file, line); number of either kind
  interface accscope_frame_begin
    module procedure frame_begin_32, frame_begin_64
  end interface

  ! struct accscope_annotation
  type, bind(c) :: annotation
    integer(c_int32_t) :: size
    integer(c_int32_t) :: kind
    type(c_ptr) :: name
    type(c_ptr) :: file
    type(c_ptr) :: function
    integer(c_int32_t) :: line
    integer(c_int32_t) :: communicator
    integer(c_int64_t) :: number
    integer(c_int64_t) :: bytes
    integer(c_int64_t) :: caller
    integer(c_int32_t) :: tag
    integer(c_int32_t) :: reserved
    type(c_ptr) :: callee
  end type

  ! enum accscope_annotation_kind
  integer(c_int32_t), parameter :: range_start = 40, range_end = 41, frame_start = 42, frame_end = 43, mark = 44, &
    process_range_start = 48, process_range_end = 49

  abstract interface
    function annotate(a) bind(c) result(range)
      import :: annotation, c_int64_t
      type(annotation), intent(in) :: a
      integer(c_int64_t) :: range
    end function
  end interface

  interface
    function dlopen(path, flags) bind(c, name='dlopen') result(library)
      import :: c_ptr, c_int
      type(c_ptr), value :: path
      integer(c_int), value :: flags
      type(c_ptr) :: library
    end function
    function dlsym(library, symbol) bind(c, name='dlsym') result(address)
      import :: c_ptr, c_funptr, c_char
      type(c_ptr), value :: library
      character(kind=c_char), intent(in) :: symbol(*)
      type(c_funptr) :: address
    end function
    function getauxval(key) bind(c, name='getauxval') result(value)
      import :: c_long
      integer(c_long), value :: key
      integer(c_long) :: value
    end function
  end interface

  integer(c_int), parameter :: lazy = 1            ! RTLD_LAZY
  integer(c_long), parameter :: at_secure = 23
  character(kind=c_char, len=*), parameter :: symbol = 'accscope_annotate'//c_null_char
  procedure(annotate), pointer :: profiler => null()
  logical, volatile :: looked = .false.

contains

  subroutine accscope_range_push(name, file, line)
    character(len=*), intent(in) :: name
    character(len=*), intent(in), optional :: file
    integer, intent(in), optional :: line
    integer(c_int), target :: here
    call send(c_loc(here), range_start, name, 0_c_int64_t, file, line)
  end subroutine

  subroutine accscope_range_pop()
    integer(c_int), target :: here
    call send(c_loc(here), range_end, '', 0_c_int64_t)
  end subroutine

  function accscope_range_start(name, file, line) result(range)
    character(len=*), intent(in) :: name
    character(len=*), intent(in), optional :: file
    integer, intent(in), optional :: line
    integer(c_int64_t) :: range
    integer(c_int), target :: here
    call send(c_loc(here), process_range_start, name, 0_c_int64_t, file, line, range)
  end function

  subroutine accscope_range_end(range)
    integer(c_int64_t), intent(in) :: range
    integer(c_int), target :: here
    call send(c_loc(here), process_range_end, '', range)
  end subroutine

  subroutine frame_begin_32(name, number, file, line)
    character(len=*), intent(in) :: name
    integer(c_int32_t), intent(in) :: number
    character(len=*), intent(in), optional :: file
    integer, intent(in), optional :: line
    integer(c_int), target :: here
    call send(c_loc(here), frame_start, name, int(number, c_int64_t), file, line)
  end subroutine

  subroutine frame_begin_64(name, number, file, line)
    character(len=*), intent(in) :: name
    integer(c_int64_t), intent(in) :: number
    character(len=*), intent(in), optional :: file
    integer, intent(in), optional :: line
    integer(c_int), target :: here
    call send(c_loc(here), frame_start, name, number, file, line)
  end subroutine

  subroutine accscope_frame_end()
    integer(c_int), target :: here
    call send(c_loc(here), frame_end, '', 0_c_int64_t)
  end subroutine

  subroutine accscope_mark(name, file, line)
    character(len=*), intent(in) :: name
    character(len=*), intent(in), optional :: file
    integer, intent(in), optional :: line
    integer(c_int), target :: here
    call send(c_loc(here), mark, name, 0_c_int64_t, file, line)
  end subroutine

  ! here lies in the frame of the procedure that the program has called.
  subroutine send(here, kind, name, number, file, line, range)
    type(c_ptr), intent(in) :: here
    integer(c_int32_t), intent(in) :: kind
    character(len=*), intent(in) :: name
    integer(c_int64_t), intent(in) :: number
    character(len=*), intent(in), optional :: file
    integer, intent(in), optional :: line
    integer(c_int64_t), intent(out), optional :: range
    character(kind=c_char, len=len_trim(name) + 1), target :: text
    integer(c_int64_t) :: given
    type(annotation) :: a
    if (present(range)) range = 0
    if (.not. looked) then
      !$omp critical (accscope_annotation_look)
      if (.not. looked) call look()
      !$omp end critical (accscope_annotation_look)
    end if
    if (.not. associated(profiler)) return
    text = trim(name)//c_null_char
    a = annotation(int(storage_size(a) / 8, c_int32_t), kind, c_loc(text), c_null_ptr, c_null_ptr, -1, 0, number, 0, 0, 0, 0, here)
    if (len_trim(name) == 0) a%name = c_null_ptr
    if (present(line)) a%line = line
    if (present(file)) then
      call send_from(a, file, given)
    else
      given = profiler(a)
    end if
    if (present(range)) range = given
  end subroutine

  subroutine send_from(a, file, given)
    type(annotation), intent(inout) :: a
    character(len=*), intent(in) :: file
    integer(c_int64_t), intent(out) :: given
    character(kind=c_char, len=len_trim(file) + 1), target :: path
    path = trim(file)//c_null_char
    if (len_trim(file) > 0) a%file = c_loc(path)
    given = profiler(a)
  end subroutine

  ! Finds the profiler in a library of the program, or in the one among those of
  ! ACC_PROFLIB, separated by semicolons, whose name begins with libaccprof.
  subroutine look()
    character(len=32768) :: list
    character(kind=c_char, len=4097), target :: path
    type(c_funptr) :: address
    type(c_ptr) :: library
    integer :: from, to, length, status
    library = dlopen(c_null_ptr, lazy)
    address = c_null_funptr
    if (c_associated(library)) address = dlsym(library, symbol)
    length = 0
    if (getauxval(at_secure) == 0) then
      call get_environment_variable('ACC_PROFLIB', list, length, status)
      if (status /= 0) length = 0
    end if
    from = 1
    do while (from <= length .and. .not. c_associated(address))
      to = index(list(from:length), ';') + from - 2
      if (to < from - 1) to = length
      if (index(list(from + index(list(from:to), '/', back=.true.):to), 'libaccprof') == 1 .and. to - from < 4096) then
        path = list(from:to)//c_null_char
        library = dlopen(c_loc(path), lazy)
        if (c_associated(library)) address = dlsym(library, symbol)
      end if
      from = to + 2
    end do
    if (c_associated(address)) call c_f_procpointer(address, profiler)
    looked = .true.
  end subroutine

end module
