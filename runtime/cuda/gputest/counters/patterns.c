/* Kernels whose accesses to memory are known: what the executor counts of them is held against
   a GPU's own counters (counters.sh).  Each is in a function of its own, is launched once,
   and has fixed dimensions, since those that are left open depend on the device.  */
#include <stdio.h>
#include <stdlib.h>

#define N (1 << 18)
#define ROWS 512
#define COLUMNS 512
#define BINS 256
#define ALL gang worker vector
#define DIM num_gangs (64) num_workers (4) vector_length (32)
#define ROWWISE num_gangs (64) num_workers (1) vector_length (32)

struct three { double x, y, z; };
struct four { float x, y, z, w; };

static float fa[32 * N], fb[32 * N];
static double da[N + 32], db[N + 32], dc[N + 32], dd[N + 32]; /* as large, so that each begins a sector */
static double ga[ROWS][COLUMNS], gb[ROWS][COLUMNS];
static double cube[64][64][64], cubed[64][64][64];
static char ca[N], cb[N];
static short sa[N], sb[N];
static long la[N], lb[N];
static struct three at[N];
static struct four af[N];
static _Complex double za[N], zb[N];
static int at_random[N], keys[N], bins[BINS];
static double sums[ROWS];

static void
copy_float (void)
{
#pragma acc parallel loop DIM ALL
  for (int i = 0; i < N; i++)
    fb[i] = fa[i];
}

static void
copy_double (void)
{
#pragma acc parallel loop DIM ALL
  for (int i = 0; i < N; i++)
    db[i] = da[i];
}

static void
copy_char (void)
{
#pragma acc parallel loop DIM ALL
  for (int i = 0; i < N; i++)
    cb[i] = ca[i];
}

static void
copy_short (void)
{
#pragma acc parallel loop DIM ALL
  for (int i = 0; i < N; i++)
    sb[i] = sa[i];
}

static void
copy_long (void)
{
#pragma acc parallel loop DIM ALL
  for (int i = 0; i < N; i++)
    lb[i] = la[i];
}

static void
copy_complex (void)
{
#pragma acc parallel loop DIM ALL
  for (int i = 0; i < N; i++)
    zb[i] = za[i];
}

static void
stride_2 (void)
{
#pragma acc parallel loop DIM ALL
  for (int i = 0; i < N; i++)
    fb[i] = fa[2 * i];
}

static void
stride_32 (void)
{
#pragma acc parallel loop DIM ALL
  for (int i = 0; i < N; i++)
    fb[i] = fa[32 * i];
}

static void
store_stride_5 (void)
{
#pragma acc parallel loop DIM ALL
  for (int i = 0; i < N; i++)
    fb[5 * i] = fa[i];
}

static void
backwards (void)
{
#pragma acc parallel loop DIM ALL
  for (int i = 0; i < N; i++)
    db[i] = da[N - 1 - i];
}

static void
one_behind (void)
{
#pragma acc parallel loop DIM ALL
  for (int i = 0; i < N; i++)
    db[i + 1] = da[i + 1];
}

static void
broadcast (void)
{
#pragma acc parallel loop DIM ALL
  for (int i = 0; i < N; i++)
    {
      double s = 0;

#pragma acc loop seq
      for (int k = 0; k < 16; k++)
	s += dc[k];
      db[i] = s;
    }
}

static void
gather (void)
{
#pragma acc parallel loop DIM ALL
  for (int i = 0; i < N; i++)
    db[i] = da[at_random[i]];
}

static void
gather_float (void)
{
#pragma acc parallel loop DIM ALL
  for (int i = 0; i < N; i++)
    fb[i] = fa[at_random[i]];
}

static void
scatter (void)
{
#pragma acc parallel loop DIM ALL
  for (int i = 0; i < N; i++)
    db[at_random[i]] = da[i];
}

static void
rows (void)
{
#pragma acc parallel loop ROWWISE gang
  for (int i = 0; i < ROWS; i++)
#pragma acc loop vector
    for (int j = 0; j < COLUMNS; j++)
      gb[i][j] = 2 * ga[i][j];
}

static void
columns (void)
{
#pragma acc parallel loop ROWWISE gang
  for (int j = 0; j < COLUMNS; j++)
#pragma acc loop vector
    for (int i = 0; i < ROWS; i++)
      gb[i][j] = 2 * ga[i][j];
}

static void
transpose (void)
{
#pragma acc parallel loop ROWWISE gang
  for (int i = 0; i < ROWS; i++)
#pragma acc loop vector
    for (int j = 0; j < COLUMNS; j++)
      gb[j][i] = ga[i][j];
}

static void
structure_of_arrays (void)
{
#pragma acc parallel loop DIM ALL
  for (int i = 0; i < N; i++)
    dd[i] = da[i] + db[i] + dc[i];
}

static void
array_of_structures (void)
{
#pragma acc parallel loop DIM ALL
  for (int i = 0; i < N; i++)
    dd[i] = at[i].x + at[i].y + at[i].z;
}

static void
array_of_fours (void)
{
#pragma acc parallel loop DIM ALL
  for (int i = 0; i < N; i++)
    fb[i] = af[i].x * af[i].w;
}

static double
sum (void)
{
  double s = 0;

#pragma acc parallel loop DIM ALL reduction (+:s)
  for (int i = 0; i < N; i++)
    s += da[i];
  return s;
}

static int
most (void)
{
  int m = 0;

#pragma acc parallel loop DIM ALL reduction (max:m)
  for (int i = 0; i < N; i++)
    m = keys[i] > m ? keys[i] : m;
  return m;
}

static void
sum_of_rows (void)
{
#pragma acc parallel loop ROWWISE gang
  for (int i = 0; i < ROWS; i++)
    {
      double s = 0;

#pragma acc loop vector reduction (+:s)
      for (int j = 0; j < COLUMNS; j++)
	s += ga[i][j];
      sums[i] = s;
    }
}

static void
histogram (void)
{
#pragma acc parallel loop DIM ALL
  for (int i = 0; i < N; i++)
#pragma acc atomic
    bins[keys[i]]++;
}

static void
one_counter (void)
{
#pragma acc parallel loop DIM ALL
  for (int i = 0; i < N; i++)
#pragma acc atomic
    bins[0] += 2;
}

static void
atomic_capture (void)
{
#pragma acc parallel loop DIM ALL
  for (int i = 0; i < N; i++)
    {
      int at;

#pragma acc atomic capture
      at = bins[i & (BINS - 1)]++;
      keys[i] = at & (BINS - 1);
    }
}

static void
divergent (void)
{
#pragma acc parallel loop DIM ALL
  for (int i = 0; i < N; i++)
    if (i % 2)
      db[i] = da[i] * 3;
    else
      dc[i] = da[i] + dd[i];
}

static void
divergent_by_warp (void)
{
#pragma acc parallel loop DIM ALL
  for (int i = 0; i < N; i++)
    if (i / 32 % 2)
      db[i] = da[i] * 3;
    else
      dc[i] = da[i] + dd[i];
}

static void
some (void)
{
#pragma acc parallel loop DIM ALL
  for (int i = 0; i < N; i++)
    if (keys[i] < 32)
      db[i] = da[i];
}

static void
stencil_5 (void)
{
#pragma acc parallel loop ROWWISE gang
  for (int i = 1; i < ROWS - 1; i++)
#pragma acc loop vector
    for (int j = 1; j < COLUMNS - 1; j++)
      gb[i][j] = 0.25 * (ga[i - 1][j] + ga[i + 1][j] + ga[i][j - 1] + ga[i][j + 1]);
}

static void
stencil_7 (void)
{
#pragma acc parallel loop DIM ALL collapse (3)
  for (int i = 1; i < 63; i++)
    for (int j = 1; j < 63; j++)
      for (int k = 1; k < 63; k++)
	cubed[i][j][k] = cube[i - 1][j][k] + cube[i + 1][j][k] + cube[i][j - 1][k] + cube[i][j + 1][k]
			 + cube[i][j][k - 1] + cube[i][j][k + 1] - 6 * cube[i][j][k];
}

static void
collapsed (void)
{
#pragma acc parallel loop DIM ALL collapse (2)
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < COLUMNS; j++)
      gb[i][j] = ga[i][j] + 1;
}

static void
collapsed_across (void)
{
#pragma acc parallel loop DIM ALL collapse (2)
  for (int j = 0; j < COLUMNS; j++)
    for (int i = 0; i < ROWS; i++)
      gb[i][j] = ga[i][j] + 1;
}

static void
tiled (void)
{
#pragma acc parallel loop DIM tile (8, 32)
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < COLUMNS; j++)
      gb[i][j] = ga[i][j] + 1;
}

static void
vector_of_8 (void)
{
#pragma acc parallel loop ROWWISE gang
  for (int i = 0; i < N / 8; i++)
#pragma acc loop vector
    for (int j = 0; j < 8; j++)
      db[8 * i + j] = da[8 * i + j];
}

static void
triangle (void)
{
#pragma acc parallel loop ROWWISE gang
  for (int i = 0; i < ROWS; i++)
#pragma acc loop vector
    for (int j = 0; j <= i; j++)
      gb[i][j] = ga[i][j];
}

static void
multiply (void)
{
#pragma acc parallel loop DIM gang
  for (int i = 0; i < 128; i++)
#pragma acc loop worker vector
    for (int j = 0; j < 128; j++)
      {
	double s = 0;

#pragma acc loop seq
	for (int k = 0; k < 128; k++)
	  s += ga[i][k] * gb[k][j];
	ga[i + 128][j] = s;
      }
}

static void
own_array (void)
{
#pragma acc parallel loop DIM ALL
  for (int i = 0; i < N; i++)
    {
      double own[8];

#pragma acc loop seq
      for (int k = 0; k < 8; k++)
	own[(k * 5 + keys[i]) & 7] = da[(i + k) & (N - 1)];
      db[i] = own[keys[i] & 7];
    }
}

int
main (void)
{
  double s = 0;
  unsigned random = 1;

  for (int i = 0; i < N; i++)
    {
      random = random * 1103515245 + 12345;
      at_random[i] = (int) (random >> 8) % N;
      keys[i] = (int) (random >> 20) % BINS;
      da[i] = i;
      fa[i] = (float) i;
    }
#pragma acc data copy (fa, fb, da, db, dc, dd, ga, gb, cube, cubed, ca, cb, sa, sb, la, lb, at, af, za, zb, at_random, keys, bins, sums)
  {
    copy_float (), copy_double (), copy_char (), copy_short (), copy_long (), copy_complex ();
    stride_2 (), stride_32 (), store_stride_5 (), backwards (), one_behind (), broadcast ();
    gather (), gather_float (), scatter (), rows (), columns (), transpose ();
    structure_of_arrays (), array_of_structures (), array_of_fours ();
    s += sum (), s += most (), sum_of_rows ();
    histogram (), one_counter (), divergent (), divergent_by_warp (), some ();
    stencil_5 (), stencil_7 (), collapsed (), collapsed_across (), tiled (), vector_of_8 (), triangle (), multiply (), own_array ();
    atomic_capture ();
  }
  printf ("%.17g %.17g\n", s, db[1] + dd[1] + bins[0]);
  return 0;
}
