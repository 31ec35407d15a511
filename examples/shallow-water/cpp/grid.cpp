#include "grid.hpp"

#include <algorithm>

namespace
{
constexpr double basin = 100e3;	// m, each side
constexpr double still_depth = 100.0;

// The rows of rank r begin here: as many each as can be, the first ranks one more.
int
row_of (int rank, int ranks, int rows)
{
  return rank * (rows / ranks) + std::min (rank, rows % ranks);
}

// A smooth hill around (x0, y0): 1 at its top.
double
hill (double x, double y, double x0, double y0, double width)
{
  double dx = (x - x0) / width, dy = (y - y0) / width;
  double below = 1.0 + dx * dx + dy * dy;
  return 1.0 / (below * below);
}
}

Grid::Grid (const Options &options, int rank, int ranks)
  : members (options.members), nx (options.nx), first_row (row_of (rank, ranks, options.ny)),
    all_rows (options.ny), rank (rank), ranks (ranks), pitch (options.nx + 2 * ghosts),
    dx (basin / options.nx), dy (basin / options.ny)
{
  ny = row_of (rank + 1, ranks, options.ny) - first_row;
  plane = pitch * (ny + 2 * ghosts);
  origin = ghosts * pitch + ghosts;
  cells = members * plane;
  coriolis = new double[ny];
  wind_shape = new double[ny];
  roughness = new double[plane];
  for (int j = 0; j < ny; j++)
    {
      double north = (first_row + j + 0.5) / all_rows;
      coriolis[j] = 1e-4 + 2e-6 * (north - 0.5);
      wind_shape[j] = 1.0 - 2.0 * north;
    }
  for (int j = -ghosts; j < ny + ghosts; j++)
    for (int i = -ghosts; i < nx + ghosts; i++)
      roughness[origin + j * pitch + i]
	= 0.5 + hill ((i + 0.5) * dx, (first_row + j + 0.5) * dy, 0.2 * basin, 0.5 * basin, 0.3 * basin);
#pragma acc enter data copyin(this[0:1])
#pragma acc enter data copyin(coriolis[0:ny], wind_shape[0:ny], roughness[0:plane])
}

Grid::~Grid ()
{
#pragma acc exit data delete(coriolis[0:ny], wind_shape[0:ny], roughness[0:plane])
#pragma acc exit data delete(this[0:1])
  delete[] coriolis;
  delete[] wind_shape;
  delete[] roughness;
}

// Water at rest with a hill of water and a spot of tracer, which differ from
// member to member.
Flow::Flow (const Grid &grid)
  : cells (grid.cells), depth (new double[cells]), momentum_x (new double[cells]()),
    momentum_y (new double[cells]()), tracer (new double[cells])
{
  for (int m = 0; m < grid.members; m++)
    for (int j = -ghosts; j < grid.ny + ghosts; j++)
      for (int i = -ghosts; i < grid.nx + ghosts; i++)
	{
	  int k = m * grid.plane + grid.origin + j * grid.pitch + i;
	  double x = (i + 0.5) * grid.dx, y = (grid.first_row + j + 0.5) * grid.dy;
	  double shift = 0.01 * (m % 10) * basin;
	  depth[k] = still_depth + (5.0 + 0.1 * (m % 7)) * hill (x, y, 0.3 * basin + shift, 0.6 * basin, 0.1 * basin);
	  tracer[k] = depth[k] * hill (x, y, 0.6 * basin, 0.4 * basin - shift, 0.05 * basin);
	}
#pragma acc enter data copyin(this[0:1])
#pragma acc enter data copyin(depth[0:cells], momentum_x[0:cells], momentum_y[0:cells], tracer[0:cells])
}

Flow::~Flow ()
{
#pragma acc exit data delete(depth[0:cells], momentum_x[0:cells], momentum_y[0:cells], tracer[0:cells])
#pragma acc exit data delete(this[0:1])
  delete[] depth;
  delete[] momentum_x;
  delete[] momentum_y;
  delete[] tracer;
}

Work::Work (const Grid &grid) : cells (grid.cells)
{
  auto arrays = { &normal, &transverse, &depth_slope, &normal_slope, &transverse_slope,
		  &depth_low, &normal_low, &transverse_low, &depth_high, &normal_high, &transverse_high,
		  &mass_flux, &normal_flux, &transverse_flux,
		  &concentration, &tracer_low, &tracer_high, &tracer_flux };
  storage = new double[arrays.size () * cells];
  double *rest = storage;
  for (double **array : arrays)
    {
      *array = rest;
      rest += cells;
    }
#pragma acc enter data copyin(this[0:1])
#pragma acc enter data create(normal[0:cells], transverse[0:cells]) \
  create(depth_slope[0:cells], normal_slope[0:cells], transverse_slope[0:cells]) \
  create(depth_low[0:cells], normal_low[0:cells], transverse_low[0:cells]) \
  create(depth_high[0:cells], normal_high[0:cells], transverse_high[0:cells]) \
  create(mass_flux[0:cells], normal_flux[0:cells], transverse_flux[0:cells]) \
  create(concentration[0:cells], tracer_low[0:cells], tracer_high[0:cells], tracer_flux[0:cells])
}

Work::~Work ()
{
#pragma acc exit data delete(normal[0:cells], transverse[0:cells]) \
  delete(depth_slope[0:cells], normal_slope[0:cells], transverse_slope[0:cells]) \
  delete(depth_low[0:cells], normal_low[0:cells], transverse_low[0:cells]) \
  delete(depth_high[0:cells], normal_high[0:cells], transverse_high[0:cells]) \
  delete(mass_flux[0:cells], normal_flux[0:cells], transverse_flux[0:cells]) \
  delete(concentration[0:cells], tracer_low[0:cells], tracer_high[0:cells], tracer_flux[0:cells])
#pragma acc exit data delete(this[0:1])
  delete[] storage;
}

Halo::Halo (const Grid &grid)
  : count (4 * grid.members * ghosts * grid.pitch), to_south (new double[count]), to_north (new double[count]),
    from_south (new double[count]), from_north (new double[count])
{
#pragma acc enter data copyin(this[0:1])
#pragma acc enter data create(to_south[0:count], to_north[0:count], from_south[0:count], from_north[0:count])
}

Halo::~Halo ()
{
#pragma acc exit data delete(to_south[0:count], to_north[0:count], from_south[0:count], from_north[0:count])
#pragma acc exit data delete(this[0:1])
  delete[] to_south;
  delete[] to_north;
  delete[] from_south;
  delete[] from_north;
}
