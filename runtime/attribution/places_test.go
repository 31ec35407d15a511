package attribution_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/compilers"
)

// Real programs, compiled as their users compile them, tell a tool where each event
// comes from (OpenACC 3.3 §5.2.1) and what variable or kernel it is about (§5.2.2): the
// answers are golden tables.

var update = flag.Bool("update", false, "rewrite testdata/*.golden")

// A program is a source file with the ways to compile it.
type program struct {
	name    string
	source  string
	more    []string // further sources, each behind those that it uses
	builds  []string // flags, and the golden table's name
	plugin  string   // a library that the program opens, compiled in the same way
	running []string // its arguments
	// compiler, "" for that of the source's language. A test whose compiler is not
	// installed is skipped.
	compiler string
	long     bool // only with ACCSCOPE_LONG
}

var programs = []program{
	{name: "jacobi", source: "../../examples/jacobi/jacobi.c", builds: []string{"-O0", "-O2", "-O3", "-O2 -no-pie"}},
	{name: "pipeline", source: "../../examples/pipeline/pipeline.c", builds: []string{"-O0", "-O2", "-O3", "-O2 -no-pie"}},
	{name: "stencil", source: "../../examples/stencil/stencil.f90", builds: []string{"-O0", "-O2", "-O3", "-O2 -no-pie"}},
	{name: "particles", source: "../../examples/particles/particles.cpp", builds: []string{"-O0", "-O2", "-O3", "-O2 -no-pie"}},
	{name: "saxpy", source: "../../examples/saxpy/saxpy.c", builds: []string{"-O0", "-O2", "-O3", "-O2 -no-pie"}, running: []string{"1000"}},
	{name: "heat", source: "../../examples/heat-mpi/heat.c", compiler: "mpicc", builds: []string{"-O0", "-O2", "-O3"}, running: []string{"100", "3"}},
	{name: "shallow-water-cpp", source: "../../examples/shallow-water/cpp/main.cpp", more: []string{"grid.cpp", "ranks.cpp", "boundary.cpp", "sweep.cpp", "forcing.cpp", "totals.cpp"},
		builds: []string{"-O0", "-O2"}, running: shallowWater, long: true},
	{name: "shallow-water-fortran", source: "../../examples/shallow-water/fortran/basin.f90", more: []string{"ranks.F90", "boundary.f90", "sweep.f90", "forcing.f90", "totals.f90", "main.f90"},
		builds: []string{"-O0", "-O2"}, running: shallowWater, long: true},
	{name: "opener", source: "testdata/opener.c", plugin: "testdata/plugin.c", builds: []string{"-O0", "-O2", "-O3"}},
}

// A small basin for a few steps has every construct.
var shallowWater = []string{"--nx", "16", "--ny", "16", "--steps", "2", "--check", "1"}

// sources are all files of a program, but for what it opens.
func (p program) sources() []string {
	files := []string{p.source}
	for _, name := range p.more {
		files = append(files, filepath.Join(filepath.Dir(p.source), name))
	}
	return files
}

// here says whether the program takes part in this run of the tests.
func (p program) here() bool { return !p.long || os.Getenv("ACCSCOPE_LONG") != "" }

// TestPlaces holds the distinct rows of each program, in the order in which they
// first appear, against its golden table.
func TestPlaces(t *testing.T) {
	folder := t.TempDir()
	library, recorder := prepare(t, folder)
	named, mapped := 0, 0
	for _, p := range programs {
		if !p.here() {
			continue
		}
		for _, flags := range p.builds {
			build := p.name + strings.ReplaceAll(flags, " ", "")
			t.Run(build, func(t *testing.T) {
				rows := record(t, folder, p, flags, library, recorder)
				for _, r := range rows {
					if !r.placed() {
						t.Errorf("no place: %s", r)
					}
					if r.event == callbacks.Create {
						mapped++
						if r.variable != "(none)" {
							named++
						}
					}
				}
				golden(t, filepath.Join("testdata", build+".golden"), rows)
			})
		}
	}
	if named*100 < mapped*95 {
		t.Errorf("%d of %d mappings have a name, 95 %% expected", named, mapped)
	}
}

// prepare gives the runtime, which make has built, and compiles the tool into a folder.
func prepare(t *testing.T, folder string) (library, recorder string) {
	t.Helper()
	library, err := filepath.Abs("../../lib/libopenacc.so")
	if err != nil {
		t.Fatal(err)
	}
	for _, built := range []string{library, filepath.Join(filepath.Dir(library), "libopenacc-engine.so")} {
		if _, err := os.Stat(built); err != nil {
			t.Fatalf("%v: run make first", err)
		}
	}
	recorder = filepath.Join(folder, "recorder.so")
	run(t, compilers.C(), "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-I", "../include",
		"-o", recorder, "testdata/recorder.c")
	return library, recorder
}

// TestLevelsAgree holds the golden tables of optimised programs against those
// without optimisation, where every variable has a place: no name is another
// one, and the names that are missing are the compiler's own temporaries.
func TestLevelsAgree(t *testing.T) {
	for _, p := range programs {
		plain := variables(t, p.name+p.builds[0])
		for _, flags := range p.builds[1:] {
			build := p.name + strings.ReplaceAll(flags, " ", "")
			optimised := variables(t, build)
			for row, line := range optimised {
				if _, same := plain[row]; !same {
					t.Errorf("%s: %q is not so at -O0", build, line)
				}
			}
			for row, line := range plain {
				if _, same := optimised[row]; !same {
					t.Errorf("%s: %q of -O0 is missing", build, line)
				}
			}
		}
	}
}

// variables are the rows of a golden table that are about data: event, place,
// variable and bytes. Functions may differ: the compiler inlines them.
func variables(t *testing.T, build string) map[[4]string]string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", build+".golden"))
	if err != nil {
		t.Fatal(err)
	}
	rows := map[[4]string]string{}
	for line := range strings.Lines(string(data)) {
		f := strings.Fields(line)
		if len(f) != 7 {
			t.Fatalf("%s: %q", build, line)
		}
		if f[6] != "-" {
			rows[[4]string{f[0], f[1], f[5], f[6]}] = line
		}
	}
	return rows
}

// A row is what one event said.
type row struct {
	event                   callbacks.Event
	file                    string
	line, end               int
	function                string
	first, last             int
	kernel, variable, bytes string
}

// placed says whether the event has a place, as far as there is one: the end of
// the runtime has none.
func (r row) placed() bool {
	switch r.event {
	case callbacks.DeviceShutdownStart, callbacks.DeviceShutdownEnd, callbacks.RuntimeShutdown:
		return true
	case callbacks.ComputeConstructStart, callbacks.ComputeConstructEnd:
		if r.end < r.line {
			return false
		}
	}
	return r.file != "-" && r.line > 0 && r.function != "-" && r.first > 0 && r.first <= r.line && r.line <= r.last
}

func (r row) String() string {
	place := fmt.Sprintf("%s:%d", r.file, r.line)
	if r.end > 0 {
		place += fmt.Sprintf("-%d", r.end)
	}
	return strings.TrimRight(fmt.Sprintf("%-28v %-24s %-28s %-24s %-16s %s", r.event, place,
		// A word each: of C++, "(anonymous namespace)::f".
		fmt.Sprintf("%s %d-%d", strings.ReplaceAll(r.function, " ", "_"), r.first, r.last), r.kernel, r.variable, r.bytes), " ")
}

// record compiles and runs a program and gives its distinct rows.
func record(t *testing.T, folder string, p program, flags, library, recorder string) []row {
	t.Helper()
	return build(t, folder, &p, flags).execute(t, p, library, recorder)
}

// compiled is the path of a program.
type compiled string

// build compiles a program into a folder, and the library that it opens, which becomes
// an argument.
func build(t *testing.T, folder string, p *program, flags string) compiled {
	t.Helper()
	compiler := p.compiler
	if compiler == "" {
		compiler = map[string]string{".c": compilers.C(), ".cpp": compilers.CXX(), ".f90": compilers.Fortran()}[filepath.Ext(p.source)]
	}
	if _, err := exec.LookPath(compiler); err != nil {
		t.Skipf("%s is not installed", compiler)
	}
	if by := os.Getenv("ACCSCOPE_EMULATED"); by != "" && compiler == p.compiler {
		t.Skipf("%s: %s links libraries of the machine itself", by, compiler)
	}
	binary := filepath.Join(folder, p.name+strings.ReplaceAll(flags, " ", ""))
	common := append([]string{"-g", "-fopenacc", "-foffload=disable", "-I", "../include"}, strings.Fields(flags)...)
	arguments := append(append(append([]string{}, common...), p.sources()...), "-o", binary, "-lm", "-ldl")
	if filepath.Ext(p.source) == ".f90" {
		arguments = append(arguments, "-J", folder)
	}
	run(t, compiler, arguments...)
	if p.plugin != "" {
		plugin := binary + ".so"
		run(t, compiler, append(append([]string{}, common...), "-shared", "-fPIC", p.plugin, "-o", plugin)...)
		p.running = append(slices.Clone(p.running), plugin)
	}
	return compiled(binary)
}

func (c compiled) execute(t *testing.T, p program, library, recorder string) []row {
	t.Helper()
	binary := string(c)
	events := binary + ".events"
	command := exec.Command(binary, p.running...)
	command.Env = append(os.Environ(), "LD_PRELOAD="+library, "ACC_PROFLIB="+recorder, "ACC_DEVICE_TYPE=sim",
		"RECORD_FILE="+events, "OMPI_MCA_btl=self", "OMPI_MCA_plm_rsh_agent=", "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", binary, err, output)
	}
	data, err := os.ReadFile(events)
	if err != nil {
		t.Fatal(err)
	}
	var rows []row
	seen := map[row]bool{}
	for line := range strings.Lines(string(data)) {
		if r := parse(t, line); !seen[r] {
			seen[r] = true
			rows = append(rows, r)
		}
	}
	return rows
}

func parse(t *testing.T, line string) row {
	t.Helper()
	f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
	if len(f) != 10 {
		t.Fatalf("the recorder wrote %q", line)
	}
	number := func(text string) int {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatalf("the recorder wrote %q: %v", line, err)
		}
		return n
	}
	return row{callbacks.Event(number(f[0])), f[1], number(f[2]), number(f[3]), f[4], number(f[5]), number(f[6]), f[7], f[8], f[9]}
}

// golden compares rows with a table. Another machine than x86-64 has a table of its own where
// it differs: GCC asks for array descriptors to be aligned to 32 bytes there and to 8 on
// aarch64, which shows in the size of memory that several of them lie in.
func golden(t *testing.T, path string, rows []row) {
	t.Helper()
	var text strings.Builder
	for _, r := range rows {
		fmt.Fprintln(&text, r)
	}
	if common, _ := os.ReadFile(path); runtime.GOARCH != "amd64" && string(common) != text.String() { // missing: told below
		path = strings.TrimSuffix(path, "golden") + runtime.GOARCH + ".golden"
	}
	if *update {
		if err := os.WriteFile(path, []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; write it with go test ./runtime/attribution -update", err)
	}
	if text.String() != string(want) {
		t.Errorf("%s differs (rewrite it with -update after checking each difference):\n%s", path, text.String())
	}
}

func run(t *testing.T, name string, args ...string) {
	t.Helper()
	command := exec.Command(name, args...)
	command.Env = append(os.Environ(), "OMPI_CC="+compilers.C())
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, output)
	}
}
