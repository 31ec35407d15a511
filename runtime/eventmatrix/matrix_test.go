package eventmatrix

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/compilers"
)

var update = flag.Bool("update", false, "rewrite docs/event-matrix.md and the golden files")

const document = "../../docs/event-matrix.md"

// program is one compiled program of the matrix.
type program struct {
	title    string
	source   string
	build    []string
	routines bool // calls routines, and has no directive
}

// Every program ends by an error, so that the matrix has that event too.
var programs = []program{
	{"Directives, C", "directives.c", []string{compilers.C(), "-I", "../include"}, false},
	{"Directives, Fortran", "directives.f90", []string{compilers.Fortran(), "testdata/recording.f90"}, false},
	{"API routines, C", "routines.c", []string{compilers.C(), "-I", "../include"}, true},
	{"API routines, Fortran", "routines.f90", []string{compilers.Fortran(), "../include/openacc_kinds.f90",
		"../include/openacc_data.f90", "../include/openacc_attach.f90", "../include/openacc.f90", "testdata/recording.f90"}, true},
}

// raisedBy says whether programs of a kind can raise an event: constructs and
// regions are directives' alone (OpenACC 3.3 §5.1).
func raisedBy(routines bool, event callbacks.Event) bool {
	switch event {
	case callbacks.EnterDataStart, callbacks.EnterDataEnd, callbacks.ExitDataStart, callbacks.ExitDataEnd,
		callbacks.ComputeConstructStart, callbacks.ComputeConstructEnd,
		callbacks.EnqueueLaunchStart, callbacks.EnqueueLaunchEnd:
		return !routines
	}
	return true
}

// TestEventMatrix holds docs/event-matrix.md against what programs compiled by
// gcc and gfortran raise on the sim device. The page is GCC 12's; what another version
// makes different is in testdata/gcc-N.txt.
func TestEventMatrix(t *testing.T) {
	folder := t.TempDir()
	recorder := buildRecorder(t, folder)
	var text strings.Builder
	text.WriteString(introduction)
	for _, p := range programs {
		rows := record(t, folder, recorder, p, "ACC_DEVICE_TYPE=sim")
		seen := map[callbacks.Event]bool{}
		for _, r := range rows {
			seen[r.event] = true
		}
		for _, event := range callbacks.Events() {
			if !seen[event] && raisedBy(p.routines, event) {
				t.Errorf("%s raised no %v", p.source, event)
			}
		}
		checkRows(t, p, rows, sim)
		fmt.Fprintf(&text, "\n## %s (`runtime/eventmatrix/testdata/%s`)\n", p.title, p.source)
		writeTable(&text, rows)
	}
	page, err := os.ReadFile(document)
	if err != nil {
		t.Fatalf("%v; write it with go test ./runtime/eventmatrix -update", err)
	}
	version, err := compilers.Major()
	if err != nil {
		t.Fatal(err)
	}
	got, want, file := text.String(), string(page), document
	if version != "12" {
		got, file = changes(want, got), filepath.Join("testdata", "gcc-"+version+".txt")
	}
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if version != "12" {
		changed, err := os.ReadFile(file)
		if err != nil {
			t.Fatalf("%v; write it with go test ./runtime/eventmatrix -update", err)
		}
		want = string(changed)
	}
	if got != want {
		t.Errorf("the events differ from %s (rewrite it with -update after checking each difference):\n%s",
			file, difference(want, got))
	}
}

const introduction = `# The event matrix

Which directive and which API routine raises which event on the sim device, in
order, with the fields of the event. Written and checked by
` + "`go test ./runtime/eventmatrix`" + ` from real programs compiled by gcc and gfortran; the
section names are those in the programs.

Host and device columns name the variable: ` + "`a+40`" + ` is 40 bytes into ` + "`a`" + `, ` + "`d(a)`" + ` the
device copy of ` + "`a`" + `, "(other)" a host address that belongs to no named variable
(compiler temporaries), "set" a device address outside all of them, "-" a null
pointer: memory that belongs to no host data.

What GCC's code does not tell the runtime: whether a compute construct was
written as ` + "`parallel`, `kernels` or `serial`" + `, whether a data clause of it was written
or added by the compiler, and whether a Fortran procedure enters its data for a data
construct or for its ` + "`declare`" + ` directives. These are taken from what only one of them
gives (the map kind of a scalar in ` + "`kernels`, those of `copyout`, `create`" + ` and of a ` + "`copyin`" + `
of more than 32 bytes), or from the directive's text, where the program has debug
information and its source is at hand and not newer than the program. Where neither
tells, the parent is parallel or data, and the data implicit. The events of a variable
that a data clause lists are explicit; those of values, descriptors, pointers and of a piece of memory or a copy
that serves several variables are implicit, as the construct's enter and exit data
(§5.1.3) and what a ` + "`reduction`" + ` brings with it are. Unknown stay the
` + "`init`, `set` and `shutdown`" + ` directives, which GCC 12 does not compile.

GCC passes firstprivate variables as it passes those of ` + "`copyin`" + `. One of at most 32
bytes that no other clause of the construct names or points to, and no part of which
is present, has no mapping, and no ` + "`create`, `delete`, `alloc` or `free`" + `: its value goes to
the device with the addresses of the kernel's arguments, in one upload for all values
of a launch (§2.5.14 and §2.6.2 say what is private). That upload has the sum of the
values' sizes, as device address that of the argument block, and the host address and
name of the variable only where it is one; there is none where the queue has uploaded
the same block before. So do the pointers that GCC makes for a construct to the data of a
Fortran array, and the array's descriptor with such a pointer in it (of a dummy argument that
is allocatable or a pointer, also where the descriptor is), which are no variables of the
program: where nothing else names them, and no part of them is present, they have no
mapping and no event, and their sizes do not count. A pointer of C that a ` + "`present`" + `
clause names without a section, and that is not mapped, is one of these, too: the kernel gets
where the data that it points to are on the device. GCC's encoding forces two deviations: a scalar that a program
names in ` + "`copyin`" + ` of a compute construct raises no ` + "`create`" + ` (against §5.1.4), and a
private variable that is present has the device's value (against §2.5.14).

What a construct creates lies in one piece of device memory where the device has one:
one ` + "`alloc` and one `free`" + ` for all, which name a variable only where there is one, and
a ` + "`create` and a `delete`" + ` for each. Variables of at most 256 bytes that are mapped, such
as array descriptors, pointers and reduction variables, are copied in one transfer in
each direction, whose events have the sum of the sizes and name none of several. Where the
values of a launch are other ones than those of the launch before, they go with the variables
that it copies in, and the memory has room for the kernel's arguments at its beginning. A structure
of up to 64 KiB goes with the pointers that its directive attaches in it, and is named.
So is what enter data makes of that size: each variable keeps its own life, and the
piece is freed with the last of them. So are members of a structure, wherever it lies. An
exit data and an update copy in one transfer what lies in one such piece: to the device only
what lies side by side there; to the host each variable goes to its place, on an
asynchronous queue when that has come so far, and what a queue has still to bring to the host
is taken from there, with the others, when it has. A pointer that is detached is stored only in
memory that stays, or that is copied back with it; that of a Fortran component with its
descriptor, as it was attached, so that components side by side are one transfer.

Copies inside device memory (` + "`acc_memcpy_device`, `acc_memcpy_d2d`" + `) have no event of
their own in OpenACC 3.3; device activity shows them, with the device that they went to.
`

func buildRecorder(t *testing.T, folder string) string {
	t.Helper()
	path := filepath.Join(folder, "recorder.so")
	run(t, compilers.C(), "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-I", "../include",
		"-o", path, "testdata/recorder.c")
	return path
}

func run(t *testing.T, name string, args ...string) {
	t.Helper()
	if output, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, output)
	}
}

// sim is acc_device_sim, cuda acc_device_nvidia.
const sim, cuda = 100, 5

// record compiles and runs a program and returns its events.
func record(t *testing.T, folder, recorder string, p program, environment ...string) []row {
	t.Helper()
	binary := compile(t, folder, recorder, p)
	rows, output, err := observe(t, recorder, binary, environment...)
	if err == nil {
		t.Fatalf("%s ended without an error:\n%s", p.source, output)
	}
	return rows
}

// compile makes a program that is linked to the recorder and the runtime.
func compile(t *testing.T, folder, recorder string, p program) (binary string) {
	t.Helper()
	binary = filepath.Join(folder, strings.ReplaceAll(p.source, ".", "-"))
	arguments := []string{"-fopenacc", "-foffload=disable", "-g", "-O0", "-o", binary}
	if p.build[0] == compilers.Fortran() {
		arguments = append(arguments, "-J", folder)
	}
	arguments = append(append(arguments, p.build[1:]...), "testdata/"+p.source, recorder, runtimeLibrary(t), "-Wl,-rpath,"+folder)
	run(t, p.build[0], arguments...)
	return binary
}

func runtimeLibrary(t *testing.T) string {
	t.Helper()
	library, err := filepath.Abs("../../lib/libopenacc.so")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(library); err != nil {
		t.Fatalf("%v: run make first", err)
	}
	return library
}

// observe runs a program and returns its events, what it wrote and how it ended. The last
// value of a variable in the environment counts, except that of LD_PRELOAD, to which the
// runtime is added.
func observe(t *testing.T, recorder, binary string, environment ...string) ([]row, string, error) {
	t.Helper()
	library, events := runtimeLibrary(t), binary+".events"
	command := exec.Command(binary)
	command.Env = append(os.Environ(), "LD_PRELOAD="+library, "ACC_PROFLIB="+recorder, "RECORD_FILE="+events)
	for _, variable := range environment {
		if first, ok := strings.CutPrefix(variable, "LD_PRELOAD="); ok {
			variable = "LD_PRELOAD=" + first + " " + library
		}
		command.Env = append(command.Env, variable)
	}
	output, err := command.CombinedOutput()
	return readRows(t, events), string(output), err
}

func readRows(t *testing.T, path string) []row {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var rows []row
	for _, line := range strings.Split(strings.TrimSuffix(string(data), "\n"), "\n") {
		rows = append(rows, parseRow(t, line))
	}
	return rows
}

// difference shows the first lines that differ.
func difference(want, got string) string {
	wantLines, gotLines := strings.Split(want, "\n"), strings.Split(got, "\n")
	var text strings.Builder
	shown := 0
	for i := 0; i < len(wantLines) || i < len(gotLines); i++ {
		w, g := "", ""
		if i < len(wantLines) {
			w = wantLines[i]
		}
		if i < len(gotLines) {
			g = gotLines[i]
		}
		if w != g {
			fmt.Fprintf(&text, "line %d\n  want %s\n  got  %s\n", i+1, w, g)
			if shown++; shown == 10 {
				break
			}
		}
	}
	return text.String()
}
