package launch

import (
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/accscope/accscope/runtime/compilers"
)

// needing builds a program that loads a library of a name.
func needing(t *testing.T, library string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), library)
	empty := compile(t, "", "-shared")
	if output, err := exec.Command(compilers.C(), "-shared", "-Wl,-soname,"+library, "-o", path, empty).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	return compile(t, "int main (void) { return 0; }", "-Wl,--no-as-needed", path)
}

func TestChooseMPI(t *testing.T) {
	const open, mpich = "/lib/libaccscope-openmpi.so", "/lib/libaccscope-mpich.so"
	both := []string{open, mpich}
	script := Program{Path: "/nowhere/script", Kind: Script}
	for _, test := range []struct {
		name    string
		needed  string // by the program, or with line by one that the command line names
		program Program
		line    bool
		want    []string
	}{
		{"Open MPI", "libmpi.so.40", Program{Kind: GCC}, false, []string{open}},
		{"Open MPI from mpif.h", "libmpi_mpifh.so.40", Program{Kind: GCC}, false, []string{open}},
		{"Open MPI from mpi_f08", "libmpi_usempif08.so.40", Program{Kind: GCC}, false, []string{open}},
		{"Debian's MPICH", "libmpich.so.12", Program{Kind: GCC}, false, []string{mpich}},
		{"MPICH", "libmpi.so.12", Program{Kind: GCC}, false, []string{mpich}},
		{"MPICH from Fortran", "libmpifort.so.12", Program{Kind: GCC}, false, []string{mpich}},
		{"Cray's", "libmpi_gnu_91.so.12", Program{Kind: GCC}, false, []string{mpich}},
		{"none", "libother.so.40", Program{Kind: GCC}, false, nil},
		{"behind a launcher", "libmpi.so.12", Program{Kind: Plain}, true, []string{mpich}},
		{"a launcher of one without", "libother.so.40", Program{Kind: Plain}, true, both},
		{"a script", "", script, false, both},
	} {
		t.Run(test.name, func(t *testing.T) {
			arguments := []string{"-n", "4"}
			if test.needed != "" {
				path := needing(t, test.needed)
				if test.line {
					arguments = append(arguments, path)
				} else {
					test.program.Path = path
				}
			}
			if got := (Libraries{MPI: both}).ChooseMPI(test.program, arguments); !slices.Equal(got, test.want) {
				t.Errorf("chosen %v, want %v", got, test.want)
			}
		})
	}
}
