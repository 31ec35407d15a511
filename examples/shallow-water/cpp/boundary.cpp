// Ghost cells: the coast is a mirror, and where another process has the next rows
// they come from there through buffers of the host.
#include "kernels.hpp"
#include "ranks.hpp"

namespace
{
// The west and east coasts. sign is -1 for the momentum across them.
void
mirror_x (double sign, const Grid &grid, double *values, Queue queue)
{
  const int members = grid.members, nx = grid.nx, ny = grid.ny;
  const int pitch = grid.pitch, plane = grid.plane, origin = grid.origin, cells = grid.cells;

  launches++;
#pragma acc parallel loop collapse(3) present(values[0:cells]) async(queue)
  for (int m = 0; m < members; m++)
    for (int j = 0; j < ny; j++)
      for (int g = 0; g < ghosts; g++)
	{
	  int row = m * plane + origin + j * pitch;
	  values[row - 1 - g] = sign * values[row + g];
	  values[row + nx + g] = sign * values[row + nx - 1 - g];
	}
}

// The south and north coasts, as far as this process has them.
void
mirror_y (double sign, const Grid &grid, double *values, Queue queue)
{
  const int members = grid.members, nx = grid.nx, ny = grid.ny;
  const int pitch = grid.pitch, plane = grid.plane, origin = grid.origin, cells = grid.cells;
  const bool southmost = grid.southmost (), northmost = grid.northmost ();

  launches++;
#pragma acc parallel loop collapse(3) present(values[0:cells]) async(queue)
  for (int m = 0; m < members; m++)
    for (int g = 0; g < ghosts; g++)
      for (int i = 0; i < nx; i++)
	{
	  int column = m * plane + origin + i;
	  if (southmost)
	    values[column - (1 + g) * pitch] = sign * values[column + g * pitch];
	  if (northmost)
	    values[column + (ny + g) * pitch] = sign * values[column + (ny - 1 - g) * pitch];
	}
}

// Copies rows first_row and on of all fields into a buffer.
void
pack_rows (int first_row, const Grid &grid, const Flow &flow, double *buffer, int count)
{
  const int members = grid.members, nx = grid.nx, pitch = grid.pitch, plane = grid.plane, origin = grid.origin;

  launches++;
#pragma acc parallel loop collapse(3) present(flow, buffer[0:count]) async(flow_queue)
  for (int m = 0; m < members; m++)
    for (int g = 0; g < ghosts; g++)
      for (int i = 0; i < nx; i++)
	{
	  int from = m * plane + origin + (first_row + g) * pitch + i, to = (m * ghosts + g) * pitch + i;
	  int field = members * ghosts * pitch;
	  buffer[to] = flow.depth[from];
	  buffer[to + field] = flow.momentum_x[from];
	  buffer[to + 2 * field] = flow.momentum_y[from];
	  buffer[to + 3 * field] = flow.tracer[from];
	}
}

void
unpack_rows (int first_row, const Grid &grid, Flow &flow, const double *buffer, int count)
{
  const int members = grid.members, nx = grid.nx, pitch = grid.pitch, plane = grid.plane, origin = grid.origin;

  launches++;
#pragma acc parallel loop collapse(3) present(flow, buffer[0:count]) async(flow_queue)
  for (int m = 0; m < members; m++)
    for (int g = 0; g < ghosts; g++)
      for (int i = 0; i < nx; i++)
	{
	  int to = m * plane + origin + (first_row + g) * pitch + i, from = (m * ghosts + g) * pitch + i;
	  int field = members * ghosts * pitch;
	  flow.depth[to] = buffer[from];
	  flow.momentum_x[to] = buffer[from + field];
	  flow.momentum_y[to] = buffer[from + 2 * field];
	  flow.tracer[to] = buffer[from + 3 * field];
	}
}

// Exchanges the outermost rows with the processes to the south and the north.
void
exchange (const Grid &grid, Flow &flow, Halo &halo)
{
  const int south = grid.southmost () ? -1 : grid.rank - 1, north = grid.northmost () ? -1 : grid.rank + 1;
  const int count = halo.count;

#pragma acc wait(tracer_queue) async(flow_queue)
  if (south >= 0)
    {
      pack_rows (0, grid, flow, halo.to_south, count);
#pragma acc update self(halo.to_south[0:count]) async(flow_queue)
    }
  if (north >= 0)
    {
      pack_rows (grid.ny - ghosts, grid, flow, halo.to_north, count);
#pragma acc update self(halo.to_north[0:count]) async(flow_queue)
    }
#pragma acc wait(flow_queue)
  pass (halo.to_south, south, halo.from_north, north, count);
  pass (halo.to_north, north, halo.from_south, south, count);
  if (south >= 0)
    {
#pragma acc update device(halo.from_south[0:count]) async(flow_queue)
      unpack_rows (-ghosts, grid, flow, halo.from_south, count);
    }
  if (north >= 0)
    {
#pragma acc update device(halo.from_north[0:count]) async(flow_queue)
      unpack_rows (grid.ny, grid, flow, halo.from_north, count);
    }
}
}

void
fill_ghosts (Axis axis, const Grid &grid, Flow &flow, Halo &halo)
{
  if (axis == Axis::x)
    {
      mirror_x (1.0, grid, flow.depth, flow_queue);
      mirror_x (-1.0, grid, flow.momentum_x, flow_queue);
      mirror_x (1.0, grid, flow.momentum_y, flow_queue);
      mirror_x (1.0, grid, flow.tracer, tracer_queue);
      return;
    }
  if (grid.southmost () || grid.northmost ())
    {
      mirror_y (1.0, grid, flow.depth, flow_queue);
      mirror_y (1.0, grid, flow.momentum_x, flow_queue);
      mirror_y (-1.0, grid, flow.momentum_y, flow_queue);
      mirror_y (1.0, grid, flow.tracer, tracer_queue);
    }
  if (grid.ranks > 1)
    exchange (grid, flow, halo);
}
