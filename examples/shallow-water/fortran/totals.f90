! Reductions: the fastest wave, which sets the time step, and sums over the basin.
module totals
  use basin
  use ranks, only: largest_of_ranks, sum_of_ranks
  implicit none
  private
  public :: largest_speed, start_totals, finish_totals

  type, public :: basin_totals
    real(dp) :: mass, tracer, energy
  end type basin_totals

  ! Sums that a queue may still be working on.
  real(dp) :: mass, tracer, energy
contains

  ! How many cells a second the fastest wave passes, in any process.
  real(dp) function largest_speed(physics, grid, flow)
    type(constants), intent(in) :: physics
    type(rows_and_columns), intent(in) :: grid
    type(flow_state), intent(in) :: flow
    integer :: members, nx, ny, i, j, m
    real(dp) :: gravity, shallowest, dx, dy, speed, water, wave, x, y
    members = grid%members
    nx = grid%nx
    ny = grid%ny
    gravity = physics%gravity
    shallowest = physics%shallowest
    dx = grid%dx
    dy = grid%dy
    speed = 0d0
    launches = launches + 1
    !$acc parallel loop collapse(3) private(water, wave, x, y) present(flow) reduction(max:speed) async(flow_queue)
    do m = 1, members
      do j = 1, ny
        do i = 1, nx
          water = max(flow%depth(i, j, m), shallowest)
          wave = sqrt(gravity * water)
          x = (abs(flow%momentum_x(i, j, m) / water) + wave) / dx
          y = (abs(flow%momentum_y(i, j, m) / water) + wave) / dy
          speed = max(speed, max(x, y))
        end do
      end do
    end do
    !$acc wait(flow_queue)
    largest_speed = largest_of_ranks(speed)
  end function largest_speed

  ! Begins sums over the basin, one after the other; finish_totals waits for them.
  subroutine start_totals(physics, grid, flow)
    type(constants), intent(in) :: physics
    type(rows_and_columns), intent(in) :: grid
    type(flow_state), intent(in) :: flow
    integer :: members, nx, ny, i, j, m
    real(dp) :: gravity, shallowest, area, h, x, y
    members = grid%members
    nx = grid%nx
    ny = grid%ny
    gravity = physics%gravity
    shallowest = physics%shallowest
    area = grid%dx * grid%dy
    mass = 0d0
    tracer = 0d0
    energy = 0d0
    ! They read what the other queues have written until here.
    !$acc wait(flow_queue, tracer_queue) async(totals_queue)
    launches = launches + 1
    !$acc parallel loop collapse(3) present(flow) reduction(+:mass, tracer) async(totals_queue)
    do m = 1, members
      do j = 1, ny
        do i = 1, nx
          mass = mass + area * flow%depth(i, j, m)
          tracer = tracer + area * flow%tracer(i, j, m)
        end do
      end do
    end do
    launches = launches + 1
    !$acc parallel loop collapse(3) private(h, x, y) present(flow) reduction(+:energy) async(totals_queue)
    do m = 1, members
      do j = 1, ny
        do i = 1, nx
          h = flow%depth(i, j, m)
          x = flow%momentum_x(i, j, m)
          y = flow%momentum_y(i, j, m)
          energy = energy + area * (0.5d0 * (x * x + y * y) / max(h, shallowest) + 0.5d0 * gravity * h * h)
        end do
      end do
    end do
    ! The next step may change what these read once they have ended.
    !$acc wait(totals_queue) async(flow_queue)
    !$acc wait(totals_queue) async(tracer_queue)
  end subroutine start_totals

  type(basin_totals) function finish_totals()
    !$acc wait(totals_queue)
    finish_totals%mass = sum_of_ranks(mass)
    finish_totals%tracer = sum_of_ranks(tracer)
    finish_totals%energy = sum_of_ranks(energy)
  end function finish_totals
end module totals
