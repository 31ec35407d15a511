package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/accscope/accscope/runtime/compilers"
	"github.com/accscope/accscope/runtime/leftover"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// accscope is the binary under test; project the folder of the checkout.
var accscope, project string

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(testMain(m))
}

func testMain(m *testing.M) int {
	folder, err := os.MkdirTemp("", "accscope-test")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(folder)
	if project, err = filepath.Abs("../.."); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	accscope = filepath.Join(folder, "accscope")
	if err := compilers.Accscope(accscope); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	environment := compilers.MPI()
	environment["ACCSCOPE_LIBRARY_PATH"] = filepath.Join(project, "lib")
	environment["ACCSCOPE_DIR"] = filepath.Join(folder, "sessions")
	environment["LC_ALL"] = "C.UTF-8"
	for name, value := range environment {
		os.Setenv(name, value)
	}
	for _, library := range []string{"libopenacc.so", "libopenacc-engine.so", "libaccprof.so"} {
		if _, err := os.Stat(filepath.Join(project, "lib", library)); err != nil {
			fmt.Fprintf(os.Stderr, "%v: run make first\n", err)
			return 1
		}
	}
	return leftover.Main(m)
}

// result is how a command ended.
type result struct {
	stdout, stderr string
	status         int // exit status, or 128 + signal
}

// invoke runs the binary in a folder.
func invoke(t *testing.T, folder string, args ...string) result {
	t.Helper()
	return execute(t, folder, nil, accscope, args...)
}

func execute(t *testing.T, folder string, environment []string, name string, args ...string) result {
	t.Helper()
	command := exec.Command(name, args...)
	command.Dir = folder
	command.Env = append(os.Environ(), environment...)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	err := command.Run()
	r := result{stdout: stdout.String(), stderr: stderr.String()}
	var exit *exec.ExitError
	switch {
	case err == nil:
	case asExit(err, &exit):
		r.status = exit.ExitCode()
		if signal := signalOf(exit); signal != 0 {
			r.status = 128 + signal
		}
	default:
		t.Fatalf("%s %s: %v", name, strings.Join(args, " "), err)
	}
	return r
}

// must fails the test unless the command succeeded.
func (r result) must(t *testing.T) result {
	t.Helper()
	if r.status != 0 {
		t.Fatalf("exit status %d\nstandard output:\n%s\nstandard error:\n%s", r.status, r.stdout, r.stderr)
	}
	return r
}

// build gives the test a program of its own of one of the examples, which are compiled once.
// It is cp that writes it: a file that this process has open for writing cannot be run while
// another test starts something.
func build(t *testing.T, example string) string {
	t.Helper()
	made, _ := examples.LoadOrStore(example, sync.OnceValues(func() (string, error) { return compileExample(example) }))
	program, err := made.(func() (string, error))()
	if err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(t.TempDir(), example)
	execute(t, "", nil, "cp", program, own).must(t)
	return own
}

var examples sync.Map // of functions that give the path of the program, by the example's name

func compileExample(example string) (string, error) {
	folder, err := os.MkdirTemp(filepath.Dir(accscope), example)
	if err != nil {
		return "", err
	}
	program := filepath.Join(folder, example)
	common := []string{"-fopenacc", "-foffload=disable", "-O2", "-g", "-o", program}
	source := filepath.Join(project, "examples", example)
	var command *exec.Cmd
	switch example {
	case "jacobi", "pipeline":
		command = exec.Command(compilers.C(), append(common, filepath.Join(source, example+".c"), "-lm")...)
	case "stencil":
		command = exec.Command(compilers.Fortran(), append(common, "-J", folder, filepath.Join(source, "stencil.f90"))...)
	case "particles":
		command = exec.Command(compilers.CXX(), append(common, filepath.Join(source, "particles.cpp"))...)
	case "heat-mpi":
		command = exec.Command("mpicc", append(common, filepath.Join(source, "heat.c"), "-lm")...)
	case "shallow-water-cpp", "shallow-water-fortran", "shallow-water-cpp-mpi", "shallow-water-fortran-mpi":
		command = makeShallowWater(filepath.Join(project, "examples/shallow-water"), program)
	default:
		return "", fmt.Errorf("no example %s", example)
	}
	if output, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s", command, err, output)
	}
	return program, nil
}
