! What accelerates and slows the water beside its own slopes.
module forcing
  use basin
  implicit none
  private
  public :: force
contains

  ! The turning of the Earth, the bottom's drag, the wind.
  subroutine force(dt, physics, grid, flow)
    real(dp), intent(in) :: dt
    type(constants), intent(in) :: physics
    type(rows_and_columns), intent(in) :: grid
    type(flow_state), intent(inout) :: flow
    call rotate(dt, grid, flow)
    call drag(dt, physics, grid, flow)
    call blow(dt, physics, grid, flow)
  end subroutine force

  ! The Earth turns beneath the water: momentum turns, and keeps its size.
  subroutine rotate(dt, grid, flow)
    real(dp), intent(in) :: dt
    type(rows_and_columns), intent(in) :: grid
    type(flow_state), intent(inout) :: flow
    integer :: members, nx, ny, i, j, m
    real(dp) :: half, turn, scale, x, y
    members = grid%members
    nx = grid%nx
    ny = grid%ny
    half = 0.5d0 * dt
    launches = launches + 1
    !$acc parallel loop collapse(3) private(turn, scale, x, y) present(grid, flow) async(flow_queue)
    do m = 1, members
      do j = 1, ny
        do i = 1, nx
          turn = half * grid%coriolis(j)
          scale = 1d0 + turn * turn
          x = flow%momentum_x(i, j, m)
          y = flow%momentum_y(i, j, m)
          flow%momentum_x(i, j, m) = ((1d0 - turn * turn) * x + 2d0 * turn * y) / scale
          flow%momentum_y(i, j, m) = ((1d0 - turn * turn) * y - 2d0 * turn * x) / scale
        end do
      end do
    end do
  end subroutine rotate

  subroutine drag(dt, physics, grid, flow)
    real(dp), intent(in) :: dt
    type(constants), intent(in) :: physics
    type(rows_and_columns), intent(in) :: grid
    type(flow_state), intent(inout) :: flow
    integer :: members, nx, ny, i, j, m
    real(dp) :: shallowest, coefficient, water, x, y, speed, kept
    members = grid%members
    nx = grid%nx
    ny = grid%ny
    shallowest = physics%shallowest
    coefficient = physics%drag
    launches = launches + 1
    !$acc parallel loop collapse(3) private(water, x, y, speed, kept) present(grid, flow) async(flow_queue)
    do m = 1, members
      do j = 1, ny
        do i = 1, nx
          water = max(flow%depth(i, j, m), shallowest)
          x = flow%momentum_x(i, j, m)
          y = flow%momentum_y(i, j, m)
          speed = sqrt(x * x + y * y) / water
          kept = 1d0 / (1d0 + dt * coefficient * grid%roughness(i, j) * speed / water)
          flow%momentum_x(i, j, m) = kept * x
          flow%momentum_y(i, j, m) = kept * y
        end do
      end do
    end do
  end subroutine drag

  ! Westerly in the south and easterly in the north, a little stronger for each member.
  subroutine blow(dt, physics, grid, flow)
    real(dp), intent(in) :: dt
    type(constants), intent(in) :: physics
    type(rows_and_columns), intent(in) :: grid
    type(flow_state), intent(inout) :: flow
    integer :: members, nx, ny, i, j, m
    real(dp) :: stress, more
    members = grid%members
    nx = grid%nx
    ny = grid%ny
    stress = physics%wind
    more = 0.01d0 * physics%wind
    launches = launches + 1
    !$acc parallel loop collapse(3) present(grid, flow) async(flow_queue)
    do m = 1, members
      do j = 1, ny
        do i = 1, nx
          flow%momentum_x(i, j, m) = flow%momentum_x(i, j, m) + dt * (stress + more * (m - 1)) * grid%wind_shape(j)
        end do
      end do
    end do
  end subroutine blow
end module forcing
