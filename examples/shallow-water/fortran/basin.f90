! The types of the program: what is simulated, where, and the arrays it takes.
!
! put_on_device copies variables of derived type to the device, then their
! allocatable components, whose descriptors the runtime makes point to device
! memory in the copy ("attaches"). A compute construct names the variable in a
! present clause and uses its components as the host does.
module basin
  use, intrinsic :: iso_fortran_env, only: real64, int64
  implicit none

  integer, parameter :: dp = real64

  ! Cells beyond each edge of the basin that a cell's new values depend on.
  integer, parameter :: ghosts = 2

  ! Async queues. Work of one queue runs in order; queues run side by side.
  integer, parameter :: flow_queue = 1   ! depth and momentum
  integer, parameter :: tracer_queue = 2 ! what the water carries with it
  integer, parameter :: totals_queue = 3 ! sums that no step depends on

  real(dp), parameter :: basin_size = 100d3   ! m, each side
  real(dp), parameter :: still_depth = 100d0

  type :: run_options
    integer :: nx = 128, ny = 128 ! cells of the whole basin
    integer :: members = 1        ! basins that are simulated beside each other: the work of each kernel
    integer :: steps = 100
    integer :: report = 50        ! steps from one line of totals to the next; 0: none
    integer :: check = 3          ! steps that are done on the device and again on the host; 0: none
  end type run_options

  type :: constants
    real(dp) :: gravity = 9.81d0    ! m/s^2
    real(dp) :: shallowest = 1d-3   ! m, no division by less water than that
    real(dp) :: steepness = 1.5d0   ! of the slope limiter, 1 (smooth) to 2 (sharp)
    real(dp) :: viscosity = 50d0    ! m^2/s
    real(dp) :: diffusivity = 20d0  ! m^2/s
    real(dp) :: drag = 2.5d-3       ! of the bottom
    real(dp) :: wind = 1d-4         ! m^2/s^2, stress by density
    real(dp) :: courant = 0.45d0    ! of the largest stable time step
  end type constants

  ! The rows of the basin that one process has, and what belongs to places in it.
  type :: rows_and_columns
    integer :: members, nx, ny
    integer :: rows_before       ! in processes to the south
    integer :: all_rows
    integer :: rank, ranks       ! rank 0 has the south
    real(dp) :: dx, dy           ! m
    real(dp), allocatable :: coriolis(:)     ! (ny) 1/s
    real(dp), allocatable :: wind_shape(:)   ! (ny) -1 to 1
    real(dp), allocatable :: roughness(:, :) ! times the mean drag
  end type rows_and_columns

  ! What a step changes: amounts per area, with the ghost cells.
  type :: flow_state
    real(dp), allocatable :: depth(:, :, :)      ! m
    real(dp), allocatable :: momentum_x(:, :, :) ! m^2/s
    real(dp), allocatable :: momentum_y(:, :, :)
    real(dp), allocatable :: tracer(:, :, :)     ! m, depth times concentration
  end type flow_state

  ! What a sweep computes on its way, of the same shape. "Normal" is along the
  ! sweep, "low" and "high" are a cell's faces against it and with it; fluxes are
  ! those through the low face.
  type :: work_arrays
    real(dp), allocatable, dimension(:, :, :) :: normal, transverse, &
      depth_slope, normal_slope, transverse_slope, &
      depth_low, normal_low, transverse_low, &
      depth_high, normal_high, transverse_high, &
      mass_flux, normal_flux, transverse_flux, &
      concentration, tracer_low, tracer_high, tracer_flux
  end type work_arrays

  ! Rows on their way to and from the neighbours: (column, row, member, field).
  type :: halo_buffers
    real(dp), allocatable, dimension(:, :, :, :) :: to_south, to_north, from_south, from_north
  end type halo_buffers

  ! Compute constructs that were launched.
  integer(int64) :: launches = 0

  ! Variables of the module: an enter data directive that names a dummy argument
  ! maps the compiler's temporary that holds its address, too, and leaves it mapped.
  type(rows_and_columns) :: grid
  type(flow_state) :: flow
  type(work_arrays) :: work
  type(halo_buffers) :: halo

contains

  ! A smooth hill around (x0, y0): 1 at its top.
  pure real(dp) function hill(x, y, x0, y0, width)
    real(dp), intent(in) :: x, y, x0, y0, width
    real(dp) :: dx, dy, below
    dx = (x - x0) / width
    dy = (y - y0) / width
    below = 1d0 + dx * dx + dy * dy
    hill = 1d0 / (below * below)
  end function hill

  ! The rows before those of a rank: as many each as can be, the first ranks one more.
  pure integer function rows_before(rank, ranks, rows)
    integer, intent(in) :: rank, ranks, rows
    rows_before = rank * (rows / ranks) + min(rank, mod(rows, ranks))
  end function rows_before

  ! The rows of a rank.
  subroutine lay_out(options, rank, ranks)
    type(run_options), intent(in) :: options
    integer, intent(in) :: rank, ranks
    real(dp) :: north
    integer :: i, j
    grid%members = options%members
    grid%nx = options%nx
    grid%rows_before = rows_before(rank, ranks, options%ny)
    grid%ny = rows_before(rank + 1, ranks, options%ny) - grid%rows_before
    grid%all_rows = options%ny
    grid%rank = rank
    grid%ranks = ranks
    grid%dx = basin_size / options%nx
    grid%dy = basin_size / options%ny
    allocate(grid%coriolis(grid%ny), grid%wind_shape(grid%ny))
    allocate(grid%roughness(1 - ghosts:grid%nx + ghosts, 1 - ghosts:grid%ny + ghosts))
    do j = 1, grid%ny
      north = (grid%rows_before + j - 0.5d0) / grid%all_rows
      grid%coriolis(j) = 1d-4 + 2d-6 * (north - 0.5d0)
      grid%wind_shape(j) = 1d0 - 2d0 * north
    end do
    do j = 1 - ghosts, grid%ny + ghosts
      do i = 1 - ghosts, grid%nx + ghosts
        grid%roughness(i, j) = 0.5d0 + hill((i - 0.5d0) * grid%dx, (grid%rows_before + j - 0.5d0) * grid%dy, &
          0.2d0 * basin_size, 0.5d0 * basin_size, 0.3d0 * basin_size)
      end do
    end do
  end subroutine lay_out

  ! The arrays, with water at rest, a hill of water and a spot of tracer, which
  ! differ from member to member; all of it on the host and on the device.
  subroutine put_on_device()
    real(dp) :: x, y, shift
    integer :: i, j, m
    allocate(flow%depth(1 - ghosts:grid%nx + ghosts, 1 - ghosts:grid%ny + ghosts, grid%members))
    allocate(flow%momentum_x, flow%momentum_y, flow%tracer, mold=flow%depth)
    flow%momentum_x = 0d0
    flow%momentum_y = 0d0
    do m = 1, grid%members
      shift = 0.01d0 * mod(m - 1, 10) * basin_size
      do j = 1 - ghosts, grid%ny + ghosts
        do i = 1 - ghosts, grid%nx + ghosts
          x = (i - 0.5d0) * grid%dx
          y = (grid%rows_before + j - 0.5d0) * grid%dy
          flow%depth(i, j, m) = still_depth + (5d0 + 0.1d0 * mod(m - 1, 7)) &
            * hill(x, y, 0.3d0 * basin_size + shift, 0.6d0 * basin_size, 0.1d0 * basin_size)
          flow%tracer(i, j, m) = flow%depth(i, j, m) &
            * hill(x, y, 0.6d0 * basin_size, 0.4d0 * basin_size - shift, 0.05d0 * basin_size)
        end do
      end do
    end do
    allocate(work%normal, work%transverse, work%depth_slope, work%normal_slope, work%transverse_slope, &
      work%depth_low, work%normal_low, work%transverse_low, &
      work%depth_high, work%normal_high, work%transverse_high, &
      work%mass_flux, work%normal_flux, work%transverse_flux, &
      work%concentration, work%tracer_low, work%tracer_high, work%tracer_flux, mold=flow%depth)
    allocate(halo%to_south(grid%nx, ghosts, grid%members, 4))
    allocate(halo%to_north, halo%from_south, halo%from_north, mold=halo%to_south)
    !$acc enter data copyin(grid, flow, work, halo)
    !$acc enter data copyin(grid%coriolis, grid%wind_shape, grid%roughness)
    !$acc enter data copyin(flow%depth, flow%momentum_x, flow%momentum_y, flow%tracer)
    !$acc enter data create(work%normal, work%transverse) &
    !$acc   create(work%depth_slope, work%normal_slope, work%transverse_slope) &
    !$acc   create(work%depth_low, work%normal_low, work%transverse_low) &
    !$acc   create(work%depth_high, work%normal_high, work%transverse_high) &
    !$acc   create(work%mass_flux, work%normal_flux, work%transverse_flux) &
    !$acc   create(work%concentration, work%tracer_low, work%tracer_high, work%tracer_flux)
    !$acc enter data create(halo%to_south, halo%to_north, halo%from_south, halo%from_north)
  end subroutine put_on_device

  ! Afterwards the host has the flow in arrays of its own.
  subroutine take_from_device(computed)
    type(flow_state), intent(out) :: computed
    !$acc exit data delete(halo%to_south, halo%to_north, halo%from_south, halo%from_north)
    !$acc exit data delete(work%normal, work%transverse) &
    !$acc   delete(work%depth_slope, work%normal_slope, work%transverse_slope) &
    !$acc   delete(work%depth_low, work%normal_low, work%transverse_low) &
    !$acc   delete(work%depth_high, work%normal_high, work%transverse_high) &
    !$acc   delete(work%mass_flux, work%normal_flux, work%transverse_flux) &
    !$acc   delete(work%concentration, work%tracer_low, work%tracer_high, work%tracer_flux)
    !$acc exit data copyout(flow%depth, flow%momentum_x, flow%momentum_y, flow%tracer)
    !$acc exit data delete(grid%coriolis, grid%wind_shape, grid%roughness)
    !$acc exit data delete(grid, flow, work, halo)
    deallocate(halo%to_south, halo%to_north, halo%from_south, halo%from_north)
    deallocate(work%normal, work%transverse, work%depth_slope, work%normal_slope, work%transverse_slope, &
      work%depth_low, work%normal_low, work%transverse_low, &
      work%depth_high, work%normal_high, work%transverse_high, &
      work%mass_flux, work%normal_flux, work%transverse_flux, &
      work%concentration, work%tracer_low, work%tracer_high, work%tracer_flux)
    call move_alloc(flow%depth, computed%depth)
    call move_alloc(flow%momentum_x, computed%momentum_x)
    call move_alloc(flow%momentum_y, computed%momentum_y)
    call move_alloc(flow%tracer, computed%tracer)
  end subroutine take_from_device
end module basin
