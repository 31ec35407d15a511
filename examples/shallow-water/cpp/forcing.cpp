// What accelerates and slows the water beside its own slopes.
#include "kernels.hpp"

#include <cmath>

namespace
{
// The Earth turns beneath the water: momentum turns, and keeps its size.
void
rotate (double dt, const Grid &grid, Flow &flow)
{
  const int members = grid.members, nx = grid.nx, ny = grid.ny;
  const int pitch = grid.pitch, plane = grid.plane, origin = grid.origin;
  const double half = 0.5 * dt;

  launches++;
#pragma acc parallel loop collapse(3) present(grid, flow) async(flow_queue)
  for (int m = 0; m < members; m++)
    for (int j = 0; j < ny; j++)
      for (int i = 0; i < nx; i++)
	{
	  int k = m * plane + origin + j * pitch + i;
	  double turn = half * grid.coriolis[j], scale = 1.0 + turn * turn;
	  double x = flow.momentum_x[k], y = flow.momentum_y[k];
	  flow.momentum_x[k] = ((1.0 - turn * turn) * x + 2.0 * turn * y) / scale;
	  flow.momentum_y[k] = ((1.0 - turn * turn) * y - 2.0 * turn * x) / scale;
	}
}

void
drag (double dt, const Physics &physics, const Grid &grid, Flow &flow)
{
  const int members = grid.members, nx = grid.nx, ny = grid.ny;
  const int pitch = grid.pitch, plane = grid.plane, origin = grid.origin;
  const double shallowest = physics.shallowest, coefficient = physics.drag;

  launches++;
#pragma acc parallel loop collapse(3) present(grid, flow) async(flow_queue)
  for (int m = 0; m < members; m++)
    for (int j = 0; j < ny; j++)
      for (int i = 0; i < nx; i++)
	{
	  int place = origin + j * pitch + i, k = m * plane + place;
	  double water = larger (flow.depth[k], shallowest);
	  double x = flow.momentum_x[k], y = flow.momentum_y[k];
	  double speed = std::sqrt (x * x + y * y) / water;
	  double kept = 1.0 / (1.0 + dt * coefficient * grid.roughness[place] * speed / water);
	  flow.momentum_x[k] = kept * x;
	  flow.momentum_y[k] = kept * y;
	}
}

// Westerly in the south and easterly in the north, a little stronger for each member.
void
blow (double dt, const Physics &physics, const Grid &grid, Flow &flow)
{
  const int members = grid.members, nx = grid.nx, ny = grid.ny;
  const int pitch = grid.pitch, plane = grid.plane, origin = grid.origin;
  const double stress = physics.wind, more = 0.01 * physics.wind;

  launches++;
#pragma acc parallel loop collapse(3) present(grid, flow) async(flow_queue)
  for (int m = 0; m < members; m++)
    for (int j = 0; j < ny; j++)
      for (int i = 0; i < nx; i++)
	{
	  int k = m * plane + origin + j * pitch + i;
	  flow.momentum_x[k] += dt * (stress + more * m) * grid.wind_shape[j];
	}
}
}

void
force (double dt, const Physics &physics, const Grid &grid, Flow &flow)
{
  rotate (dt, grid, flow);
  drag (dt, physics, grid, flow);
  blow (dt, physics, grid, flow);
}
