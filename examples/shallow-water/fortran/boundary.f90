! Ghost cells: the coast is a mirror, and where another process has the next rows
! they come from there through buffers of the host.
module boundary
  use basin
  use ranks, only: pass
  implicit none
  private
  public :: fill_ghosts
contains

  ! Ghost cells across a sweep along x or y.
  subroutine fill_ghosts(along_x, grid, flow, halo)
    logical, intent(in) :: along_x
    type(rows_and_columns), intent(in) :: grid
    type(flow_state), intent(inout) :: flow
    type(halo_buffers), intent(inout) :: halo
    if (along_x) then
      call mirror_x(1d0, grid, flow%depth, flow_queue)
      call mirror_x(-1d0, grid, flow%momentum_x, flow_queue)
      call mirror_x(1d0, grid, flow%momentum_y, flow_queue)
      call mirror_x(1d0, grid, flow%tracer, tracer_queue)
      return
    end if
    if (grid%rank == 0 .or. grid%rank == grid%ranks - 1) then
      call mirror_y(1d0, grid, flow%depth, flow_queue)
      call mirror_y(1d0, grid, flow%momentum_x, flow_queue)
      call mirror_y(-1d0, grid, flow%momentum_y, flow_queue)
      call mirror_y(1d0, grid, flow%tracer, tracer_queue)
    end if
    if (grid%ranks > 1) call exchange(grid, flow, halo)
  end subroutine fill_ghosts

  ! The west and east coasts. sign is -1 for the momentum across them.
  subroutine mirror_x(sign, grid, values, queue)
    real(dp), intent(in) :: sign
    type(rows_and_columns), intent(in) :: grid
    real(dp), intent(inout), contiguous :: values(1 - ghosts:, 1 - ghosts:, :)
    integer, intent(in) :: queue
    integer :: members, nx, ny, m, j, g
    members = grid%members
    nx = grid%nx
    ny = grid%ny
    launches = launches + 1
    !$acc parallel loop collapse(3) present(values) async(queue)
    do m = 1, members
      do j = 1, ny
        do g = 1, ghosts
          values(1 - g, j, m) = sign * values(g, j, m)
          values(nx + g, j, m) = sign * values(nx + 1 - g, j, m)
        end do
      end do
    end do
  end subroutine mirror_x

  ! The south and north coasts, as far as this process has them.
  subroutine mirror_y(sign, grid, values, queue)
    real(dp), intent(in) :: sign
    type(rows_and_columns), intent(in) :: grid
    real(dp), intent(inout), contiguous :: values(1 - ghosts:, 1 - ghosts:, :)
    integer, intent(in) :: queue
    integer :: members, nx, ny, m, g, i
    logical :: southmost, northmost
    members = grid%members
    nx = grid%nx
    ny = grid%ny
    southmost = grid%rank == 0
    northmost = grid%rank == grid%ranks - 1
    launches = launches + 1
    !$acc parallel loop collapse(3) present(values) async(queue)
    do m = 1, members
      do g = 1, ghosts
        do i = 1, nx
          if (southmost) values(i, 1 - g, m) = sign * values(i, g, m)
          if (northmost) values(i, ny + g, m) = sign * values(i, ny + 1 - g, m)
        end do
      end do
    end do
  end subroutine mirror_y

  ! Exchanges the outermost rows with the processes to the south and the north.
  subroutine exchange(grid, flow, halo)
    type(rows_and_columns), intent(in) :: grid
    type(flow_state), intent(inout) :: flow
    type(halo_buffers), intent(inout) :: halo
    integer :: south, north
    south = grid%rank - 1
    north = merge(-1, grid%rank + 1, grid%rank == grid%ranks - 1)
    !$acc wait(tracer_queue) async(flow_queue)
    if (south >= 0) then
      call pack_rows(0, grid, flow, halo%to_south)
    end if
    if (north >= 0) then
      call pack_rows(grid%ny - ghosts, grid, flow, halo%to_north)
    end if
    !$acc wait(flow_queue)
    call pass(halo%to_south, south, halo%from_north, north)
    call pass(halo%to_north, north, halo%from_south, south)
    if (south >= 0) then
      call unpack_rows(-ghosts, grid, flow, halo%from_south)
    end if
    if (north >= 0) then
      call unpack_rows(grid%ny, grid, flow, halo%from_north)
    end if
  end subroutine exchange

  ! Copies the rows after the first ones ("before") of all fields into a buffer, and
  ! that to the host.
  subroutine pack_rows(before, grid, flow, buffer)
    integer, intent(in) :: before
    type(rows_and_columns), intent(in) :: grid
    type(flow_state), intent(in) :: flow
    real(dp), intent(inout), contiguous :: buffer(:, :, :, :)
    integer :: members, nx, m, g, i
    members = grid%members
    nx = grid%nx
    launches = launches + 1
    !$acc parallel loop collapse(3) present(flow, buffer) async(flow_queue)
    do m = 1, members
      do g = 1, ghosts
        do i = 1, nx
          buffer(i, g, m, 1) = flow%depth(i, before + g, m)
          buffer(i, g, m, 2) = flow%momentum_x(i, before + g, m)
          buffer(i, g, m, 3) = flow%momentum_y(i, before + g, m)
          buffer(i, g, m, 4) = flow%tracer(i, before + g, m)
        end do
      end do
    end do
    !$acc update self(buffer) async(flow_queue)
  end subroutine pack_rows

  ! The other way.
  subroutine unpack_rows(before, grid, flow, buffer)
    integer, intent(in) :: before
    type(rows_and_columns), intent(in) :: grid
    type(flow_state), intent(inout) :: flow
    real(dp), intent(in), contiguous :: buffer(:, :, :, :)
    integer :: members, nx, m, g, i
    members = grid%members
    nx = grid%nx
    !$acc update device(buffer) async(flow_queue)
    launches = launches + 1
    !$acc parallel loop collapse(3) present(flow, buffer) async(flow_queue)
    do m = 1, members
      do g = 1, ghosts
        do i = 1, nx
          flow%depth(i, before + g, m) = buffer(i, g, m, 1)
          flow%momentum_x(i, before + g, m) = buffer(i, g, m, 2)
          flow%momentum_y(i, before + g, m) = buffer(i, g, m, 3)
          flow%tracer(i, before + g, m) = buffer(i, g, m, 4)
        end do
      end do
    end do
  end subroutine unpack_rows
end module boundary
