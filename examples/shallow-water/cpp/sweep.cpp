// One sweep: the equations along one axis, with MUSCL-Hancock reconstruction and
// the HLL Riemann solver. The cells along the axis are `along` values apart, so the
// same kernels serve both axes: "low" and "high" are west and east, or south and
// north.
#include "kernels.hpp"

#include <cmath>

namespace
{
// Which cells a kernel covers: those of the basin, and `reach` more at both ends
// of the axis.
struct Direction
{
  int reach_x, reach_y, along;
  double spacing;
};

// The smallest of three slopes of one sign, 0 where the signs differ.
#pragma acc routine seq
inline double
limited (double low, double centre, double high)
{
  if (low > 0.0 && centre > 0.0 && high > 0.0)
    return smaller (low, smaller (centre, high));
  if (low < 0.0 && centre < 0.0 && high < 0.0)
    return larger (low, larger (centre, high));
  return 0.0;
}

void
velocities (const Direction &direction, const Physics &physics, const Grid &grid,
	    const Flow &flow, const double *normal, const double *transverse, Work &work)
{
  const int members = grid.members, nx = grid.nx, ny = grid.ny;
  const int pitch = grid.pitch, plane = grid.plane, origin = grid.origin, cells = grid.cells;
  const int reach_x = ghosts * direction.reach_x, reach_y = ghosts * direction.reach_y;
  const double shallowest = physics.shallowest;

  launches++;
#pragma acc parallel loop collapse(3) present(flow, work, normal[0:cells], transverse[0:cells]) async(flow_queue)
  for (int m = 0; m < members; m++)
    for (int j = -reach_y; j < ny + reach_y; j++)
      for (int i = -reach_x; i < nx + reach_x; i++)
	{
	  int k = m * plane + origin + j * pitch + i;
	  double water = larger (flow.depth[k], shallowest);
	  work.normal[k] = normal[k] / water;
	  work.transverse[k] = transverse[k] / water;
	}
}

void
slopes (const Direction &direction, const Physics &physics, const Grid &grid, const Flow &flow, Work &work)
{
  const int members = grid.members, nx = grid.nx, ny = grid.ny;
  const int pitch = grid.pitch, plane = grid.plane, origin = grid.origin;
  const int reach_x = direction.reach_x, reach_y = direction.reach_y, along = direction.along;
  const double steepness = physics.steepness;

  launches++;
#pragma acc parallel loop collapse(3) present(flow, work) async(flow_queue)
  for (int m = 0; m < members; m++)
    for (int j = -reach_y; j < ny + reach_y; j++)
      for (int i = -reach_x; i < nx + reach_x; i++)
	{
	  int k = m * plane + origin + j * pitch + i;
	  double low = flow.depth[k] - flow.depth[k - along];
	  double high = flow.depth[k + along] - flow.depth[k];
	  work.depth_slope[k] = limited (steepness * low, 0.5 * (low + high), steepness * high);
	  low = work.normal[k] - work.normal[k - along];
	  high = work.normal[k + along] - work.normal[k];
	  work.normal_slope[k] = limited (steepness * low, 0.5 * (low + high), steepness * high);
	  low = work.transverse[k] - work.transverse[k - along];
	  high = work.transverse[k + along] - work.transverse[k];
	  work.transverse_slope[k] = limited (steepness * low, 0.5 * (low + high), steepness * high);
	}
}

// What the water at a cell's faces is like half a time step later.
void
faces (const Direction &direction, double dt, const Physics &physics, const Grid &grid, const Flow &flow, Work &work)
{
  const int members = grid.members, nx = grid.nx, ny = grid.ny;
  const int pitch = grid.pitch, plane = grid.plane, origin = grid.origin;
  const int reach_x = direction.reach_x, reach_y = direction.reach_y;
  const double half = 0.5 * dt / direction.spacing;
  const double gravity = physics.gravity, shallowest = physics.shallowest;

  launches++;
#pragma acc parallel loop collapse(3) present(flow, work) async(flow_queue)
  for (int m = 0; m < members; m++)
    for (int j = -reach_y; j < ny + reach_y; j++)
      for (int i = -reach_x; i < nx + reach_x; i++)
	{
	  int k = m * plane + origin + j * pitch + i;
	  double u = work.normal[k];
	  double h = flow.depth[k] - half * (u * work.depth_slope[k] + flow.depth[k] * work.normal_slope[k]);
	  double n = u - half * (u * work.normal_slope[k] + gravity * work.depth_slope[k]);
	  double t = work.transverse[k] - half * (u * work.transverse_slope[k]);
	  work.depth_low[k] = larger (h - 0.5 * work.depth_slope[k], shallowest);
	  work.depth_high[k] = larger (h + 0.5 * work.depth_slope[k], shallowest);
	  work.normal_low[k] = n - 0.5 * work.normal_slope[k];
	  work.normal_high[k] = n + 0.5 * work.normal_slope[k];
	  work.transverse_low[k] = t - 0.5 * work.transverse_slope[k];
	  work.transverse_high[k] = t + 0.5 * work.transverse_slope[k];
	}
}

// Through each cell's low face, between the cell before (b) and the cell after (a) it.
void
fluxes (const Direction &direction, const Physics &physics, const Grid &grid, Work &work)
{
  const int members = grid.members, nx = grid.nx, ny = grid.ny;
  const int pitch = grid.pitch, plane = grid.plane, origin = grid.origin;
  const int reach_x = direction.reach_x, reach_y = direction.reach_y, along = direction.along;
  const double gravity = physics.gravity, viscosity = physics.viscosity / direction.spacing;

  launches++;
#pragma acc parallel loop collapse(3) present(work) async(flow_queue)
  for (int m = 0; m < members; m++)
    for (int j = 0; j < ny + reach_y; j++)
      for (int i = 0; i < nx + reach_x; i++)
	{
	  int k = m * plane + origin + j * pitch + i, b = k - along;
	  double hb = work.depth_high[b], nb = work.normal_high[b], tb = work.transverse_high[b];
	  double ha = work.depth_low[k], na = work.normal_low[k], ta = work.transverse_low[k];
	  double wave_b = std::sqrt (gravity * hb), wave_a = std::sqrt (gravity * ha);
	  double slow = smaller (0.0, smaller (nb - wave_b, na - wave_a));
	  double fast = larger (0.0, larger (nb + wave_b, na + wave_a));
	  double spread = fast - slow;
	  double mass = (fast * hb * nb - slow * ha * na + slow * fast * (ha - hb)) / spread;
	  double push_b = hb * nb * nb + 0.5 * gravity * hb * hb;
	  double push_a = ha * na * na + 0.5 * gravity * ha * ha;
	  double mixed = 0.5 * viscosity * (hb + ha);
	  work.mass_flux[k] = mass;
	  work.normal_flux[k] = (fast * push_b - slow * push_a + slow * fast * (ha * na - hb * nb)) / spread
				- mixed * (work.normal[k] - work.normal[b]);
	  work.transverse_flux[k] = mass * (mass > 0.0 ? tb : ta) - mixed * (work.transverse[k] - work.transverse[b]);
	}
}

void
update_flow (const Direction &direction, double dt, const Grid &grid, Flow &flow, double *normal, double *transverse,
	     const Work &work)
{
  const int members = grid.members, nx = grid.nx, ny = grid.ny;
  const int pitch = grid.pitch, plane = grid.plane, origin = grid.origin, cells = grid.cells;
  const int along = direction.along;
  const double rate = dt / direction.spacing;

  launches++;
#pragma acc parallel loop collapse(3) present(flow, work, normal[0:cells], transverse[0:cells]) async(flow_queue)
  for (int m = 0; m < members; m++)
    for (int j = 0; j < ny; j++)
      for (int i = 0; i < nx; i++)
	{
	  int k = m * plane + origin + j * pitch + i, a = k + along;
	  flow.depth[k] -= rate * (work.mass_flux[a] - work.mass_flux[k]);
	  normal[k] -= rate * (work.normal_flux[a] - work.normal_flux[k]);
	  transverse[k] -= rate * (work.transverse_flux[a] - work.transverse_flux[k]);
	}
}

// The tracer's kernels take their arrays one by one, as older codes do.
void
concentrations (const Direction &direction, const Physics &physics, const Grid &grid,
		const double *depth, const double *tracer, double *concentration)
{
  const int members = grid.members, nx = grid.nx, ny = grid.ny;
  const int pitch = grid.pitch, plane = grid.plane, origin = grid.origin, cells = grid.cells;
  const int reach_x = ghosts * direction.reach_x, reach_y = ghosts * direction.reach_y;
  const double shallowest = physics.shallowest;

  launches++;
#pragma acc parallel loop collapse(3) present(depth[0:cells], tracer[0:cells], concentration[0:cells]) async(tracer_queue)
  for (int m = 0; m < members; m++)
    for (int j = -reach_y; j < ny + reach_y; j++)
      for (int i = -reach_x; i < nx + reach_x; i++)
	{
	  int k = m * plane + origin + j * pitch + i;
	  concentration[k] = tracer[k] / larger (depth[k], shallowest);
	}
}

void
tracer_faces (const Direction &direction, double dt, const Physics &physics, const Grid &grid, const double *depth,
	      const double *normal, const double *concentration, double *low_face, double *high_face)
{
  const int members = grid.members, nx = grid.nx, ny = grid.ny;
  const int pitch = grid.pitch, plane = grid.plane, origin = grid.origin, cells = grid.cells;
  const int reach_x = direction.reach_x, reach_y = direction.reach_y, along = direction.along;
  const double half = 0.5 * dt / direction.spacing, steepness = physics.steepness, shallowest = physics.shallowest;

  launches++;
#pragma acc parallel loop collapse(3) present(depth[0:cells], normal[0:cells], concentration[0:cells]) \
  present(low_face[0:cells], high_face[0:cells]) async(tracer_queue)
  for (int m = 0; m < members; m++)
    for (int j = -reach_y; j < ny + reach_y; j++)
      for (int i = -reach_x; i < nx + reach_x; i++)
	{
	  int k = m * plane + origin + j * pitch + i;
	  double low = concentration[k] - concentration[k - along];
	  double high = concentration[k + along] - concentration[k];
	  double slope = limited (steepness * low, 0.5 * (low + high), steepness * high);
	  double moved = half * (normal[k] / larger (depth[k], shallowest)) * slope;
	  low_face[k] = concentration[k] - moved - 0.5 * slope;
	  high_face[k] = concentration[k] - moved + 0.5 * slope;
	}
}

void
tracer_fluxes (const Direction &direction, const Physics &physics, const Grid &grid, const double *depth,
	       const double *mass_flux, const double *concentration, const double *low_face, const double *high_face,
	       double *flux)
{
  const int members = grid.members, nx = grid.nx, ny = grid.ny;
  const int pitch = grid.pitch, plane = grid.plane, origin = grid.origin, cells = grid.cells;
  const int reach_x = direction.reach_x, reach_y = direction.reach_y, along = direction.along;
  const double diffusivity = physics.diffusivity / direction.spacing;

  launches++;
#pragma acc parallel loop collapse(3) present(depth[0:cells], mass_flux[0:cells], concentration[0:cells]) \
  present(low_face[0:cells], high_face[0:cells], flux[0:cells]) async(tracer_queue)
  for (int m = 0; m < members; m++)
    for (int j = 0; j < ny + reach_y; j++)
      for (int i = 0; i < nx + reach_x; i++)
	{
	  int k = m * plane + origin + j * pitch + i, b = k - along;
	  flux[k] = mass_flux[k] * (mass_flux[k] > 0.0 ? high_face[b] : low_face[k])
		    - 0.5 * diffusivity * (depth[b] + depth[k]) * (concentration[k] - concentration[b]);
	}
}

void
update_tracer (const Direction &direction, double dt, const Grid &grid, double *tracer, const double *flux)
{
  const int members = grid.members, nx = grid.nx, ny = grid.ny;
  const int pitch = grid.pitch, plane = grid.plane, origin = grid.origin, cells = grid.cells;
  const int along = direction.along;
  const double rate = dt / direction.spacing;

  launches++;
#pragma acc parallel loop collapse(3) present(tracer[0:cells], flux[0:cells]) async(tracer_queue)
  for (int m = 0; m < members; m++)
    for (int j = 0; j < ny; j++)
      for (int i = 0; i < nx; i++)
	{
	  int k = m * plane + origin + j * pitch + i;
	  tracer[k] -= rate * (flux[k + along] - flux[k]);
	}
}
}

void
sweep (Axis axis, double dt, const Physics &physics, const Grid &grid, Flow &flow, Work &work)
{
  const bool x = axis == Axis::x;
  const Direction direction = { x ? 1 : 0, x ? 0 : 1, x ? 1 : grid.pitch, x ? grid.dx : grid.dy };
  double *normal = x ? flow.momentum_x : flow.momentum_y, *transverse = x ? flow.momentum_y : flow.momentum_x;

  // The tracer's faces need the depth as it is here.
#pragma acc wait(flow_queue) async(tracer_queue)
  concentrations (direction, physics, grid, flow.depth, flow.tracer, work.concentration);
  tracer_faces (direction, dt, physics, grid, flow.depth, normal, work.concentration, work.tracer_low, work.tracer_high);
  velocities (direction, physics, grid, flow, normal, transverse, work);
  slopes (direction, physics, grid, flow, work);
  faces (direction, dt, physics, grid, flow, work);
  fluxes (direction, physics, grid, work);
  // The tracer's fluxes need those of the mass, and both the depth as it was.
#pragma acc wait(flow_queue) async(tracer_queue)
  tracer_fluxes (direction, physics, grid, flow.depth, work.mass_flux, work.concentration, work.tracer_low,
		 work.tracer_high, work.tracer_flux);
#pragma acc wait(tracer_queue) async(flow_queue)
  update_flow (direction, dt, grid, flow, normal, transverse, work);
  update_tracer (direction, dt, grid, flow.tracer, work.tracer_flux);
}
