// Reductions: the fastest wave, which sets the time step, and sums over the basin.
#include "kernels.hpp"
#include "ranks.hpp"

#include <cmath>

namespace
{
// Sums that a queue may still be working on.
double mass, tracer, energy;
}

double
largest_speed (const Physics &physics, const Grid &grid, const Flow &flow)
{
  const int members = grid.members, nx = grid.nx, ny = grid.ny;
  const int pitch = grid.pitch, plane = grid.plane, origin = grid.origin;
  const double gravity = physics.gravity, shallowest = physics.shallowest, dx = grid.dx, dy = grid.dy;
  double speed = 0.0;

  launches++;
#pragma acc parallel loop collapse(3) present(flow) reduction(max:speed) async(flow_queue)
  for (int m = 0; m < members; m++)
    for (int j = 0; j < ny; j++)
      for (int i = 0; i < nx; i++)
	{
	  int k = m * plane + origin + j * pitch + i;
	  double water = larger (flow.depth[k], shallowest), wave = std::sqrt (gravity * water);
	  double x = (std::fabs (flow.momentum_x[k] / water) + wave) / dx;
	  double y = (std::fabs (flow.momentum_y[k] / water) + wave) / dy;
	  speed = larger (speed, larger (x, y));
	}
#pragma acc wait(flow_queue)
  return largest_of_ranks (speed);
}

void
start_totals (const Physics &physics, const Grid &grid, const Flow &flow)
{
  const int members = grid.members, nx = grid.nx, ny = grid.ny;
  const int pitch = grid.pitch, plane = grid.plane, origin = grid.origin;
  const double gravity = physics.gravity, shallowest = physics.shallowest, area = grid.dx * grid.dy;

  mass = tracer = energy = 0.0;

  // They read what the other queues have written until here.
#pragma acc wait(flow_queue, tracer_queue) async(totals_queue)
  launches++;
#pragma acc parallel loop collapse(3) present(flow) reduction(+:mass, tracer) async(totals_queue)
  for (int m = 0; m < members; m++)
    for (int j = 0; j < ny; j++)
      for (int i = 0; i < nx; i++)
	{
	  int k = m * plane + origin + j * pitch + i;
	  mass += area * flow.depth[k];
	  tracer += area * flow.tracer[k];
	}
  launches++;
#pragma acc parallel loop collapse(3) present(flow) reduction(+:energy) async(totals_queue)
  for (int m = 0; m < members; m++)
    for (int j = 0; j < ny; j++)
      for (int i = 0; i < nx; i++)
	{
	  int k = m * plane + origin + j * pitch + i;
	  double h = flow.depth[k], x = flow.momentum_x[k], y = flow.momentum_y[k];
	  energy += area * (0.5 * (x * x + y * y) / larger (h, shallowest) + 0.5 * gravity * h * h);
	}
  // The next step may change what these read once they have ended.
#pragma acc wait(totals_queue) async(flow_queue)
#pragma acc wait(totals_queue) async(tracer_queue)
}

Totals
finish_totals ()
{
#pragma acc wait(totals_queue)
  return { sum_of_ranks (mass), sum_of_ranks (tracer), sum_of_ranks (energy) };
}
