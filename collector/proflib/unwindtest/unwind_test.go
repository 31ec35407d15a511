// Package unwindtest tests how libaccprof walks call stacks; package capture
// tests the library as a whole.
package unwindtest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/accscope/accscope/runtime/compilers"
)

// TestUnwind compares call stacks with those of the C library's backtrace, in
// code of every optimisation level and under sanitizers.
func TestUnwind(t *testing.T) {
	for _, flags := range []string{"-O0", "-O2", "-O3 -fomit-frame-pointer", "-O2 -no-pie", "-Os",
		"-O1 -fsanitize=address,undefined -fno-sanitize-recover=all"} {
		t.Run(flags, func(t *testing.T) {
			if strings.Contains(flags, "-fsanitize") {
				compilers.SkipEmulated(t, "sanitizers want a process of their own layout")
			}
			if output, err := exec.Command(compile(t, flags)).CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, output)
			}
		})
	}
}

func compile(t *testing.T, flags string) (program string) {
	t.Helper()
	program = filepath.Join(t.TempDir(), "unwind")
	arguments := append([]string{"-std=gnu11", "-Wall", "-Wextra", "-Werror", "-g", "-I..", "-I../../capture", "-I../../../runtime/include",
		"-o", program, "testdata/unwind.c", "../unwind.c", "../cfi.c"}, strings.Fields(flags)...)
	if output, err := exec.Command(compilers.C(), arguments...).CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", compilers.C(), strings.Join(arguments, " "), err, output)
	}
	return program
}

// TestAddr2line has addr2line say where the frames of a call stack are: in the functions
// that called each other, each at the line of the call.
func TestAddr2line(t *testing.T) {
	text, err := os.ReadFile("testdata/unwind.c")
	if err != nil {
		t.Fatal(err)
	}
	source := strings.Split(string(text), "\n")
	want := []string{"check", "recursion", "recursion", "recursion", "recursion", "recursion", "recursion", "variable_frame", "main"}
	for _, flags := range []string{"-O0", "-O2", "-O3 -fomit-frame-pointer", "-O2 -no-pie", "-Os"} {
		t.Run(flags, func(t *testing.T) {
			program := compile(t, flags)
			printed, err := exec.Command(program, "print").Output()
			if err != nil {
				t.Fatal(err)
			}
			frames := strings.Fields(string(printed))
			if len(frames) < len(want) {
				t.Fatalf("%d frames, want %d and those that call main", len(frames), len(want))
			}
			command := exec.Command(compilers.Tool("addr2line"), "--functions", "--exe="+program)
			for _, frame := range frames[:len(want)] {
				offset, err := strconv.ParseUint(frame, 0, 64)
				if err != nil {
					t.Fatal(err)
				}
				command.Args = append(command.Args, fmt.Sprintf("%#x", offset-1)) // in the call, not behind it
			}
			said, err := command.Output()
			if err != nil {
				t.Fatalf("%v: %v", command.Args, err)
			}
			lines := strings.Split(strings.TrimSpace(string(said)), "\n")
			called := "unwind_stack"
			for i, function := range want {
				place := strings.Fields(lines[2*i+1])[0] // behind it, perhaps a discriminator
				file, number, _ := strings.Cut(filepath.Base(place), ":")
				line, err := strconv.Atoi(number)
				if lines[2*i] != function || file != "unwind.c" || err != nil || line > len(source) || !strings.Contains(source[line-1], called+" (") {
					t.Errorf("frame %d: addr2line says %s at %s; want %s, where it calls %s", i, lines[2*i], place, function, called)
				}
				called = function
			}
		})
	}
}
