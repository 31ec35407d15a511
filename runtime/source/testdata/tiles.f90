module definitions
  implicit none
  type field_type; real(8) :: spare(80)
    real(8), dimension(:,:), allocatable :: density0, density1, energy0, energy1
    real(8), dimension(:), allocatable :: cellx, celly
  end type
  type tile_type
    type(field_type) :: field
    integer :: left, right, x_min, x_max
  end type
  type chunk_type
    integer :: task
    integer :: x_min, x_max, y_min, y_max
    real(8), dimension(:), allocatable :: left_rcv_buffer, right_rcv_buffer
    real(8), dimension(:), allocatable :: left_snd_buffer, right_snd_buffer
    type(tile_type), dimension(:), allocatable :: tiles
  end type
  type(chunk_type) :: chunk
end module

module pack_module
contains
  subroutine pack_left(x_min, x_max, y_min, y_max, field, left_snd_buffer, depth)
    implicit none
    integer :: x_min, x_max, y_min, y_max, depth, j, k, idx
    real(8), dimension(x_min-2:x_max+2, y_min-2:y_max+2) :: field
    real(8) :: left_snd_buffer(:)
    !$acc data present(left_snd_buffer, field)
    !$acc parallel loop collapse(2) private(idx)
    do k = y_min-depth, y_max+depth
      do j = 1, depth
        idx = j + (k+depth-1)*depth
        left_snd_buffer(idx) = field(x_min+j-1, k)
      end do
    end do
    !$acc update host(left_snd_buffer)
    !$acc end data
  end subroutine
  subroutine unpack_left(x_min, x_max, y_min, y_max, field, left_rcv_buffer, depth)
    implicit none
    integer :: x_min, x_max, y_min, y_max, depth, j, k, idx
    real(8), dimension(x_min-2:x_max+2, y_min-2:y_max+2) :: field
    real(8) :: left_rcv_buffer(:)
    !$acc update device(left_rcv_buffer)
    !$acc parallel loop collapse(2) private(idx) present(left_rcv_buffer, field)
    do k = y_min-depth, y_max+depth
      do j = 1, depth
        idx = j + (k+depth-1)*depth
        field(x_min-j, k) = left_rcv_buffer(idx)
      end do
    end do
  end subroutine
end module

module driver
  use definitions
contains
  subroutine build(n)
    integer :: n
    allocate(chunk%tiles(1))
    chunk%x_min = 1; chunk%x_max = n; chunk%y_min = 1; chunk%y_max = n
    allocate(chunk%tiles(1)%field%density0(-1:n+2,-1:n+2), chunk%tiles(1)%field%density1(-1:n+2,-1:n+2))
    allocate(chunk%tiles(1)%field%energy0(-1:n+2,-1:n+2), chunk%tiles(1)%field%energy1(-1:n+2,-1:n+2))
    allocate(chunk%tiles(1)%field%cellx(-1:n+2), chunk%tiles(1)%field%celly(-1:n+2))
    allocate(chunk%left_snd_buffer(10*2*(n+5)), chunk%left_rcv_buffer(10*2*(n+5)))
    allocate(chunk%right_snd_buffer(10*2*(n+5)), chunk%right_rcv_buffer(10*2*(n+5)))
    chunk%tiles(1)%field%density0 = 1; chunk%tiles(1)%field%density1 = 2
    chunk%tiles(1)%field%energy0 = 3; chunk%tiles(1)%field%energy1 = 4
    chunk%tiles(1)%field%cellx = 5; chunk%tiles(1)%field%celly = 6
    chunk%left_snd_buffer = 0; chunk%left_rcv_buffer = 0; chunk%right_snd_buffer = 0; chunk%right_rcv_buffer = 0
  end subroutine
  subroutine advance(x_min, x_max, y_min, y_max, density0, density1, energy0, dt)
    integer :: x_min, x_max, y_min, y_max, j, k
    real(8) :: dt
    real(8), dimension(x_min-2:x_max+2, y_min-2:y_max+2) :: density0, density1, energy0
    !$acc parallel loop &
    !$acc& collapse(2) &
    !$acc& present(density0, density1, energy0)
    do k = y_min, y_max
      do j = x_min, x_max
        density1(j,k) = density0(j,k) + dt * energy0(j,k)
      end do
    end do
  end subroutine
end module

program hydro
  use definitions
  use driver
  use pack_module
  implicit none
  integer :: step
  call build(32)
  !$acc data copy(chunk%tiles(1)%field%density0) &
  !$acc   copy(chunk%tiles(1)%field%density1, chunk%tiles(1)%field%energy0) &
  !$acc   copyin(chunk%tiles(1)%field%cellx, chunk%tiles(1)%field%celly) &
  !$acc   copyin(chunk%left_snd_buffer, chunk%left_rcv_buffer, chunk%right_snd_buffer, chunk%right_rcv_buffer)
  do step = 1, 5
    call advance(chunk%x_min, chunk%x_max, chunk%y_min, chunk%y_max, chunk%tiles(1)%field%density0, &
        chunk%tiles(1)%field%density1, chunk%tiles(1)%field%energy0, 0.1d0)
    call pack_left(chunk%x_min, chunk%x_max, chunk%y_min, chunk%y_max, chunk%tiles(1)%field%density1, chunk%left_snd_buffer, 2)
    call unpack_left(chunk%x_min, chunk%x_max, chunk%y_min, chunk%y_max, chunk%tiles(1)%field%density1, chunk%left_rcv_buffer, 2)
  end do
  !$acc end data
  print *, sum(chunk%tiles(1)%field%density1)
end program
