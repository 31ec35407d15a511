/* One-dimensional heat equation over MPI ranks: each rank keeps its part on the
   device and exchanges one cell with its neighbours per step.

     mpicc -fopenacc -O2 -g heat.c -lm -o heat && accscope run -- mpirun -n 4 ./heat  */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int
main (int argc, char **argv)
{
  MPI_Init (&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank (MPI_COMM_WORLD, &rank);
  MPI_Comm_size (MPI_COMM_WORLD, &ranks);
  int n = argc > 1 ? atoi (argv[1]) : 10000, steps = argc > 2 ? atoi (argv[2]) : 100;
  double *u = malloc (sizeof (double) * (n + 2)), *next = malloc (sizeof (double) * (n + 2));
  for (int i = 0; i < n + 2; i++)
    u[i] = next[i] = rank == 0 && i == 0 ? 1.0 : 0.0;
  int left = rank > 0 ? rank - 1 : MPI_PROC_NULL, right = rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL;

#pragma acc data copy(u[0:n+2]) create(next[0:n+2])
  for (int step = 0; step < steps; step++)
    {
#pragma acc update self(u[1:1])
#pragma acc update self(u[n:1])
      MPI_Sendrecv (&u[1], 1, MPI_DOUBLE, left, 0, &u[n + 1], 1, MPI_DOUBLE, right, 0,
		    MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Sendrecv (&u[n], 1, MPI_DOUBLE, right, 1, &u[0], 1, MPI_DOUBLE, left, 1,
		    MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#pragma acc update device(u[0:1])
#pragma acc update device(u[n+1:1])
#pragma acc parallel loop present(u[0:n+2], next[0:n+2])
      for (int i = 1; i <= n; i++)
	next[i] = u[i] + 0.25 * (u[i - 1] - 2.0 * u[i] + u[i + 1]);
#pragma acc parallel loop present(u[0:n+2], next[0:n+2])
      for (int i = 1; i <= n; i++)
	u[i] = next[i];
    }

  double heat = 0.0, total = 0.0;
  for (int i = 1; i <= n; i++)
    heat += u[i];
  MPI_Reduce (&heat, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf ("ranks %d  heat %.6f\n", ranks, total);
  free (u);
  free (next);
  MPI_Finalize ();
  return rank == 0 && !(total > 0.0 && isfinite (total));
}
