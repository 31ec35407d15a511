! { dg-do run }
! A pseudo-terminal keeps the lines of the two units in the order of writing.
program order
  use iso_fortran_env
  write (output_unit, '(a)') "first"
  write (error_unit, '(a)') "second"
  write (output_unit, '(a)') "third"
end program
! { dg-output "first(\n|\r\n|\r)second(\n|\r\n|\r)third(\n|\r\n|\r)+" }
