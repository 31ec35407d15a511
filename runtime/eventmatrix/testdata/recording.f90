! What the Fortran programs call to name a section and a variable (recorder.c).
module recording
  use iso_c_binding
  implicit none
contains
  subroutine section(name)
    character(*), intent(in) :: name
    interface
      subroutine record_section(name) bind(C, name="record_section_")
        import
        character(kind=c_char), intent(in) :: name(*)
      end subroutine
    end interface
    call record_section(name // c_null_char)
  end subroutine section

  subroutine variable(name, address, bytes)
    character(*), intent(in) :: name
    type(c_ptr), value :: address
    integer(8), intent(in) :: bytes
    interface
      subroutine record_variable(name, address, bytes) bind(C, name="record_variable_")
        import
        character(kind=c_char), intent(in) :: name(*)
        type(c_ptr), value :: address
        integer(c_int64_t), intent(in) :: bytes
      end subroutine
    end interface
    call record_variable(name // c_null_char, address, bytes)
  end subroutine variable
end module recording
