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
  type part
    real(8), allocatable :: edges(:)   ! 480
  end type
  type, extends(shape) :: disc
    real(8), allocatable :: radii(:)   ! 400
    type(part) :: parts(3)
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
  subroutine selected(any)
    class(shape), intent(inout) :: any
    select type (any)
    type is (disc)
      !$acc enter data copyin(any%radii)
      !$acc update self(any%radii)
      !$acc exit data delete(any%radii)
    end select
  end subroutine
  subroutine inherited(self)
    class(disc), intent(inout) :: self
    !$acc enter data copyin(self%points, self%parts(2)%edges)
    !$acc exit data delete(self%points, self%parts(2)%edges)
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
  call selected(x)
  allocate(x%parts(1)%edges(60), x%parts(2)%edges(60))
  call inherited(x)
end program
