// The types of the program: what is simulated, where, and the arrays it takes.
//
// Each object with arrays lives on the device as long as on the host: its
// constructor copies the struct, then the arrays, whose addresses the runtime
// writes into the struct's copy ("attaches"). A compute construct names the struct
// in a present clause and uses its members as the host does.
#pragma once

// Cells beyond each edge of the basin that a cell's new values depend on.
constexpr int ghosts = 2;

// Async queues. Work of one queue runs in order; queues run side by side.
enum Queue
{
  flow_queue = 1,	// depth and momentum
  tracer_queue = 2,	// what the water carries with it
  totals_queue = 3	// sums that no step depends on
};

struct Options
{
  int nx = 128, ny = 128;	// cells of the whole basin
  int members = 1;		// basins that are simulated beside each other: the work of each kernel
  int steps = 100;
  int report = 50;		// steps from one line of totals to the next; 0: none
  int check = 3;		// steps that are done on the device and again on the host; 0: none
};

struct Physics
{
  double gravity = 9.81;	// m/s^2
  double shallowest = 1e-3;	// m, no division by less water than that
  double steepness = 1.5;	// of the slope limiter, 1 (smooth) to 2 (sharp)
  double viscosity = 50.0;	// m^2/s
  double diffusivity = 20.0;	// m^2/s
  double drag = 2.5e-3;		// of the bottom
  double wind = 1e-4;		// m^2/s^2, stress by density
  double courant = 0.45;	// of the largest stable time step
};

// The rows of the basin that one process has, and what belongs to places in it.
struct Grid
{
  Grid (const Options &options, int rank, int ranks);
  ~Grid ();
  Grid (const Grid &) = delete;
  Grid &operator= (const Grid &) = delete;

  int members, nx, ny;
  int first_row;		// of this process, in the whole basin
  int all_rows;
  int rank, ranks;		// rank 0 has the south
  int pitch;			// values from a cell to the next one to the north
  int plane;			// values of a member
  int origin;			// index of a member's cell (0, 0)
  int cells;			// values of an array
  double dx, dy;		// m
  double *coriolis;		// [ny] 1/s
  double *wind_shape;		// [ny] -1 to 1
  double *roughness;		// [plane] times the mean drag

  bool southmost () const { return rank == 0; }
  bool northmost () const { return rank == ranks - 1; }
};

// What a step changes: amounts per area, [members][ny + 2 ghosts][nx + 2 ghosts].
struct Flow
{
  explicit Flow (const Grid &grid);
  ~Flow ();
  Flow (const Flow &) = delete;
  Flow &operator= (const Flow &) = delete;

  int cells;
  double *depth;		// m
  double *momentum_x, *momentum_y; // m^2/s
  double *tracer;		// m, depth times concentration
};

// What a sweep computes on its way, of the same shape. "Normal" is along the
// sweep, "low" and "high" are a cell's faces against it and with it.
struct Work
{
  explicit Work (const Grid &grid);
  ~Work ();
  Work (const Work &) = delete;
  Work &operator= (const Work &) = delete;

  int cells;
  double *normal, *transverse;	// velocities
  double *depth_slope, *normal_slope, *transverse_slope;
  double *depth_low, *normal_low, *transverse_low;
  double *depth_high, *normal_high, *transverse_high;
  double *mass_flux, *normal_flux, *transverse_flux; // through the low face
  double *concentration, *tracer_low, *tracer_high, *tracer_flux;

private:
  double *storage;		// of all of them
};

// Rows on their way to and from the neighbours, [4 fields][members][ghosts][pitch].
struct Halo
{
  explicit Halo (const Grid &grid);
  ~Halo ();
  Halo (const Halo &) = delete;
  Halo &operator= (const Halo &) = delete;

  int count;			// values of a buffer
  double *to_south, *to_north, *from_south, *from_north;
};

// Compute constructs that were launched.
inline long launches = 0;
