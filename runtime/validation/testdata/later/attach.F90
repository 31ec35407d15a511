! From GCC 16 on: acc_attach, acc_detach and acc_memcpy_device in Fortran (OpenACC 3.3
! §3.2.29, §3.2.33, §3.2.34).
program attach
  use iso_c_binding
#ifndef INCLUDED
  use openacc
#endif
  implicit none
#ifdef INCLUDED
  include "openacc_lib.h"
#endif
  type list
    integer, pointer :: values(:)
  end type
  integer, parameter :: n = 8
  integer, target :: a(n), b(n)
  type(list) :: l
  type(c_ptr) :: one, other
  integer(c_size_t) :: bytes
  integer :: i
  logical :: right

  a = [(i, i = 1, n)]
  l%values => a
  !$acc enter data copyin(l)
  !$acc enter data copyin(a)
  call acc_attach(l%values)
  !$acc parallel loop present(l)
  do i = 1, n
    l%values(i) = l%values(i) + 10
  end do
  call acc_detach(l%values)
  !$acc exit data copyout(a)
  !$acc exit data delete(l)
  right = all(a == [(i + 10, i = 1, n)])

  bytes = n * 4
  one = acc_malloc(bytes)
  other = acc_malloc(bytes)
  call acc_memcpy_to_device(one, a, bytes)
  call acc_memcpy_device(other, one, bytes)
  b = 0
  call acc_memcpy_from_device(b, other, bytes)
  right = right .and. all(b == a)
  call acc_free(one)
  call acc_free(other)
  print '(a)', merge('right', 'WRONG', right)
  if (.not. right) stop 1
end program
