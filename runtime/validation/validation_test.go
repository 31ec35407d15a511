// Package validation runs programs in the manner of a validation suite on the
// runtime: every data clause, construct and loop clause that GCC 12 compiles,
// reductions of every operator and type, queues, and the routines of chapter 3, in
// C, C++ and Fortran (OpenACC 3.3 chapters 2 and 3). Each program compares what the
// device computed with what the host computes, and knows where memory of its own
// makes a difference.
package validation

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/accscope/accscope/runtime/compilers"
)

// programs are the files of testdata; at least so many checks each has on the
// host device.
var programs = []struct {
	source string
	checks int
}{
	{"data.c", 690},
	{"reductions.c", 350},
	{"loops.c", 130},
	{"asynchronous.c", 60},
	{"classes.cc", 18},
	{"members.c", 28},
	{"data.f90", 50},
	{"pointers.f90", 30},
	{"dummies.f90", 24},
	{"descriptors.f90", 30},
	{"members.f90", 7},
	{"loops.f90", 35},
	{"asynchronous.f90", 20},
	{"values.c", 30},
	{"midway.c", 28},
	{"scalars.c", 2000},
	{"schedules.c", 1}, // on sim, more than a thousand
}

// devices are the settings that every program must do well with; those marked
// long, in a long run only.
var devices = []struct {
	name        string
	environment []string
	long        bool
}{
	{"host", []string{"ACC_DEVICE_TYPE=host"}, false},
	{"sim", []string{"ACC_DEVICE_TYPE=sim"}, false},
	{"sim with one hardware queue", []string{"ACC_DEVICE_TYPE=sim", "ACCSCOPE_SIM_QUEUES=1"}, false},
	{"sim without poison", []string{"ACC_DEVICE_TYPE=sim", "ACCSCOPE_SIM_POISON=off"}, true},
	{"the second of two sim devices", []string{"ACC_DEVICE_TYPE=sim", "ACCSCOPE_SIM_DEVICES=2", "ACC_DEVICE_NUM=1"}, true},
	{"sim with modelled times", []string{"ACC_DEVICE_TYPE=sim", "ACCSCOPE_SIM_MODEL=on"}, true},
}

var module = []string{"openacc_kinds.f90", "openacc_data.f90", "openacc_attach.f90", "openacc.f90"}

func library(t *testing.T) string {
	t.Helper()
	file, err := filepath.Abs("../../lib/libopenacc.so")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(file); err != nil {
		t.Fatalf("%v: run make first", err)
	}
	return file
}

// build compiles one program, linked before GCC's own library.
func build(t *testing.T, source, optimisation string, flags ...string) string {
	t.Helper()
	folder, libraries := t.TempDir(), filepath.Dir(library(t))
	binary := filepath.Join(folder, "program")
	arguments := append([]string{"-fopenacc", "-foffload=disable", optimisation, "-g", "-I../include", "-o", binary}, flags...)
	compiler := map[string]string{".c": compilers.C(), ".cc": compilers.CXX(), ".f90": compilers.Fortran()}[filepath.Ext(source)]
	if compiler == compilers.Fortran() {
		arguments = append(arguments, "-J", folder)
		for _, file := range module {
			arguments = append(arguments, filepath.Join("../include", file))
		}
		arguments = append(arguments, "testdata/checking.f90")
	}
	arguments = append(arguments, filepath.Join("testdata", source), "-L"+libraries, "-lopenacc", "-Wl,-rpath,"+libraries, "-lm", "-pthread")
	if output, err := exec.Command(compiler, arguments...).CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", compiler, strings.Join(arguments, " "), err, output)
	}
	return binary
}

func run(binary string, preload []string, environment ...string) (string, error) {
	return execute(exec.Command(binary), preload, environment...)
}

func execute(command *exec.Cmd, preload []string, environment ...string) (string, error) {
	command.Env = append(append(os.Environ(), "LD_PRELOAD="+strings.Join(preload, ":")), environment...)
	output, err := command.CombinedOutput()
	return string(output), err
}

// TestPrograms runs every program on every device, and as a negative control on a
// runtime whose compute regions do nothing.
func TestPrograms(t *testing.T) {
	control := filepath.Join(t.TempDir(), "control.so")
	if output, err := exec.Command(compilers.C(), "-shared", "-fPIC", "-o", control, "../conformance/control/empty-regions.c").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	optimisations := []string{"-O2"}
	if !testing.Short() {
		optimisations = append(optimisations, "-O0")
	}
	for _, p := range programs {
		for _, optimisation := range optimisations {
			t.Run(p.source+" "+optimisation, func(t *testing.T) {
				t.Parallel()
				binary := build(t, p.source, optimisation)
				t.Run("compute regions that do nothing", func(t *testing.T) {
					if output, err := run(binary, []string{control, library(t)}, "ACC_DEVICE_TYPE=sim"); err == nil {
						t.Errorf("passes even so:\n%s", output)
					}
				})
				for _, d := range devices {
					if d.long && testing.Short() {
						continue
					}
					t.Run(d.name, func(t *testing.T) {
						output, err := run(binary, []string{library(t)}, d.environment...)
						if err != nil {
							t.Fatalf("%v\n%s", err, output)
						}
						var checks, failures int
						lines := strings.Split(strings.TrimSpace(output), "\n")
						if _, err := fmt.Sscanf(lines[len(lines)-1], "%d checks, %d failures", &checks, &failures); err != nil {
							t.Fatalf("no result at the end: %v\n%s", err, output)
						}
						if failures != 0 || checks < p.checks {
							t.Errorf("want %d checks without a failure\n%s", p.checks, output)
						}
					})
				}
			})
		}
	}
}

var updatesThatDoNothing = regexp.MustCompile(`(?m)^accscope: warning: (plugin\.c:\d+: )?update directive does nothing on sim 0 for data declared at file scope.*\n`)

// TestPlugins has a program open and close libraries with declare directives while
// its device is open.
func TestPlugins(t *testing.T) {
	binary := build(t, "plugins.c", "-O2")
	var plugins []string
	for scale := 1; scale <= 3; scale++ {
		plugin := filepath.Join(t.TempDir(), "plugin.so")
		if output, err := exec.Command(compilers.C(), "-fopenacc", "-foffload=disable", "-O2", "-g", "-shared", "-fPIC",
			fmt.Sprintf("-DSCALE=%d", scale), "-o", plugin, "testdata/plugin.c").CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, output)
		}
		plugins = append(plugins, plugin)
	}
	for _, d := range devices[:2] {
		t.Run(d.name, func(t *testing.T) {
			output, err := execute(exec.Command(binary, plugins...), []string{library(t)}, d.environment...)
			// The declared data are the host's own on sim, which it warns of.
			if err != nil || updatesThatDoNothing.ReplaceAllString(output, "") != "12 checks, 0 failures\n" {
				t.Errorf("%v\n%s", err, output)
			}
		})
	}
}
