package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/accscope/accscope/runtime/compilers"
)

// Arguments that MPI does not look at may be anything: counts and datatypes beside
// MPI_IN_PLACE, and those of who does not send in an intercommunicator. A receive that
// failed has received nothing, whatever its status holds.
var ignoring = map[string]string{
	"program.c": `#include <mpi.h>
int main (int argc, char **argv)
{
  int rank, other;
  double a[8] = { 0 };
  int two[] = { 2, 2 }, at[] = { 0, 2 }, one[] = { 1 };
  MPI_Comm alone, both;
  MPI_Status status;
  MPI_Init (&argc, &argv);
  MPI_Comm_rank (MPI_COMM_WORLD, &rank);
  other = 1 - rank;
  if (rank == 0)
    {
      MPI_Gather (MPI_IN_PLACE, -7, 0, a, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD);
      MPI_Gatherv (MPI_IN_PLACE, -7, 0, a, two, at, MPI_DOUBLE, 0, MPI_COMM_WORLD);
      MPI_Scatter (a, 2, MPI_DOUBLE, MPI_IN_PLACE, -7, 0, 0, MPI_COMM_WORLD);
      MPI_Scatterv (a, two, at, MPI_DOUBLE, MPI_IN_PLACE, -7, 0, 0, MPI_COMM_WORLD);
    }
  else
    {
      MPI_Gather (a, 2, MPI_DOUBLE, 0, -7, 0, 0, MPI_COMM_WORLD);
      MPI_Gatherv (a, 2, MPI_DOUBLE, 0, 0, 0, 0, 0, MPI_COMM_WORLD);
      MPI_Scatter (0, -7, 0, a, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD);
      MPI_Scatterv (0, 0, 0, 0, a, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    }
  MPI_Allgather (MPI_IN_PLACE, -7, 0, a, 2, MPI_DOUBLE, MPI_COMM_WORLD);
  MPI_Allgatherv (MPI_IN_PLACE, -7, 0, a, two, at, MPI_DOUBLE, MPI_COMM_WORLD);
  MPI_Alltoall (MPI_IN_PLACE, -7, 0, a, 2, MPI_DOUBLE, MPI_COMM_WORLD);
  MPI_Alltoallv (MPI_IN_PLACE, 0, 0, 0, a, two, at, MPI_DOUBLE, MPI_COMM_WORLD);
  MPI_Allreduce (MPI_IN_PLACE, a, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Comm_split (MPI_COMM_WORLD, rank, 0, &alone);
  MPI_Intercomm_create (alone, 0, MPI_COMM_WORLD, other, 3, &both);
  if (rank == 0)
    MPI_Gather (0, -7, 0, a, 2, MPI_DOUBLE, MPI_ROOT, both);
  else
    MPI_Gather (a, 2, MPI_DOUBLE, 0, -7, 0, 0, both);
  MPI_Reduce_scatter (a, a + 4, one, MPI_DOUBLE, MPI_SUM, both);
  if (rank == 0)
    MPI_Send (a, 2, MPI_DOUBLE, 0, 9, both);
  else
    {
      MPI_Recv (a, 4, MPI_DOUBLE, MPI_ANY_SOURCE, 9, both, &status);
      MPI_Comm_set_errhandler (MPI_COMM_WORLD, MPI_ERRORS_RETURN);
      MPI_Recv (a, -1, MPI_DOUBLE, other, 9, MPI_COMM_WORLD, &status);
    }
  MPI_Comm_free (&both);
  MPI_Finalize ();
  return 0;
}
`,
	"mpif.f": `      program p
      include 'mpif.h'
      integer error, rank, status(MPI_STATUS_SIZE), two(2), at(2)
      double precision a(8)
` + fortranIgnoring + `      end
`,
	"f08.f90": `program p
  use mpi_f08
  integer error, rank, two(2), at(2)
  type(MPI_Status) status
  double precision a(8)
` + fortranIgnoring + `end program
`,
}

const fortranIgnoring = `      a = 0
      two = 2
      at = (/ 0, 2 /)
      call MPI_Init(error)
      call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
      if (rank == 0) then
      call MPI_Gather(MPI_IN_PLACE, -7, MPI_DATATYPE_NULL, a, 2, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, error)
      else
      call MPI_Gather(a, 2, MPI_DOUBLE_PRECISION, a, -7, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD, error)
      end if
      call MPI_Allgatherv(MPI_IN_PLACE, -7, MPI_DATATYPE_NULL, a, two, at, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, error)
      if (rank == 0) then
      call MPI_Send(a, 2, MPI_DOUBLE_PRECISION, 1, 9, MPI_COMM_WORLD, error)
      else
      call MPI_Recv(a, 4, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, status, error)
      end if
      call MPI_Finalize(error)
`

func TestMPIArgumentsThatAreIgnored(t *testing.T) { eachMPI(t, ignoredArguments) }

func ignoredArguments(t *testing.T, m *mpi) {
	for name, want := range map[string]string{
		"program.c": `0,MPI_Gather,0,16
0,MPI_Gatherv,0,16
0,MPI_Scatter,0,16
0,MPI_Scatterv,0,16
0,MPI_Allgather,-2,16
0,MPI_Allgatherv,-2,16
0,MPI_Alltoall,-2,32
0,MPI_Alltoallv,-2,32
0,MPI_Allreduce,-2,16
0,MPI_Gather,-2,0
0,MPI_Reduce_scatter,-2,0
0,MPI_Send,1,16
1,MPI_Gather,0,16
1,MPI_Gatherv,0,16
1,MPI_Scatter,0,16
1,MPI_Scatterv,0,16
1,MPI_Allgather,-2,16
1,MPI_Allgatherv,-2,16
1,MPI_Alltoall,-2,32
1,MPI_Alltoallv,-2,32
1,MPI_Allreduce,-2,16
1,MPI_Gather,0,0
1,MPI_Reduce_scatter,-2,0
1,MPI_Recv,0,16
1,MPI_Recv,0,0`,
		"mpif.f":  inFortran,
		"f08.f90": inFortran,
	} {
		t.Run(name, func(t *testing.T) {
			folder := m.record(t, name, ignoring[name])
			if got := answered(t, folder, `SELECT p.rank, c.call, ifnull(c.received_from, c.peer), ifnull(c.received_bytes, c.bytes) FROM communication c JOIN processes p USING (process)
				WHERE call NOT IN ('MPI_Init', 'MPI_Finalize', 'MPI_Comm_split', 'MPI_Intercomm_create', 'MPI_Comm_free') ORDER BY p.rank, c.start`); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			for _, row := range reportedRows(t, folder, "communication") {
				if row["call"] == "MPI_Recv" && row["bytes"] != 16.0 {
					t.Errorf("the report: %v, want 16 bytes", row)
				}
			}
		})
	}
}

const inFortran = `0,MPI_Gather,0,16
0,MPI_Allgatherv,-2,16
0,MPI_Send,1,16
1,MPI_Gather,0,16
1,MPI_Allgatherv,-2,16
1,MPI_Recv,0,16`

// compiled builds a file of C of the test's.
func compiled(t *testing.T, output, source string, flags ...string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "source.c")
	if err := os.WriteFile(file, []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	execute(t, filepath.Dir(output), nil, compilers.C(), append([]string{"-g", "-o", output, file}, flags...)...).must(t)
}

// An MPI that a module has loaded for itself is found whatever its libraries' names are,
// and where it has not the function the program is told.
func TestMPIOfAModule(t *testing.T) {
	withOpenMPI(t)
	folder := t.TempDir()
	compiled(t, filepath.Join(folder, "libmpi_vendor.so.12"), "int MPI_Barrier (void *c) { (void) c; return 42; }", "-shared", "-fPIC", "-Wl,-soname,libmpi_vendor.so.12")
	compiled(t, filepath.Join(folder, "module.so"), `int MPI_Barrier (void *);
void mpi_barrier_ (int *, int *);
int module (void)
{
  int communicator = 0, error = 0;
  mpi_barrier_ (&communicator, &error);
  return error != 16 ? 1 : MPI_Barrier (0);
}
`, "-shared", "-fPIC", "-L.", "-l:libmpi_vendor.so.12", "-Wl,-rpath,$ORIGIN")
	compiled(t, filepath.Join(folder, "program"), `#include <dlfcn.h>
int main (void)
{
  void *module = dlopen ("./module.so", RTLD_LAZY | RTLD_LOCAL);
  return module ? ((int (*) (void)) dlsym (module, "module")) () : 2;
}
`, "-ldl")
	if r := invoke(t, folder, "run", "-q", "-o", "trace.db", "--", "./program"); r.status != 42 {
		t.Errorf("status %d, want 42\n%s", r.status, r.stderr)
	}
}

// In a process with both libraries each call is told of once, by the one that knows its MPI.
func TestMPIWithBothLibraries(t *testing.T) {
	for _, m := range mpis() {
		if why := m.missing(); why != "" {
			t.Skip(why)
		}
	}
	eachMPI(t, func(t *testing.T, m *mpi) {
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, "program.c"), []byte(messaging["program.c"]), 0o644); err != nil {
			t.Fatal(err)
		}
		execute(t, folder, m.environment, m.command(mpicc), "-o", "program", "program.c").must(t)
		for _, order := range [][2]string{{"mpich", "openmpi"}, {"openmpi", "mpich"}} {
			t.Run(order[0]+" first", func(t *testing.T) {
				invoke(t, folder, "run", "-q", "--force", "-o", "trace.db", "--", "sh", "-c",
					"LD_PRELOAD="+filepath.Join(project, "lib/libaccscope-"+order[0]+".so")+":"+filepath.Join(project, "lib/libaccscope-"+order[1]+".so")+":$LD_PRELOAD "+m.launcher(t)+" -n 2 ./program").must(t)
				got := answered(t, folder, "SELECT call, count(*), sum(bytes) FROM communication WHERE call IN ('MPI_Send', 'MPI_Barrier') GROUP BY call ORDER BY call")
				if want := "MPI_Barrier,2,0\nMPI_Send,2,1200"; got != want {
					t.Errorf("got\n%s\nwant\n%s", got, want)
				}
			})
		}
	})
}
