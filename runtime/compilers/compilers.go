// Package compilers names the compilers that tests and measurements build
// programs by: those of the Makefile, given as CC, CXX and FC, or those that
// .ci/setup chooses where go is called without make.
package compilers

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// began is the folder that the process began in: of a test its package's, else one in a checkout too.
var began, beganError = os.Getwd()

// Source is the path of a file of the checkout, given from its top. It panics where the
// process did not begin in a checkout: the binary does not know where its sources are.
func Source(path string) string {
	for folder := began; beganError == nil; folder = filepath.Dir(folder) {
		if _, err := os.Stat(filepath.Join(folder, ".ci", "setup")); err == nil {
			return filepath.Join(folder, path)
		}
		if folder == filepath.Dir(folder) {
			break
		}
	}
	panic(fmt.Sprintf("no checkout of accscope around %q (%v): run this in one", began, beganError))
}

// C is the compiler of C.
func C() string { return chosen()[0] }

// CXX is the compiler of C++.
func CXX() string { return chosen()[1] }

// Fortran is the compiler of Fortran.
func Fortran() string { return chosen()[2] }

// chosen asks once. It panics where there is no answer: nothing can be compiled.
var chosen = sync.OnceValue(func() [3]string {
	given := [3]string{os.Getenv("CC"), os.Getenv("CXX"), os.Getenv("FC")}
	if given[0] != "" && given[1] != "" && given[2] != "" {
		return given
	}
	setup := Source(".ci/setup")
	output, err := exec.Command(setup, "compilers").Output()
	names := strings.Fields(string(output))
	if err != nil || len(names) != len(given) {
		panic(fmt.Sprintf("%s compilers: %v, and says %q; give the compilers as CC, CXX and FC", setup, err, output))
	}
	return [3]string(names)
})

// Offload is GCC 12's compiler for NVIDIA GPUs, which a script unpacks where it is not there yet:
// the PATH for it, and the flags. The error says why it cannot be had.
func Offload() (path string, flags []string, err error) {
	script := Source("runtime/cuda/gputest/toolchain.sh")
	output, err := exec.Command("bash", "-c", `. "$0" && printf '%s\n' "$PATH" "${offload[@]}"`, script).CombinedOutput()
	if err != nil {
		return "", nil, fmt.Errorf("GCC's compiler for NVIDIA GPUs cannot be had: %s", output)
	}
	lines := strings.Split(strings.TrimSpace(string(output)), "\n")
	return lines[0], lines[1:], nil
}

// Build has the compiler of C make a program or a library.
func Build(output string, arguments ...string) error {
	command := exec.Command(C(), append([]string{"-o", output}, arguments...)...)
	if said, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", command, err, said)
	}
	return nil
}

// Accscope puts the command accscope at path: the one that make has built, where no source
// has changed since, or one built now.
func Accscope(path string) error {
	build := exec.Command("go", "build", "-o", path, "./cmd/accscope")
	current := exec.Command("make", "--question", "bin/accscope")
	current.Dir = Source("")
	if current.Run() == nil {
		build = exec.Command("cp", "bin/accscope", path)
	}
	build.Dir = Source("")
	if said, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", build, err, said)
	}
	return nil
}

// Version is that of the compiler of C, as 12.2.0.
func Version() (string, error) {
	output, err := exec.Command(C(), "-dumpfullversion").Output()
	if err != nil {
		return "", fmt.Errorf("%s -dumpfullversion: %w: give a compiler of GCC as CC", C(), err)
	}
	return strings.TrimSpace(string(output)), nil
}

// Major is its first number, as 12.
func Major() (string, error) {
	version, err := Version()
	major, _, _ := strings.Cut(version, ".")
	return major, err
}

// Emulator is the program that runs what these compilers build, where that is not the
// machine itself (.ci/aarch64): there sanitizers, debuggers and bounds of time are not
// for tests to use. Empty on the machine itself.
func Emulator() string { return os.Getenv("ACCSCOPE_EMULATED") }

// SkipEmulated skips a test, or a part of one, that the emulator does not allow, and says
// why. The reasons are listed in docs/compilers.md.
func SkipEmulated(t interface {
	Helper()
	Skipf(format string, arguments ...any)
}, why string) {
	t.Helper()
	if emulator := Emulator(); emulator != "" {
		t.Skipf("%s: %s", emulator, why)
	}
}

// Tool is the binary utility of that name that goes with the compiler of C, as objcopy.
func Tool(name string) string {
	output, err := exec.Command(C(), "-print-prog-name="+name).Output()
	if path := strings.TrimSpace(string(output)); err == nil && path != "" {
		return path
	}
	return name
}

// Offloads tells whether the compiler of C++ knows a device to offload to: only then it
// writes the tables of what is offloaded into programs.
func Offloads() bool {
	output, _ := exec.Command(CXX(), "-v").CombinedOutput() // one that fails knows none
	return strings.Contains(string(output), "OFFLOAD_TARGET_NAMES")
}
