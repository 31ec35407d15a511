// Package test runs real programs, compiled by GCC 12, on the thin
// library with a stand-in for its Go part that prints what it is handed.
package test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/accscope/accscope/runtime/compilers"
)

var cFlags = []string{"-std=gnu11", "-O2", "-g", "-Wall", "-Wextra", "-Werror", "-fvisibility=hidden",
	"-fno-omit-frame-pointer", "-fPIC", "-I..", "-I../../../callbacks", "-I../../../runtime/dataenv", "-I../../../runtime/goacc", "-I../../../runtime/include"}

var built struct {
	once   sync.Once
	folder string
	err    error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if built.folder != "" {
		if err := os.RemoveAll(built.folder); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
	os.Exit(code)
}

func tool(arguments ...string) error {
	output, err := exec.Command(arguments[0], arguments[1:]...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(arguments, " "), err, output)
	}
	return nil
}

// library is a folder with libopenacc.so, the stand-in beside it, and the module
// openacc.
func library(t *testing.T) string {
	t.Helper()
	built.once.Do(func() {
		if built.folder, built.err = os.MkdirTemp("", "libopenacc"); built.err != nil {
			return
		}
		sources, err := filepath.Glob("../*.c")
		if err != nil {
			built.err = err
			return
		}
		thin := append([]string{compilers.C()}, cFlags...)
		thin = append(thin, "-shared", "-Wl,-z,defs", "-o", built.folder+"/libopenacc.so", "../../../callbacks/dispatch.c")
		standin := append([]string{compilers.C(), "-shared", "-o", built.folder + "/libopenacc-engine.so",
			"testdata/standin_engine.c", "testdata/standin_activity.c", "testdata/standin_defaults.c", "../../../callbacks/dispatch.c"}, cFlags...)
		standin = append(standin, "-Wno-unused-parameter")
		for _, command := range [][]string{
			append(thin, sources...), standin,
			{compilers.Fortran(), "-fopenacc", "-fsyntax-only", "-J", built.folder,
				"../../../runtime/include/openacc_kinds.f90", "../../../runtime/include/openacc_data.f90",
				"../../../runtime/include/openacc_attach.f90", "../../../runtime/include/openacc.f90"},
		} {
			if built.err = tool(command...); built.err != nil {
				return
			}
		}
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	return built.folder
}

// compile makes a program or library of testdata and returns its path.
func compile(t *testing.T, source, output string, arguments ...string) string {
	t.Helper()
	output = filepath.Join(t.TempDir(), output)
	compiler := []string{compilers.C(), "-I../../../runtime/include"}
	if strings.HasSuffix(source, ".f90") {
		compiler = []string{compilers.Fortran()}
	}
	command := append(compiler, "-O2", "-g", "-o", output, "testdata/"+source)
	if err := tool(append(command, arguments...)...); err != nil {
		t.Fatal(err)
	}
	return output
}

type outcome struct {
	output string // standard output
	errors string // standard error
	code   int
}

// run runs a program with additional variables in the environment.
func run(t *testing.T, environment []string, arguments ...string) outcome {
	t.Helper()
	command := exec.Command(arguments[0], arguments[1:]...)
	command.Env = append(os.Environ(), environment...)
	var output, errors bytes.Buffer
	command.Stdout, command.Stderr = &output, &errors
	err := command.Run()
	if _, exited := err.(*exec.ExitError); err != nil && !exited {
		t.Fatal(err)
	}
	return outcome{output.String(), errors.String(), command.ProcessState.ExitCode()}
}

func preload(t *testing.T) string { return "LD_PRELOAD=" + library(t) + "/libopenacc.so" }

func (o outcome) want(t *testing.T, output string, code int) {
	t.Helper()
	if o.output != output || o.code != code {
		t.Errorf("status %d, want %d; output:\n%s\nwant:\n%s\nstandard error: %s", o.code, code, o.output, output, o.errors)
	}
}

func lines(list ...string) string { return strings.Join(list, "\n") + "\n" }
