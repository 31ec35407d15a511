// Waves, a current and a tracer in a closed basin, simulated by a dozen and a half
// kernels a step on a device. README.md beside it says what there is to learn.
#include "kernels.hpp"
#include "ranks.hpp"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <openacc.h>

namespace
{
// How much rounding may change sums over the basin in a run, and how far the
// device's arithmetic may be from the host's, relative.
constexpr double most_change = 1e-11, most_difference = 1e-10;

using Clock = std::chrono::steady_clock;

double
seconds_since (Clock::time_point start)
{
  return std::chrono::duration<double> (Clock::now () - start).count ();
}

// Reads "--name value" pairs; false if there is a wrong one.
bool
parse (int argc, char **argv, int ranks, Options &options)
{
  struct
  {
    const char *name;
    int *value;
  } known[] = { { "--nx", &options.nx }, { "--ny", &options.ny }, { "--members", &options.members },
		{ "--steps", &options.steps }, { "--report", &options.report }, { "--check", &options.check } };
  for (int i = 1; i < argc; i += 2)
    {
      bool found = false;
      for (auto &option : known)
	if (std::strcmp (argv[i], option.name) == 0 && i + 1 < argc)
	  {
	    char *end;
	    long value = std::strtol (argv[i + 1], &end, 10);
	    found = *end == '\0' && end != argv[i + 1] && value >= 0 && value <= 1000000000;
	    *option.value = (int) value;
	  }
      if (!found)
	return false;
    }
  double values = (double) options.members * (options.nx + 2 * ghosts) * (options.ny + 2 * ghosts);
  return options.nx >= 2 * ghosts && options.ny >= 2 * ghosts * ranks && options.members >= 1 && options.steps >= 1
	 && values < 2e9;
}

// The sweeps change their order from step to step, which makes them second order
// in time too.
void
advance (int step, const Physics &physics, const Grid &grid, Flow &flow, Work &work, Halo &halo)
{
  const double dt = physics.courant / largest_speed (physics, grid, flow);
  const Axis first = step % 2 == 1 ? Axis::x : Axis::y, second = step % 2 == 1 ? Axis::y : Axis::x;

  fill_ghosts (first, grid, flow, halo);
  sweep (first, dt, physics, grid, flow, work);
  fill_ghosts (second, grid, flow, halo);
  sweep (second, dt, physics, grid, flow, work);
  force (dt, physics, grid, flow);
}

// The first steps on the device and on the host, and by how much they differ at
// most: of depth, momentum and tracer, each relative to its largest value.
double
device_against_host (const Options &options, const Physics &physics, const Ranks &ranks)
{
  const acc_device_t device = acc_get_device_type ();
  const Grid grid (options, ranks.rank, ranks.ranks);
  Flow flow (grid);
  {
    Work work (grid);
    Halo halo (grid);
    for (int step = 1; step <= options.check; step++)
      advance (step, physics, grid, flow, work, halo);
#pragma acc wait
#pragma acc update self(flow.depth[0:flow.cells], flow.momentum_x[0:flow.cells]) \
  self(flow.momentum_y[0:flow.cells], flow.tracer[0:flow.cells])
  }

  // The same constructs run on the host once that is the current device.
  acc_set_device_type (acc_device_host);
  double difference = 0.0;
  {
    const Grid host_grid (options, ranks.rank, ranks.ranks);
    Flow expected (host_grid);
    Work work (host_grid);
    Halo halo (host_grid);
    for (int step = 1; step <= options.check; step++)
      advance (step, physics, host_grid, expected, work, halo);
#pragma acc wait
    const double *pairs[][2] = { { flow.depth, expected.depth }, { flow.momentum_x, expected.momentum_x },
				 { flow.momentum_y, expected.momentum_y }, { flow.tracer, expected.tracer } };
    for (auto &pair : pairs)
      {
	double largest = 0.0, apart = 0.0;
	for (int m = 0; m < grid.members; m++)
	  for (int j = 0; j < grid.ny; j++)
	    for (int i = 0; i < grid.nx; i++)
	      {
		int k = m * grid.plane + grid.origin + j * grid.pitch + i;
		largest = larger (largest, std::fabs (pair[1][k]));
		apart = larger (apart, std::fabs (pair[0][k] - pair[1][k]));
	      }
	largest = largest_of_ranks (largest);
	difference = larger (difference, largest_of_ranks (apart) / largest);
      }
  }
  acc_set_device_type (device);
  return difference;
}

void
show (int step, const Totals &totals)
{
  std::printf ("step %7d  mass %.9e  tracer %.9e  energy %.9e\n", step, totals.mass, totals.tracer, totals.energy);
}

double
change (double before, double after)
{
  return std::fabs (after - before) / std::fabs (before);
}
}

int
main (int argc, char **argv)
{
  const Ranks ranks (&argc, &argv);
  const bool speaks = ranks.rank == 0;
  Options options;
  if (!parse (argc, argv, ranks.ranks, options))
    {
      if (speaks)
	std::fprintf (stderr,
		      "usage: %s [--nx CELLS] [--ny CELLS] [--members BASINS] [--steps STEPS]\n"
		      "       [--report STEPS] [--check STEPS]\n"
		      "At least 4 cells each way (4 rows a process), a basin and a step; 0 steps: no report, no check.\n",
		      argv[0]);
      return 2;
    }
  const Physics physics;
  Totals before, after;
  double initialization, running;
  long launched;

  Clock::time_point start = Clock::now ();
  acc_init (acc_get_device_type ());
  {
    const Grid grid (options, ranks.rank, ranks.ranks);
    Flow flow (grid);
    Work work (grid);
    Halo halo (grid);
    initialization = seconds_since (start);

    start = Clock::now ();
    start_totals (physics, grid, flow);
    before = finish_totals ();
    int summed = 0; // the step whose totals are under way, 0: none
    for (int step = 1; step <= options.steps; step++)
      {
	advance (step, physics, grid, flow, work, halo);
	if (summed > 0)
	  {
	    Totals now = finish_totals ();
	    if (speaks)
	      show (summed, now);
	    summed = 0;
	  }
	if (options.report > 0 && step % options.report == 0 && step < options.steps)
	  {
	    start_totals (physics, grid, flow);
	    summed = step;
	  }
      }
    start_totals (physics, grid, flow);
    after = finish_totals ();
#pragma acc wait
    running = seconds_since (start);
    launched = launches;
  }

  const double mass_change = change (before.mass, after.mass), tracer_change = change (before.tracer, after.tracer);
  const double difference = options.check > 0 ? device_against_host (options, physics, ranks) : 0.0;
  // Written so that what is not a number is wrong.
  const bool right = mass_change <= most_change && tracer_change <= most_change && difference <= most_difference
		     && after.energy > 0.0 && after.energy <= 2.0 * before.energy;
  if (speaks)
    {
      std::printf ("cells %d x %d, basins %d, steps %d, processes %d\n", options.nx, options.ny, options.members,
		   options.steps, ranks.ranks);
      std::printf ("initialization             %12.6f s\n", initialization);
      std::printf ("first launch to last wait  %12.6f s\n", running);
      std::printf ("launches                   %12ld, and %ld to compare\n", launched, launches - launched);
      std::printf ("mass and tracer changed by %.1e and %.1e, at most %.0e\n", mass_change, tracer_change, most_change);
      std::printf ("device and host differ by  %.1e after %d steps, at most %.0e\n", difference, options.check,
		   most_difference);
      std::printf ("check  mass %.9e  tracer %.9e  energy %.9e  %s\n", after.mass, after.tracer, after.energy,
		   right ? "right" : "WRONG");
    }
  return right ? 0 : 1;
}
