! Components of derived types in data clauses (OpenACC 3.3 sections 2.7.1 and 2.7.2).
program members
  use openacc
  use checking
  implicit none
  type record
    integer :: n
    real(8), allocatable :: a(:)
    real(8), pointer :: p(:)
  end type
  type(record) :: d
  integer :: i
  real(8) :: total

  allocate (d%a(10), d%p(5))
  d%n = 10
  d%a = [(i, i = 1, 10)]
  d%p = 2
  call component_before_variable
  call component_after_variable
  call component_allocated_later
  call report

contains

  subroutine sum_of_record
    total = 0
    !$acc parallel loop present(d) reduction(+:total)
    do i = 1, 10
      total = total + d%a(i) * d%n
    end do
    call check ('sum of a component that is attached', total == 550)
  end subroutine

  subroutine component_before_variable
    !$acc enter data copyin(d%a, d%p)
    call check ('a component named alone', acc_is_present (d%a))
    if (discrete ()) call check ('the variable around it', .not. acc_is_present (d%n))
    total = 0
    !$acc parallel loop present(d%a) reduction(+:total)
    do i = 1, 10
      total = total + d%a(i)
    end do
    call check ('sum of a component named alone', total == 55)
    !$acc enter data copyin(d)
    !$acc enter data attach(d%a)
    call sum_of_record
    !$acc exit data detach(d%a)
    !$acc exit data delete(d%a, d%p)
    if (discrete ()) call check ('the component after its end', .not. acc_is_present (d%a))
    call check ('the variable after the component ends', acc_is_present (d%n))
    !$acc exit data delete(d)
    if (discrete ()) call check ('the variable after its end', .not. acc_is_present (d%n))
  end subroutine

  subroutine component_after_variable
    !$acc enter data copyin(d)
    !$acc enter data copyin(d%a)
    call sum_of_record
    !$acc exit data delete(d%a) finalize
    call check ('the variable after the component ends at once', acc_is_present (d%n))
    !$acc exit data delete(d)
    if (discrete ()) call check ('the variable at the end', .not. acc_is_present (d%n))
  end subroutine

  ! An attach action includes the bounds (section 2.6.4).
  subroutine component_allocated_later
    type(record) :: later
    !$acc enter data copyin(later)
    allocate (later%a(10))
    later%a = 1
    !$acc enter data copyin(later%a)
    !$acc parallel loop present(later)
    do i = 1, 10
      later%a(i) = later%a(i) + i
    end do
    !$acc update self(later%a)
    call check ('a component that was allocated later', all (later%a == [(i + 1, i = 1, 10)]))
    !$acc exit data delete(later%a)
    !$acc exit data delete(later)
  end subroutine
end program
