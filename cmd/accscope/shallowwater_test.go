package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/accscope/accscope/runtime/compilers"
)

// makeShallowWater compiles one of the programs of examples/shallow-water by its
// makefile, into the program's folder.
func makeShallowWater(source, program string) *exec.Cmd {
	return exec.Command("make", "-s", "-C", source, "BUILD="+filepath.Dir(program), "CXX="+compilers.CXX(), "FC="+compilers.Fortran(),
		"OPENACC=-fopenacc -foffload=disable", "CXXFLAGS=-O2 -g -Wall -Wextra -Werror",
		"FCFLAGS=-O2 -g -Wall -Wextra -Werror -std=f2018", program)
}

// shallowWaterArguments is a basin whose sides differ, of several members, with a
// report whose sums are read a step later.
var shallowWaterArguments = strings.Fields("--nx 40 --ny 26 --members 2 --steps 12 --report 5 --check 2")

var checkLine = regexp.MustCompile(`(?m)^check .* right$`)

// TestShallowWater holds the mini-application to what its README promises.
func TestShallowWater(t *testing.T) {
	names := []string{"shallow-water-cpp", "shallow-water-fortran"}
	if _, err := exec.LookPath("mpicc"); err == nil {
		names = append(names, "shallow-water-cpp-mpi", "shallow-water-fortran-mpi")
	}
	programs := map[string]string{}
	for _, name := range names {
		programs[name] = build(t, name)
	}
	t.Run("same results", func(t *testing.T) { sameResults(t, names, programs) })
	for _, name := range names[:2] {
		t.Run(name+" launches", func(t *testing.T) { countedLaunches(t, programs[name]) })
		t.Run(name+" usage", func(t *testing.T) { usageLine(t, programs[name]) })
	}
}

// sameResults holds both languages, on GCC's runtime and on ours, in one process and
// in several, against each other: one line says mass, tracer and energy to ten
// digits.
func sameResults(t *testing.T, names []string, programs map[string]string) {
	ours := "LD_PRELOAD=" + filepath.Join(project, "lib/libopenacc.so")
	settings := []struct {
		name        string
		environment []string
	}{
		{"libgomp", []string{"ACC_DEVICE_TYPE=host"}},
		{"host", []string{"ACC_DEVICE_TYPE=host", ours}},
		{"sim", []string{"ACC_DEVICE_TYPE=sim", ours}},
	}
	var want, wantFrom string
	for _, name := range names {
		command := append([]string{programs[name]}, shallowWaterArguments...)
		if strings.HasSuffix(name, "-mpi") {
			command = append([]string{"mpirun", "-n", "2"}, command...)
		}
		for _, setting := range settings {
			r := execute(t, t.TempDir(), setting.environment, command[0], command[1:]...).must(t)
			line, from := checkLine.FindString(r.stdout), name+" on "+setting.name
			switch {
			case line == "":
				t.Errorf("%s has no line of its check:\n%s", from, r.stdout)
			case want == "":
				want, wantFrom = line, from
			case line != want:
				t.Errorf("%s:\n%s\n%s:\n%s", from, line, wantFrom, want)
			}
		}
	}
}

// countedLaunches holds the launches that a trace has against those that the
// program counts.
func countedLaunches(t *testing.T, program string) {
	folder := t.TempDir()
	r := invoke(t, folder, append([]string{"run", "--device", "sim", "--no-summary", "-o", "trace.db", "--", program},
		shallowWaterArguments...)...).must(t)
	found := regexp.MustCompile(`(?m)^launches +(\d+), and (\d+) to compare$`).FindStringSubmatch(r.stdout)
	if found == nil {
		t.Fatalf("it does not count its launches:\n%s", r.stdout)
	}
	// The launches to compare are made on the device and on the host.
	rows := invoke(t, folder, "query", "--format", "csv", "trace.db", "SELECT count(*) = "+found[1]+" + "+found[2]+
		" / 2 AS launches, count(DISTINCT kernel) AS kernels FROM kernels").must(t).stdout
	if want := "launches,kernels\n1,17\n"; rows != want {
		t.Errorf("it printed %q, its trace says %q, want %q", found[0], rows, want)
	}
}

// usageLine holds wrong arguments to a usage line and status 2.
func usageLine(t *testing.T, program string) {
	for _, arguments := range []string{"--nx", "--nx ten", "--nx 3", "--ny -5", "--steps 0", "--colour 3", "--members 99999999"} {
		r := execute(t, t.TempDir(), nil, program, strings.Fields(arguments)...)
		if r.status != 2 || !strings.HasPrefix(r.stderr, "usage: ") {
			t.Errorf("%s: status %d, %q", arguments, r.status, r.stderr)
		}
	}
}

// TestShallowWaterSeesMistakes breaks the sources, each in one place, and holds the
// program to finding it out.
func TestShallowWaterSeesMistakes(t *testing.T) {
	for _, test := range []struct{ name, file, from, to string }{
		{"water from nowhere, C++", "cpp/sweep.cpp", "rate * (work.mass_flux[a] - ", "1.001 * rate * (work.mass_flux[a] - 0.999 * "},
		{"water from nowhere, Fortran", "fortran/sweep.f90", "- rate * (work%mass_flux(i + di, j + dj, m) - ", "- rate * (work%mass_flux(i + di, j + dj, m) - 0.999d0 * "},
		{"results left on the device, C++", "cpp/main.cpp", "#pragma acc update self", "#pragma acc update if (0) self"},
		{"results left on the device, Fortran", "fortran/basin.f90", "exit data copyout(flow%depth", "exit data delete(flow%depth"},
	} {
		t.Run(test.name, func(t *testing.T) {
			folder := t.TempDir()
			if err := os.CopyFS(folder, os.DirFS(filepath.Join(project, "examples/shallow-water"))); err != nil {
				t.Fatal(err)
			}
			source := filepath.Join(folder, test.file)
			text, err := os.ReadFile(source)
			if err != nil {
				t.Fatal(err)
			}
			broken := strings.Replace(string(text), test.from, test.to, 1)
			if broken == string(text) {
				t.Fatalf("%s has no %q", test.file, test.from)
			}
			if err := os.WriteFile(source, []byte(broken), 0o644); err != nil {
				t.Fatal(err)
			}
			program := filepath.Join(folder, "shallow-water-"+filepath.Dir(test.file))
			if output, err := makeShallowWater(folder, program).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, output)
			}
			r := execute(t, folder, []string{"ACC_DEVICE_TYPE=sim", "LD_PRELOAD=" + filepath.Join(project, "lib/libopenacc.so")},
				program, shallowWaterArguments...)
			if r.status != 1 || !strings.HasSuffix(r.stdout, "WRONG\n") {
				t.Errorf("status %d:\n%s%s", r.status, r.stdout, r.stderr)
			}
		})
	}
}
