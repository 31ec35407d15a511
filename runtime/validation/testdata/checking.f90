! What the Fortran programs share: counting checks, and whether the device has a
! memory of its own.
module checking
  implicit none
  integer :: checks = 0, failures = 0
contains
  subroutine check (what, holds)
    character (*), intent (in) :: what
    logical, intent (in) :: holds
    checks = checks + 1
    if (.not. holds) then
      failures = failures + 1
      print '(2a)', 'failed: ', what
    end if
  end subroutine check

  logical function discrete ()
    use openacc
    discrete = acc_get_device_type () /= acc_device_host
  end function discrete

  subroutine report
    print '(i0, a, i0, a)', checks, ' checks, ', failures, ' failures'
    if (failures > 0) stop 1
  end subroutine report
end module checking
