! Components of a polymorphic variable, which are told by how many bytes they have.
module shapes
  implicit none
  type shape
    integer :: n
    real(8), allocatable :: points(:)  ! 160 bytes
    real(8), pointer :: weights(:)     ! 240
    real(8) :: fixed(40)               ! 320
  contains
    procedure :: move
  end type
  type, extends(shape) :: disc
    real(8), allocatable :: radii(:)   ! 400
  end type
contains
  subroutine move(this)
    class(shape), intent(inout) :: this
    integer :: i
    !$acc enter data copyin(this%points, this%fixed)
    !$acc data copy(this%weights)
    !$acc parallel loop present(this%points)
    do i = 1, 20
      this%points(i) = this%points(i) + 1
    end do
    !$acc update self(this%points)
    !$acc update self(this%fixed)
    !$acc end data
    !$acc exit data copyout(this%points) delete(this%fixed)
  end subroutine
  subroutine grow(self)
    class(disc), intent(inout) :: self
    !$acc enter data copyin(self%radii)
    !$acc update self(self%radii)
    !$acc exit data delete(self%radii)
  end subroutine
  subroutine plain(this)
    type(disc), intent(inout) :: this
    !$acc enter data copyin(this%radii)
    !$acc exit data delete(this%radii)
  end subroutine
end module

program polymorphic
  use shapes
  implicit none
  type(disc) :: x
  allocate(x%points(20), x%weights(30), x%radii(50))
  call x%move()
  call grow(x)
  call plain(x)
end program
