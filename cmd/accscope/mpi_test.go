package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/accscope/accscope/runtime/compilers"
)

// Two ranks that wait for each other, in C and both of Fortran's interfaces.
var messaging = map[string]string{
	"program.c": `#include <mpi.h>
#include <unistd.h>
int main (int argc, char **argv)
{
  int rank;
  double a[100] = { 0 }, b[100];
  MPI_Request request;
  MPI_Status status;
  MPI_Init (&argc, &argv);
  MPI_Comm_rank (MPI_COMM_WORLD, &rank);
  if (rank == 0)
    usleep (100000);
  MPI_Barrier (MPI_COMM_WORLD);
  if (rank == 0)
    MPI_Send (a, 100, MPI_DOUBLE, 1, 7, MPI_COMM_WORLD);
  else
    MPI_Recv (b, 100, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 1)
    MPI_Send (a, 50, MPI_DOUBLE, 0, 8, MPI_COMM_WORLD);
  else
    {
      MPI_Irecv (b, 100, MPI_DOUBLE, 1, 8, MPI_COMM_WORLD, &request);
      MPI_Wait (&request, &status);
    }
  MPI_Allreduce (a, b, 10, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize ();
  return 0;
}
`,
	"mpif.f": `      program p
      include 'mpif.h'
      integer error, rank
      double precision a(100), b(100)
` + fortranMessaging + `      end
`,
	"f08.f90": `program p
  use mpi_f08
  integer error, rank
  double precision a(100), b(100)
` + fortranMessaging + `end program
`,
}

const fortranMessaging = `      a = 0
      call MPI_Init(error)
      call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
      if (rank == 0) call sleep(1)
      call MPI_Barrier(MPI_COMM_WORLD, error)
      if (rank == 0) then
      call MPI_Send(a, 100, MPI_DOUBLE_PRECISION, 1, 7, MPI_COMM_WORLD, error)
      else
      call MPI_Recv(b, 100, MPI_DOUBLE_PRECISION, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
      end if
      call MPI_Allreduce(a, b, 10, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
      call MPI_Finalize(error)
`

// mpi is an MPI that programs are tested with.
type mpi struct {
	name        string
	library     string     // of ours, for it
	commands    [][]string // compilers of C and Fortran and the launcher: Debian's names, and others
	environment []string
	launching   sync.Once
	started     string
}

var mpis = sync.OnceValue(func() []*mpi {
	return []*mpi{
		{name: "Open MPI", library: "libaccscope-openmpi.so", commands: [][]string{{"mpicc.openmpi", "mpicc"}, {"mpifort.openmpi", "mpifort"}, {"mpirun.openmpi", "mpirun"}},
			environment: []string{"OMPI_CC=" + compilers.C(), "OMPI_FC=" + compilers.Fortran()}},
		{name: "MPICH", library: "libaccscope-mpich.so", commands: [][]string{{"mpicc.mpich"}, {"mpifort.mpich"}, {"mpirun.mpich"}},
			environment: []string{"MPICH_CC=" + compilers.C(), "MPICH_FC=" + compilers.Fortran()}},
	}
})

// The places of an MPI's commands.
const (
	mpicc = iota
	mpifort
	mpirun
)

// command is the first of the names that is there.
func (m *mpi) command(which int) string {
	names := m.commands[which]
	for _, name := range names {
		if _, err := exec.LookPath(name); err == nil {
			return name
		}
	}
	return names[0]
}

// launcher starts ranks that find each other. Those of Ubuntu 24.04's MPICH look for a PMIx
// server, which its own launcher is not, and Open MPI's is.
func (m *mpi) launcher(t *testing.T) string {
	t.Helper()
	own := m.command(mpirun)
	if m.name != "MPICH" {
		return own
	}
	m.launching.Do(func() {
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, "alone.c"), []byte(`#include <mpi.h>
int main (void)
{
  int ranks;
  MPI_Init (0, 0);
  MPI_Comm_size (MPI_COMM_WORLD, &ranks);
  MPI_Finalize ();
  return ranks == 1;
}
`), 0o600); err != nil {
			t.Fatal(err)
		}
		execute(t, folder, m.environment, m.command(mpicc), "-o", "alone", "alone.c").must(t)
		m.started = own
		if other := mpis()[0].command(mpirun); execute(t, folder, nil, own, "-n", "2", "./alone").status != 0 {
			execute(t, folder, nil, other, "-n", "2", "./alone").must(t)
			m.started = other
		}
	})
	return m.started
}

// missing says why programs of an MPI cannot be tested, "" if they can.
func (m *mpi) missing() string {
	if _, err := os.Stat(filepath.Join(project, "lib", m.library)); err != nil {
		return m.name + "'s headers were not found when this was built"
	}
	for which := range m.commands {
		if _, err := exec.LookPath(m.command(which)); err != nil {
			return fmt.Sprintf("%s: %v", m.name, err)
		}
	}
	return ""
}

// eachMPI runs a test with each MPI that is there.
func eachMPI(t *testing.T, test func(t *testing.T, m *mpi)) {
	for _, m := range mpis() {
		t.Run(m.name, func(t *testing.T) {
			if why := m.missing(); why != "" {
				t.Skip(why)
			}
			test(t, m)
		})
	}
}

// withOpenMPI skips where programs of Open MPI cannot be tested.
func withOpenMPI(t *testing.T) *mpi {
	t.Helper()
	m := mpis()[0]
	if why := m.missing(); why != "" {
		t.Skip(why)
	}
	return m
}

// record records two ranks of a program, given as the text of a file, in trace.db of
// the folder that it gives.
func (m *mpi) record(t *testing.T, name, source string) string {
	t.Helper()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, name), []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	compiler, arguments := mpicc, []string{"-g", "-o", "program", name}
	if filepath.Ext(name) != ".c" {
		compiler = mpifort
		arguments = append(arguments, "-ffixed-line-length-none", "-fallow-argument-mismatch")
	}
	execute(t, folder, m.environment, m.command(compiler), arguments...).must(t)
	invoke(t, folder, "run", "-q", "-o", "trace.db", "--", m.launcher(t), "-n", "2", "./program").must(t)
	return folder
}

func answered(t *testing.T, folder, sql string) string {
	t.Helper()
	out := invoke(t, folder, "query", "--format", "csv", "trace.db", sql).must(t).stdout
	_, rows, _ := strings.Cut(strings.ReplaceAll(out, "\r\n", "\n"), "\n")
	return strings.TrimSpace(rows)
}

// Calls are spans with peer, bytes, tag and communicator, in each language.
func TestMPICalls(t *testing.T) {
	want := `0,MPI_Init,-2,0,0,0
0,MPI_Barrier,-2,0,0,0
0,MPI_Send,1,800,7,0
0,MPI_Allreduce,-2,80,0,0
0,MPI_Finalize,-2,0,0,0
1,MPI_Init,-2,0,0,0
1,MPI_Barrier,-2,0,0,0
1,MPI_Recv,0,800,7,0
1,MPI_Allreduce,-2,80,0,0
1,MPI_Finalize,-2,0,0,0`
	eachMPI(t, func(t *testing.T, m *mpi) {
		for name := range messaging {
			t.Run(name, func(t *testing.T) {
				folder := m.record(t, name, messaging[name])
				got := answered(t, folder, `SELECT p.rank, c.call, c.peer, c.bytes, c.tag, c.communicator FROM communication c JOIN processes p USING (process)
				WHERE tag <> 8 AND call <> 'MPI_Wait' ORDER BY p.rank, c.start`)
				if got != want {
					t.Errorf("got\n%s\nwant\n%s", got, want)
				}
				if places := answered(t, folder, "SELECT count(*) FROM communication WHERE source_file LIKE '%"+name+"' AND line > 0"); places != map[string]string{"program.c": "13", "mpif.f": "10", "f08.f90": "10"}[name] {
					t.Errorf("%s calls have a place in %s", places, name)
				}
			})
		}
	})
}

// What a barrier waits is the time between the begins of the ranks' calls, a receive's that
// to the send; a message's bytes are those that came.
func TestMPIWaiting(t *testing.T) { eachMPI(t, waitedFor) }

func waitedFor(t *testing.T, m *mpi) {
	folder := m.record(t, "program.c", messaging["program.c"])
	rows := map[string]map[string]any{}
	for _, row := range reportedRows(t, folder, "communication") {
		rows[fmt.Sprint(row["call"])] = row
	}
	for call, sql := range map[string]string{
		"MPI_Barrier": "SELECT max(start) - min(start) FROM communication WHERE call = 'MPI_Barrier'",
		"MPI_Recv":    `SELECT max(min(s.start, r.end) - r.start, 0) FROM communication s JOIN communication r ON s.call = 'MPI_Send' AND r.call = 'MPI_Recv' AND s.tag = 7`,
		"MPI_Wait":    `SELECT iif(s.start BETWEEN w.start AND w.end, s.start - w.start, 0) FROM communication s JOIN communication w ON s.call = 'MPI_Send' AND w.call = 'MPI_Wait' AND s.tag = 8`,
	} {
		want, err := strconv.ParseFloat(answered(t, folder, sql), 64)
		if err != nil {
			t.Fatal(err)
		}
		row := rows[call]
		if row == nil || row["wait_ns"] != want || row["wait_ns"].(float64)+row["transfer_ns"].(float64) != row["time_ns"].(float64) {
			t.Errorf("%s waited %v, want %v ns", call, row, want)
		}
	}
	// A filter takes calls away, and not what the others waited for.
	begin := answered(t, folder, "SELECT start FROM communication WHERE call = 'MPI_Recv'")
	for _, limits := range []struct {
		call  string // that is not taken away, or not where it waited
		flags []string
	}{{"MPI_Recv", []string{"--rank", "1"}}, {"MPI_Barrier", []string{"--rank", "1"}}, {"MPI_Recv", []string{"--since", begin + "ns"}}} {
		only := reportedRows(t, folder, "communication", limits.flags...)
		at := slices.IndexFunc(only, func(row map[string]any) bool { return row["call"] == limits.call })
		if at < 0 || only[at]["wait_ns"] != rows[limits.call]["wait_ns"] || len(only) >= len(rows) {
			t.Errorf("%v: %v, want %s as in %v", limits.flags, only, limits.call, rows)
		}
	}
	if rows := reportedRows(t, folder, "communication", "--source", "nowhere.c"); len(rows) != 0 {
		t.Errorf("%v in a file that there is not", rows)
	}
	summary := execute(t, folder, nil, accscope, "run", "-o", "other.db", "--", m.launcher(t), "-n", "2", "./program").must(t).stderr
	if !strings.Contains(summary, "MPI ") || !strings.Contains(summary, "late ranks") || !strings.Contains(summary, "computation") {
		t.Errorf("the summary:\n%s", summary)
	}
}

// A program without MPI is untouched; a script of which nothing is known loads no MPI.
func TestNoMPI(t *testing.T) {
	withOpenMPI(t)
	folder := t.TempDir()
	source := "#include <stdio.h>\n#include <string.h>\nint main (void)\n{\n  char line[4096];\n  FILE *maps = fopen (\"/proc/self/maps\", \"r\");\n#pragma acc parallel\n  ;\n  while (fgets (line, sizeof line, maps))\n    if (strstr (line, \"libaccscope-\") || strstr (line, \"/libmpi\"))\n      fputs (line, stdout);\n  return 0;\n}\n"
	if err := os.WriteFile(filepath.Join(folder, "program.c"), []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	execute(t, folder, nil, compilers.C(), "-fopenacc", "-foffload=disable", "-o", "program", "program.c").must(t)
	if out := invoke(t, folder, "run", "-q", "-o", "trace.db", "--", "./program").must(t).stdout; out != "" {
		t.Errorf("loaded:\n%s", out)
	}
	if out := invoke(t, folder, "run", "-q", "-o", "script.db", "--", "sh", "-c", "./program").must(t).stdout; strings.Contains(out, "/libmpi") {
		t.Errorf("loaded by a script:\n%s", out)
	}
}
