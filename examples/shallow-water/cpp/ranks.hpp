// The processes of a run: with -DWITH_MPI those that mpirun started, otherwise one.
#pragma once

struct Ranks
{
  Ranks (int *argc, char ***argv);
  ~Ranks ();
  int rank = 0, ranks = 1;
};

double largest_of_ranks (double value);
double sum_of_ranks (double value);

// Sends count values to one neighbour while as many come from the other; a
// neighbour of -1 is none.
void pass (const double *sent, int to, double *received, int from, int count);
