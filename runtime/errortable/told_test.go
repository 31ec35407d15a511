package errortable

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/accscope/accscope/runtime/compilers"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

// addresses differ from run to run.
var addresses = regexp.MustCompile(`0x[0-9a-f]+`)

// cases are how the programs in testdata name theirs.
var cases = regexp.MustCompile(`(?:\{|case \() ?["']([a-zA-Z_]+)["'] ?[,)]`)

// declared is what is told of a variable of a declare directive, before the cause: a compiler
// without a device to offload to writes no table of such variables.
var declared = regexp.MustCompile("(`declared.* is not on device sim 0): .*")

// TestTold holds what errors say of the program's data to golden files: the variable, its
// section, what of it is there and why, for each case of the programs in testdata, without
// and with optimisation, with debug information and without.
func TestTold(t *testing.T) {
	include, err := filepath.Abs("../include")
	if err != nil {
		t.Fatal(err)
	}
	for _, language := range []struct{ file, compiler string }{
		{"told.c", compilers.C()}, {"told.cpp", compilers.CXX()}, {"told.f90", compilers.Fortran()},
	} {
		t.Run(language.file, func(t *testing.T) {
			t.Parallel()
			source := filepath.Join("testdata", language.file)
			text, err := os.ReadFile(source)
			if err != nil {
				t.Fatal(err)
			}
			var binaries []string
			for _, flags := range []string{"-O0", "-O2 -fno-crossjumping", "-O1 -g0"} {
				arguments := append(strings.Fields(flags), "-fno-stack-protector", "-I", include) // frames that lie upon each other
				if strings.HasSuffix(source, ".f90") {
					arguments = append(arguments, "-J", t.TempDir())
					for _, module := range []string{"openacc_kinds", "openacc_data", "openacc_attach", "openacc"} {
						arguments = append(arguments, filepath.Join(include, module+".f90"))
					}
				}
				binaries = append(binaries, compile(t, language.compiler, append(arguments, source)...))
			}
			names := cases.FindAllStringSubmatch(string(text), -1)
			told := make([]string, len(names))
			var wait sync.WaitGroup
			for i, name := range names {
				wait.Go(func() { told[i] = tellAll(t, name[1], binaries) })
			}
			wait.Wait()
			golden := source + ".txt"
			got := strings.Join(told, "\n")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if major, err := compilers.Major(); err != nil || major != "12" || compilers.Emulator() != "" {
				// Others number variables otherwise, and know more or less where code is optimised.
				got, want = plain(got), []byte(plain(string(want)))
			}
			if !compilers.Offloads() {
				got, want = declared.ReplaceAllString(got, "$1"), declared.ReplaceAll(want, []byte("$1"))
			}
			if got != string(want) {
				t.Errorf("told:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}

// plain keeps of each case what is told without optimisation and with debug information.
func plain(told string) string {
	var kept []string
	for line := range strings.Lines(told) {
		if n := len(kept); !strings.HasPrefix(line, "\t") || n > 0 && !strings.HasPrefix(kept[n-1], "\t") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}

// tellAll runs a case of each program: the name, and the lines that differ.
func tellAll(t *testing.T, name string, binaries []string) string {
	text, last := name+"\n", ""
	for _, binary := range binaries {
		command := exec.Command(binary, name)
		command.Env = append(os.Environ(), "LD_PRELOAD="+library(t), "ACC_DEVICE_TYPE=sim")
		output, err := command.CombinedOutput()
		if err == nil || command.ProcessState.ExitCode() != 1 {
			t.Errorf("%s ended with %v, want status 1\n%s", name, err, output)
		}
		if line := addresses.ReplaceAllString(string(output), "0x"); line != last {
			text, last = text+"\t"+line, line
		}
	}
	return text
}
