! One sweep: the equations along one axis, with MUSCL-Hancock reconstruction and
! the HLL Riemann solver. The next cell along the axis is (i + di, j + dj), so the
! same kernels serve both axes: "low" and "high" are west and east, or south and
! north.
module sweeps
  use basin
  implicit none
  private
  public :: sweep
contains

  ! Fluxes along one axis (finite volumes, second order), and what they change.
  subroutine sweep(along_x, dt, physics, grid, flow, work)
    logical, intent(in) :: along_x
    real(dp), intent(in) :: dt
    type(constants), intent(in) :: physics
    type(rows_and_columns), intent(in) :: grid
    type(flow_state), intent(inout) :: flow
    type(work_arrays), intent(inout) :: work
    if (along_x) then
      call sweep_along(1, 0, grid%dx, dt, physics, grid, flow, flow%momentum_x, flow%momentum_y, work)
    else
      call sweep_along(0, 1, grid%dy, dt, physics, grid, flow, flow%momentum_y, flow%momentum_x, work)
    end if
  end subroutine sweep

  subroutine sweep_along(di, dj, spacing, dt, physics, grid, flow, normal, transverse, work)
    integer, intent(in) :: di, dj
    real(dp), intent(in) :: spacing, dt
    type(constants), intent(in) :: physics
    type(rows_and_columns), intent(in) :: grid
    type(flow_state), intent(inout) :: flow
    real(dp), intent(inout), contiguous :: normal(1 - ghosts:, 1 - ghosts:, :), transverse(1 - ghosts:, 1 - ghosts:, :)
    type(work_arrays), intent(inout) :: work
    ! The tracer's faces need the depth as it is here.
    !$acc wait(flow_queue) async(tracer_queue)
    call concentrations(di, dj, physics, grid, flow%depth, flow%tracer, work%concentration)
    call tracer_faces(di, dj, spacing, dt, physics, grid, flow%depth, normal, work%concentration, &
      work%tracer_low, work%tracer_high)
    call velocities(di, dj, physics, grid, flow, normal, transverse, work)
    call slopes(di, dj, physics, grid, flow, work)
    call faces(di, dj, spacing, dt, physics, grid, flow, work)
    call fluxes(di, dj, spacing, physics, grid, work)
    ! The tracer's fluxes need those of the mass, and both the depth as it was.
    !$acc wait(flow_queue) async(tracer_queue)
    call tracer_fluxes(di, dj, spacing, physics, grid, flow%depth, work%mass_flux, work%concentration, &
      work%tracer_low, work%tracer_high, work%tracer_flux)
    !$acc wait(tracer_queue) async(flow_queue)
    call update_flow(di, dj, spacing, dt, grid, flow, normal, transverse, work)
    call update_tracer(di, dj, spacing, dt, grid, flow%tracer, work%tracer_flux)
  end subroutine sweep_along

  ! The smallest of three slopes of one sign, 0 where the signs differ.
  pure real(dp) function limited(low, centre, high)
    !$acc routine seq
    real(dp), intent(in) :: low, centre, high
    if (low > 0d0 .and. centre > 0d0 .and. high > 0d0) then
      limited = min(low, min(centre, high))
    else if (low < 0d0 .and. centre < 0d0 .and. high < 0d0) then
      limited = max(low, max(centre, high))
    else
      limited = 0d0
    end if
  end function limited

  subroutine velocities(di, dj, physics, grid, flow, normal, transverse, work)
    integer, intent(in) :: di, dj
    type(constants), intent(in) :: physics
    type(rows_and_columns), intent(in) :: grid
    type(flow_state), intent(in) :: flow
    real(dp), intent(in), contiguous :: normal(1 - ghosts:, 1 - ghosts:, :), transverse(1 - ghosts:, 1 - ghosts:, :)
    type(work_arrays), intent(inout) :: work
    integer :: members, nx, ny, reach_x, reach_y, i, j, m
    real(dp) :: shallowest, water
    members = grid%members
    nx = grid%nx
    ny = grid%ny
    reach_x = ghosts * di
    reach_y = ghosts * dj
    shallowest = physics%shallowest
    launches = launches + 1
    !$acc parallel loop collapse(3) private(water) present(flow, work, normal, transverse) async(flow_queue)
    do m = 1, members
      do j = 1 - reach_y, ny + reach_y
        do i = 1 - reach_x, nx + reach_x
          water = max(flow%depth(i, j, m), shallowest)
          work%normal(i, j, m) = normal(i, j, m) / water
          work%transverse(i, j, m) = transverse(i, j, m) / water
        end do
      end do
    end do
  end subroutine velocities

  subroutine slopes(di, dj, physics, grid, flow, work)
    integer, intent(in) :: di, dj
    type(constants), intent(in) :: physics
    type(rows_and_columns), intent(in) :: grid
    type(flow_state), intent(in) :: flow
    type(work_arrays), intent(inout) :: work
    integer :: members, nx, ny, i, j, m
    real(dp) :: steepness, low, high
    members = grid%members
    nx = grid%nx
    ny = grid%ny
    steepness = physics%steepness
    launches = launches + 1
    !$acc parallel loop collapse(3) private(low, high) present(flow, work) async(flow_queue)
    do m = 1, members
      do j = 1 - dj, ny + dj
        do i = 1 - di, nx + di
          low = flow%depth(i, j, m) - flow%depth(i - di, j - dj, m)
          high = flow%depth(i + di, j + dj, m) - flow%depth(i, j, m)
          work%depth_slope(i, j, m) = limited(steepness * low, 0.5d0 * (low + high), steepness * high)
          low = work%normal(i, j, m) - work%normal(i - di, j - dj, m)
          high = work%normal(i + di, j + dj, m) - work%normal(i, j, m)
          work%normal_slope(i, j, m) = limited(steepness * low, 0.5d0 * (low + high), steepness * high)
          low = work%transverse(i, j, m) - work%transverse(i - di, j - dj, m)
          high = work%transverse(i + di, j + dj, m) - work%transverse(i, j, m)
          work%transverse_slope(i, j, m) = limited(steepness * low, 0.5d0 * (low + high), steepness * high)
        end do
      end do
    end do
  end subroutine slopes

  ! What the water at a cell's faces is like half a time step later.
  subroutine faces(di, dj, spacing, dt, physics, grid, flow, work)
    integer, intent(in) :: di, dj
    real(dp), intent(in) :: spacing, dt
    type(constants), intent(in) :: physics
    type(rows_and_columns), intent(in) :: grid
    type(flow_state), intent(in) :: flow
    type(work_arrays), intent(inout) :: work
    integer :: members, nx, ny, i, j, m
    real(dp) :: half, gravity, shallowest, u, h, n, t
    members = grid%members
    nx = grid%nx
    ny = grid%ny
    half = 0.5d0 * dt / spacing
    gravity = physics%gravity
    shallowest = physics%shallowest
    launches = launches + 1
    !$acc parallel loop collapse(3) private(u, h, n, t) present(flow, work) async(flow_queue)
    do m = 1, members
      do j = 1 - dj, ny + dj
        do i = 1 - di, nx + di
          u = work%normal(i, j, m)
          h = flow%depth(i, j, m) - half * (u * work%depth_slope(i, j, m) + flow%depth(i, j, m) * work%normal_slope(i, j, m))
          n = u - half * (u * work%normal_slope(i, j, m) + gravity * work%depth_slope(i, j, m))
          t = work%transverse(i, j, m) - half * (u * work%transverse_slope(i, j, m))
          work%depth_low(i, j, m) = max(h - 0.5d0 * work%depth_slope(i, j, m), shallowest)
          work%depth_high(i, j, m) = max(h + 0.5d0 * work%depth_slope(i, j, m), shallowest)
          work%normal_low(i, j, m) = n - 0.5d0 * work%normal_slope(i, j, m)
          work%normal_high(i, j, m) = n + 0.5d0 * work%normal_slope(i, j, m)
          work%transverse_low(i, j, m) = t - 0.5d0 * work%transverse_slope(i, j, m)
          work%transverse_high(i, j, m) = t + 0.5d0 * work%transverse_slope(i, j, m)
        end do
      end do
    end do
  end subroutine faces

  ! Through each cell's low face, between the cell before (b) and the cell after (a) it.
  subroutine fluxes(di, dj, spacing, physics, grid, work)
    integer, intent(in) :: di, dj
    real(dp), intent(in) :: spacing
    type(constants), intent(in) :: physics
    type(rows_and_columns), intent(in) :: grid
    type(work_arrays), intent(inout) :: work
    integer :: members, nx, ny, i, j, m
    real(dp) :: gravity, viscosity
    real(dp) :: hb, nb, tb, ha, na, ta, wave_b, wave_a, slow, fast, spread, mass, push_b, push_a, mixed
    members = grid%members
    nx = grid%nx
    ny = grid%ny
    gravity = physics%gravity
    viscosity = physics%viscosity / spacing
    launches = launches + 1
    !$acc parallel loop collapse(3) present(work) async(flow_queue) private(hb, nb, tb, ha, na, ta) &
    !$acc   private(wave_b, wave_a, slow, fast, spread, mass, push_b, push_a, mixed)
    do m = 1, members
      do j = 1, ny + dj
        do i = 1, nx + di
          hb = work%depth_high(i - di, j - dj, m)
          nb = work%normal_high(i - di, j - dj, m)
          tb = work%transverse_high(i - di, j - dj, m)
          ha = work%depth_low(i, j, m)
          na = work%normal_low(i, j, m)
          ta = work%transverse_low(i, j, m)
          wave_b = sqrt(gravity * hb)
          wave_a = sqrt(gravity * ha)
          slow = min(0d0, min(nb - wave_b, na - wave_a))
          fast = max(0d0, max(nb + wave_b, na + wave_a))
          spread = fast - slow
          mass = (fast * hb * nb - slow * ha * na + slow * fast * (ha - hb)) / spread
          push_b = hb * nb * nb + 0.5d0 * gravity * hb * hb
          push_a = ha * na * na + 0.5d0 * gravity * ha * ha
          mixed = 0.5d0 * viscosity * (hb + ha)
          work%mass_flux(i, j, m) = mass
          work%normal_flux(i, j, m) = (fast * push_b - slow * push_a + slow * fast * (ha * na - hb * nb)) / spread &
            - mixed * (work%normal(i, j, m) - work%normal(i - di, j - dj, m))
          work%transverse_flux(i, j, m) = mass * merge(tb, ta, mass > 0d0) &
            - mixed * (work%transverse(i, j, m) - work%transverse(i - di, j - dj, m))
        end do
      end do
    end do
  end subroutine fluxes

  subroutine update_flow(di, dj, spacing, dt, grid, flow, normal, transverse, work)
    integer, intent(in) :: di, dj
    real(dp), intent(in) :: spacing, dt
    type(rows_and_columns), intent(in) :: grid
    type(flow_state), intent(inout) :: flow
    real(dp), intent(inout), contiguous :: normal(1 - ghosts:, 1 - ghosts:, :), transverse(1 - ghosts:, 1 - ghosts:, :)
    type(work_arrays), intent(in) :: work
    integer :: members, nx, ny, i, j, m
    real(dp) :: rate
    members = grid%members
    nx = grid%nx
    ny = grid%ny
    rate = dt / spacing
    launches = launches + 1
    !$acc parallel loop collapse(3) present(flow, work, normal, transverse) async(flow_queue)
    do m = 1, members
      do j = 1, ny
        do i = 1, nx
          flow%depth(i, j, m) = flow%depth(i, j, m) &
            - rate * (work%mass_flux(i + di, j + dj, m) - work%mass_flux(i, j, m))
          normal(i, j, m) = normal(i, j, m) &
            - rate * (work%normal_flux(i + di, j + dj, m) - work%normal_flux(i, j, m))
          transverse(i, j, m) = transverse(i, j, m) &
            - rate * (work%transverse_flux(i + di, j + dj, m) - work%transverse_flux(i, j, m))
        end do
      end do
    end do
  end subroutine update_flow

  ! The tracer's kernels take their arrays one by one, as older codes do.
  subroutine concentrations(di, dj, physics, grid, depth, tracer, concentration)
    integer, intent(in) :: di, dj
    type(constants), intent(in) :: physics
    type(rows_and_columns), intent(in) :: grid
    real(dp), intent(in), contiguous :: depth(1 - ghosts:, 1 - ghosts:, :), tracer(1 - ghosts:, 1 - ghosts:, :)
    real(dp), intent(inout), contiguous :: concentration(1 - ghosts:, 1 - ghosts:, :)
    integer :: members, nx, ny, reach_x, reach_y, i, j, m
    real(dp) :: shallowest
    members = grid%members
    nx = grid%nx
    ny = grid%ny
    reach_x = ghosts * di
    reach_y = ghosts * dj
    shallowest = physics%shallowest
    launches = launches + 1
    !$acc parallel loop collapse(3) present(depth, tracer, concentration) async(tracer_queue)
    do m = 1, members
      do j = 1 - reach_y, ny + reach_y
        do i = 1 - reach_x, nx + reach_x
          concentration(i, j, m) = tracer(i, j, m) / max(depth(i, j, m), shallowest)
        end do
      end do
    end do
  end subroutine concentrations

  subroutine tracer_faces(di, dj, spacing, dt, physics, grid, depth, normal, concentration, low_face, high_face)
    integer, intent(in) :: di, dj
    real(dp), intent(in) :: spacing, dt
    type(constants), intent(in) :: physics
    type(rows_and_columns), intent(in) :: grid
    real(dp), intent(in), contiguous, dimension(1 - ghosts:, 1 - ghosts:, :) :: depth, normal, concentration
    real(dp), intent(inout), contiguous, dimension(1 - ghosts:, 1 - ghosts:, :) :: low_face, high_face
    integer :: members, nx, ny, i, j, m
    real(dp) :: half, steepness, shallowest, low, high, slope, moved
    members = grid%members
    nx = grid%nx
    ny = grid%ny
    half = 0.5d0 * dt / spacing
    steepness = physics%steepness
    shallowest = physics%shallowest
    launches = launches + 1
    !$acc parallel loop collapse(3) private(low, high, slope, moved) async(tracer_queue) &
    !$acc   present(depth, normal, concentration, low_face, high_face)
    do m = 1, members
      do j = 1 - dj, ny + dj
        do i = 1 - di, nx + di
          low = concentration(i, j, m) - concentration(i - di, j - dj, m)
          high = concentration(i + di, j + dj, m) - concentration(i, j, m)
          slope = limited(steepness * low, 0.5d0 * (low + high), steepness * high)
          moved = half * (normal(i, j, m) / max(depth(i, j, m), shallowest)) * slope
          low_face(i, j, m) = concentration(i, j, m) - moved - 0.5d0 * slope
          high_face(i, j, m) = concentration(i, j, m) - moved + 0.5d0 * slope
        end do
      end do
    end do
  end subroutine tracer_faces

  subroutine tracer_fluxes(di, dj, spacing, physics, grid, depth, mass_flux, concentration, low_face, high_face, flux)
    integer, intent(in) :: di, dj
    real(dp), intent(in) :: spacing
    type(constants), intent(in) :: physics
    type(rows_and_columns), intent(in) :: grid
    real(dp), intent(in), contiguous, dimension(1 - ghosts:, 1 - ghosts:, :) :: depth, mass_flux, concentration
    real(dp), intent(in), contiguous, dimension(1 - ghosts:, 1 - ghosts:, :) :: low_face, high_face
    real(dp), intent(inout), contiguous :: flux(1 - ghosts:, 1 - ghosts:, :)
    integer :: members, nx, ny, i, j, m
    real(dp) :: diffusivity
    members = grid%members
    nx = grid%nx
    ny = grid%ny
    diffusivity = physics%diffusivity / spacing
    launches = launches + 1
    !$acc parallel loop collapse(3) present(depth, mass_flux, concentration, low_face, high_face, flux) async(tracer_queue)
    do m = 1, members
      do j = 1, ny + dj
        do i = 1, nx + di
          flux(i, j, m) = mass_flux(i, j, m) &
            * merge(high_face(i - di, j - dj, m), low_face(i, j, m), mass_flux(i, j, m) > 0d0) &
            - 0.5d0 * diffusivity * (depth(i - di, j - dj, m) + depth(i, j, m)) &
            * (concentration(i, j, m) - concentration(i - di, j - dj, m))
        end do
      end do
    end do
  end subroutine tracer_fluxes

  subroutine update_tracer(di, dj, spacing, dt, grid, tracer, flux)
    integer, intent(in) :: di, dj
    real(dp), intent(in) :: spacing, dt
    type(rows_and_columns), intent(in) :: grid
    real(dp), intent(inout), contiguous :: tracer(1 - ghosts:, 1 - ghosts:, :)
    real(dp), intent(in), contiguous :: flux(1 - ghosts:, 1 - ghosts:, :)
    integer :: members, nx, ny, i, j, m
    real(dp) :: rate
    members = grid%members
    nx = grid%nx
    ny = grid%ny
    rate = dt / spacing
    launches = launches + 1
    !$acc parallel loop collapse(3) present(tracer, flux) async(tracer_queue)
    do m = 1, members
      do j = 1, ny
        do i = 1, nx
          tracer(i, j, m) = tracer(i, j, m) - rate * (flux(i + di, j + dj, m) - flux(i, j, m))
        end do
      end do
    end do
  end subroutine update_tracer
end module sweeps
