// The parts of a step. Each launches its compute constructs on a queue and
// returns; only largest_speed and the sums wait for their result.
#pragma once

#include "grid.hpp"

#pragma acc routine seq
inline double
larger (double a, double b)
{
  return a > b ? a : b;
}

#pragma acc routine seq
inline double
smaller (double a, double b)
{
  return a < b ? a : b;
}

// The direction of a sweep.
enum class Axis { x, y };

// boundary.cpp: ghost cells across the sweep, by mirrors at the coast and from the
// neighbouring processes.
void fill_ghosts (Axis axis, const Grid &grid, Flow &flow, Halo &halo);

// sweep.cpp: fluxes along one axis (finite volumes, second order), and what they change.
void sweep (Axis axis, double dt, const Physics &physics, const Grid &grid, Flow &flow, Work &work);

// forcing.cpp: the turning of the Earth, the bottom's drag, the wind.
void force (double dt, const Physics &physics, const Grid &grid, Flow &flow);

// totals.cpp
struct Totals
{
  double mass, tracer, energy;
};
// How many cells a second the fastest wave passes, in any process.
double largest_speed (const Physics &physics, const Grid &grid, const Flow &flow);
// Begins sums over the basin, one after the other; finish_totals waits for them.
void start_totals (const Physics &physics, const Grid &grid, const Flow &flow);
Totals finish_totals ();
