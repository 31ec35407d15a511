package main

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/accscope/accscope/runtime/compilers"
)

// underCompilerNames gives the names that packages install, ahead of all others in PATH, for
// the compilers that the tests use.
func underCompilerNames(t *testing.T) (environment []string) {
	t.Helper()
	folder := t.TempDir()
	for _, name := range []string{"accscope", "acc-gcc", "acc-g++", "acc-gfortran", "acc-gcc-ar", "acc-gcc-nm", "acc-gcc-ranlib"} {
		if err := os.Symlink(accscope, filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	return []string{
		"PATH=" + folder + ":" + os.Getenv("PATH"), "CCACHE_DIR=" + filepath.Join(folder, "cache"),
		"ACCSCOPE_CC=" + compilers.C(), "ACCSCOPE_CXX=" + compilers.CXX(), "ACCSCOPE_FC=" + compilers.Fortran(),
	}
}

// A project in three languages, each with a directive that GCC refuses, and a header.
var builtProject = map[string]string{
	"part/part.h": "#define STEP 1\nint part (int);\n",
	"part/part.c": "#include \"part.h\"\nint part (int n)\n{\n#pragma acc parallel self copy(n)\n  n += STEP;\n  return n;\n}\n",
	"main.c":      "#include <stdio.h>\n#include \"part/part.h\"\nint main (void)\n{\n#pragma acc set device_num(0)\n  return printf (\"%d\\n\", part (4)) != 2;\n}\n",
	"main.cpp":    "#include <cstdio>\nint main ()\n{\n  int n = 5;\n#pragma acc parallel self copy(n)\n  n++;\n  return std::printf (\"%d\\n\", n) != 2;\n}\n",
	"step.F90":    "module step\ncontains\nsubroutine go(n)\n  integer :: n\n!$acc parallel self copy(n)\n  n = n + 1\n!$acc end parallel\nend subroutine\nend module\n",
	"main.f90":    "program main\n  use step\n  integer :: n = 6\n  call go(n)\n  print '(i0)', n\nend program\n",
}

// buildSystems build that project by the names of the compilers, and say what they need.
var buildSystems = []struct {
	name      string
	tools     []string
	files     map[string]string
	configure string
	build     string
}{
	{
		name: "make",
		files: map[string]string{"Makefile": `CFLAGS = -MMD -MP
all: c cxx f
c: main.o part/part.o
	$(CC) -o $@ $^
cxx: main.cpp
	$(CXX) $(CFLAGS) -o $@ $<
f: step.F90 main.f90
	$(FC) -o $@ $^
-include main.d part/part.d
`},
		build: "make",
	},
	{
		name: "ccache", tools: []string{"ccache"},
		files: map[string]string{"Makefile": `all: c cxx f
c: part/part.h
	ccache $(CC) -c main.c -o main.o
	ccache $(CC) -c part/part.c -o part.o
	ccache $(CC) -o $@ main.o part.o
cxx: main.cpp
	ccache $(CXX) -o $@ $<
f: step.F90 main.f90
	ccache $(FC) -o $@ $^
`},
		build: "make && touch part/part.h && make",
	},
	{
		name: "autoconf", tools: []string{"autoconf"},
		files: map[string]string{
			"configure.ac": "AC_INIT([p], [1])\nAC_PROG_CC\nAC_PROG_CXX\nAC_PROG_FC\nAC_LANG([Fortran])\nAC_FC_FREEFORM\nAC_FC_SRCEXT([F90])\nAC_CONFIG_FILES([Makefile])\nAC_OUTPUT\n",
			"Makefile.in":  "all: c cxx f\nc: main.o part/part.o\n\t@CC@ @CFLAGS@ -o $@ $^\npart/part.o: part/part.h\n\t@CC@ @CFLAGS@ -c part/part.c -o $@\ncxx: main.cpp\n\t@CXX@ @CXXFLAGS@ -o $@ $<\nf: step.F90 main.f90\n\t@FC@ @FCFLAGS@ -o $@ $^\n",
		},
		configure: "autoconf && ./configure", build: "make",
	},
	{
		name: "CMake", tools: []string{"cmake"},
		files: map[string]string{"CMakeLists.txt": `cmake_minimum_required(VERSION 3.12)
project(p C CXX Fortran)
find_package(OpenACC REQUIRED)
include(CheckIPOSupported)
check_ipo_supported()
add_library(part STATIC part/part.c)
set_property(TARGET part PROPERTY INTERPROCEDURAL_OPTIMIZATION ON)
add_executable(c main.c)
target_link_libraries(c part)
add_executable(cxx main.cpp)
add_executable(f step.F90 main.f90)
`},
		configure: "cmake -S . -B .", build: "cmake --build . --parallel 2",
	},
	{
		name: "Meson", tools: []string{"meson", "ninja"},
		files: map[string]string{"meson.build": `project('p', 'c', 'cpp', 'fortran')
part = static_library('part', 'part/part.c')
executable('c', 'main.c', link_with: part)
executable('cxx', 'main.cpp')
executable('f', 'step.F90', 'main.f90')
`},
		configure: "meson setup build", build: "ninja -C build && ln -sf build/c build/cxx build/f .",
	},
}

// Build systems take the wrapper for the compiler, by either name, and what a header's change
// makes stale is built anew.
func TestWrapperBuildSystems(t *testing.T) {
	environment := underCompilerNames(t)
	for _, system := range buildSystems {
		for by, compilerNames := range map[string][3]string{
			"names": {"acc-gcc", "acc-g++", "acc-gfortran"}, "commands": {"accscope cc", "accscope c++", "accscope fc"},
		} {
			t.Run(system.name+" by "+by, func(t *testing.T) {
				t.Parallel()
				for _, tool := range system.tools {
					if _, err := exec.LookPath(tool); err != nil {
						t.Skipf("%v: .ci/setup test installs it", err)
					}
				}
				folder := t.TempDir()
				files := maps.Clone(builtProject)
				maps.Copy(files, system.files)
				writeFiles(t, folder, files)
				names := fmt.Sprintf("export CC='%s' CXX='%s' FC='%s'; ", compilerNames[0], compilerNames[1], compilerNames[2])
				if system.configure != "" {
					execute(t, folder, environment, "sh", "-ec", names+system.configure).must(t)
				}
				for _, want := range []string{"5\n6\n7\n", "6\n6\n7\n"} {
					said := execute(t, folder, environment, "sh", "-ec", names+system.build).must(t)
					if strings.Contains(said.stdout+said.stderr, "arning") {
						t.Errorf("the build warns:\n%s%s", said.stdout, said.stderr)
					}
					if got := execute(t, folder, nil, "sh", "-c", "./c; ./cxx; ./f").must(t).stdout; got != want {
						t.Fatalf("the programs print %q, want %q", got, want)
					}
					changed := strings.Replace(builtProject["part/part.h"], "STEP 1", "STEP 2", 1)
					execute(t, folder, nil, "sleep", "1.1").must(t) // the files' times count whole seconds for some
					writeFiles(t, folder, map[string]string{"part/part.h": changed})
				}
			})
		}
	}
}

// Of options that undo each other the last one holds.
func TestWrapperLastOption(t *testing.T) {
	for args, want := range map[string]bool{"": true, "-on": true, "-off": false, "-off -on": true, "-on -off -c": false} {
		l := compilerLine{args: strings.Fields(args)}
		if got := l.lastOf("-on", "-off", true); got != want {
			t.Errorf("%q: %v, want %v", args, got, want)
		}
	}
}

// What GCC writes beside its output has the names that GCC gives it by itself, and files of
// dependencies have the contents.
func TestWrapperFiles(t *testing.T) {
	source := "#pragma acc init\n  return N;\n}\n" // GCC ignores it
	for _, line := range []string{
		"-MMD a.c b.c -o mm", "-MMD a.c b.c", "-MMD a.c", "-MMD a.c -o mm", "-MMD sub/c.c a.c -o o/mm.exe", "-MMD -S a.c", "-MMD -S sub/c.c -o o/x.s",
		"-MMD -E a.c -o x.i", "-MMD -E b.c", "-MMD -c a.c", "-MMD -MP -c sub/c.c -o o/x.y.o", "-MMD -c a.c b.c", "-MMD -fsyntax-only a.c", "-Wp,-MMD,x.d -c a.c -o o/x.o",
		"-MMD -MF y.d a.c -o mm", "-MMD -MFy.d a.c b.c -o mm", "-MMD -MT 'a b' -MQ $c -c b.c", "-MMD -c b.c -o 'x $#.o'", "-MM a.c", "-MMD -MTx -c b.c -o b.o", "-MMD sub/d.c",
		"-save-temps=obj -c sub/d.c -o o/made.o", "-save-temps -c a.c -o o/made.o", "-save-temps=obj -c a.c", "-save-temps=cwd -c a.c -o o/made.o", "-save-temps=cwd sub/d.c -o o/made", "-fstack-usage -c sub/d.c -o made.o", "-fstack-usage -c a.c -o o/x.y.o",
		"--coverage -c a.c -o made.o", "-save-temps=obj sub/d.c -o made", "-save-temps sub/d.c -o o/made", "-save-temps a.c b.c -o o/made", "-fstack-usage sub/d.c", "-fstack-usage a.c",
		"--coverage a.c -o o/a", "-save-temps=obj -S sub/d.c -o o/x.s", "-fstack-usage a.c b.c",
	} {
		words, err := responseWords(line)
		if err != nil {
			t.Fatal(err)
		}
		made := map[string]map[string]string{}
		for name, before := range map[string][]string{accscope: {"cc"}, "gcc": {"-fopenacc"}} {
			folder := t.TempDir()
			writeFiles(t, folder, map[string]string{
				"a.c": "#include \"a.h\"\nint main (void)\n{\n" + source, "a.h": "#define N 0\n", "b.c": "int f (void)\n{\n  const int N = 0;\n" + source,
				"sub/c.c": "#include \"../a.h\"\nint g (void)\n{\n" + source, "sub/d.c": "#define N 0\nint main (void)\n{\n" + source, "o/x": "",
			})
			execute(t, folder, nil, name, append(before, words...)...).must(t)
			made[name] = map[string]string{}
			if err := filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
				if err != nil || entry.IsDir() {
					return err
				}
				var text []byte
				if filepath.Ext(path) == ".d" {
					text, err = os.ReadFile(path)
				}
				made[name][strings.TrimPrefix(path, folder)] = strings.Join(strings.Fields(strings.ReplaceAll(string(text), "\\\n", "")), " ")
				return err
			}); err != nil {
				t.Fatal(err)
			}
		}
		if !maps.Equal(made["gcc"], made[accscope]) {
			t.Errorf("%s: GCC writes\n%q\nthe wrapper\n%q", line, made["gcc"], made[accscope])
		}
	}
}
