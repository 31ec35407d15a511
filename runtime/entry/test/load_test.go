package test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/accscope/accscope/runtime/compilers"
)

// Every form of variable argument that GCC emits, decoded. (It lists the
// arguments of most wait clauses from the last to the first.)
func TestConstructs(t *testing.T) {
	program := compile(t, "constructs.c", "constructs", "-fopenacc", "-foffload=disable")
	run(t, []string{preload(t)}, program).want(t, lines(
		"start",
		"lookup",
		"parallel flags=0 entries=1 dims=4,5,0 async=-2 waits=",
		"parallel flags=0 entries=1 dims=0,0,0 async=3 waits=2,1",
		"parallel flags=0 entries=1 dims=0,0,0 async=-1 waits=",
		"parallel flags=0 entries=1 dims=0,0,0 async=4 waits=-1",
		"parallel flags=1 entries=1 dims=0,0,0 async=-2 waits=",
		"data_start flags=0 entries=1 dims=0,0,0 async=-2 waits=",
		"data_end",
		"enter_data flags=0 entries=1 dims=0,0,0 async=4 waits=7,4",
		"update flags=1 entries=1 dims=0,0,0 async=-2 waits=",
		"exit_data flags=0 entries=1 dims=0,0,0 async=-2 waits=",
		"wait flags=0 entries=0 dims=0,0,0 async=2 waits=4,1",
		"wait flags=0 entries=0 dims=0,0,0 async=-2 waits=",
		"x=6",
		"program_end",
	), 0)
}

// A self clause that is true runs the construct on the local device, the host, as an
// if clause that is false does (OpenACC 3.3 §2.5.7); other flags are refused by name.
func TestLocalDevice(t *testing.T) {
	program := compile(t, "local_device.c", "local_device", "-fopenacc")
	parallel := func(flags int) string {
		return fmt.Sprintf("parallel flags=%d entries=0 dims=0,0,0 async=-2 waits=", flags)
	}
	run(t, []string{preload(t)}, program).want(t, lines(
		"start", "lookup", parallel(0), parallel(1), parallel(1), parallel(1),
		"data_start flags=1 entries=0 dims=0,0,0 async=-2 waits=", "data_end", "program_end"), 0)
	refused := run(t, []string{preload(t)}, program, "unknown")
	if !strings.Contains(refused.output, "flag 0x4 is none that GCC 12 to 16 emit") {
		t.Errorf("a flag that nobody writes:\n%s", refused.output)
	}
}

// A call keeps its place, with its caller's registers, while another one is made
// from inside it.
func TestNestedPlaces(t *testing.T) {
	program := compile(t, "nested.c", "nested", "-fopenacc")
	run(t, []string{preload(t), "STANDIN_PLACES=1"}, program).want(t, lines(
		"start",
		"lookup",
		"parallel flags=0 entries=0 dims=0,0,0 async=-2 waits=",
		"registers 10 11 12 13 14",
		"get_num_devices 2",
		"registers 20 21 22 23 24",
		"registers 10 11 12 13 14",
		"get_num_devices 2",
		"registers 30 31 32 33 34",
		"program_end",
	), 0)
}

// Linking before libgomp gives the same as preloading.
func TestLinked(t *testing.T) {
	folder := library(t)
	program := compile(t, "forks.c", "linked", "-fopenacc", "-L"+folder, "-Wl,-rpath,"+folder, "-lopenacc")
	run(t, nil, program, "after", "exit").want(t, lines("start", "lookup", "get_num_devices 2", "child: 0",
		"get_num_devices 2", "program_end"), 0)
}

// On a device with shared memory nothing reaches the Go part but the first call,
// asynchronous directives, and waits.
func TestQuickPath(t *testing.T) {
	program := compile(t, "constructs.c", "constructs", "-fopenacc", "-foffload=disable")
	run(t, []string{preload(t), "STANDIN_SHARED=1"}, program).want(t, lines(
		"start",
		"lookup",
		"parallel flags=0 entries=1 dims=4,5,0 async=-2 waits=",
		"parallel flags=0 entries=1 dims=0,0,0 async=3 waits=2,1",
		"parallel flags=0 entries=1 dims=0,0,0 async=4 waits=-1",
		"parallel flags=1 entries=1 dims=0,0,0 async=-2 waits=",
		"enter_data flags=0 entries=1 dims=0,0,0 async=4 waits=7,4",
		"update flags=1 entries=1 dims=0,0,0 async=-2 waits=",
		"wait flags=0 entries=0 dims=0,0,0 async=2 waits=4,1",
		"wait flags=0 entries=0 dims=0,0,0 async=-2 waits=",
		"x=6",
		"program_end",
	), 0)
}

// Programs that do not use OpenACC get no Go part.
func TestNoEngineInOthers(t *testing.T) {
	const maps = "/proc/self/maps"
	program := compile(t, "openmp.c", "openmp", "-fopenmp")
	for _, command := range [][]string{
		{"sh", "-c", "cat " + maps + "; true"},
		{"python3", "-c", "import os, sys; os.fork() or os._exit(0); os.wait(); sys.stdout.write(open('" + maps + "').read())"},
		{"cat", maps},
		{"mpirun", "--allow-run-as-root", "--oversubscribe", "-np", "1", "sh", "-c", "cat " + maps + " /proc/$PPID/maps"},
	} {
		if emulator := compilers.Emulator(); emulator != "" {
			t.Logf("not tried by %s: a program of the machine itself loads no library of another architecture", emulator)
			break
		}
		if _, err := exec.LookPath(command[0]); err != nil {
			t.Logf("not tried: %v", err)
			continue
		}
		o := run(t, []string{preload(t)}, command...)
		if o.code != 0 || o.errors != "" || !strings.Contains(o.output, "libopenacc.so") ||
			strings.Contains(o.output, "libopenacc-engine.so") {
			t.Errorf("%v: status %d, standard error %q, maps:\n%s", command, o.code, o.errors, o.output)
		}
	}
	run(t, []string{preload(t)}, program).want(t, "45 1\n", 0)
}

// thinAlone is a folder with the library without its other part.
func thinAlone(t *testing.T) string {
	folder := t.TempDir()
	content, err := os.ReadFile(library(t) + "/libopenacc.so")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(folder+"/libopenacc.so", content, 0o755); err != nil {
		t.Fatal(err)
	}
	return folder
}

// While the Go part is opened, the thread takes what a crash raises and no other signal;
// behind that it has its own mask, also where the part is missing.
func TestMask(t *testing.T) {
	program := compile(t, "mask.c", "mask", "-fopenacc")
	const end = "at the end SIGUSR1 0 SIGUSR2 1 SIGSEGV 0"
	run(t, []string{preload(t), "STANDIN_MASK=1"}, program).want(t, lines("start", "blocked SIGUSR1 1 SIGSEGV 0 SIGABRT 0",
		"lookup", "get_num_devices 2", "program_end", end), 0)
	run(t, []string{"LD_PRELOAD=" + thinAlone(t) + "/libopenacc.so"}, program).want(t, lines(end), 1)
}

// A library without its other part says what is missing, and ends the program.
func TestEngineMissing(t *testing.T) {
	folder := thinAlone(t)
	program := compile(t, "forks.c", "forks", "-fopenacc")
	o := run(t, []string{"LD_PRELOAD=" + folder + "/libopenacc.so"}, program, "before", "exit")
	if o.code != 1 || strings.Count(o.errors, "\n") != 1 || !strings.Contains(o.errors, folder+"/libopenacc-engine.so") {
		t.Errorf("status %d, standard error %q", o.code, o.errors)
	}
}

// The library may be named relative to a folder that the program leaves.
func TestRelativeName(t *testing.T) {
	relative := "./" + filepath.Base(library(t)) + "/libopenacc.so"
	command := exec.Command(compile(t, "opens.c", "opens", "-ldl"), relative, "leave")
	command.Dir = filepath.Dir(library(t))
	output, err := command.CombinedOutput()
	if want := lines("start", "lookup", "get_num_devices 2", "42", "program_end"); err != nil || string(output) != want {
		t.Errorf("%v: %s, want %s", err, output, want)
	}
}

func TestFork(t *testing.T) {
	program := compile(t, "forks.c", "forks", "-fopenacc")
	engine := []string{"start", "lookup", "get_num_devices 2"}
	after := append(append([]string{}, engine...), "child: %", "get_num_devices 2", "program_end")
	for _, c := range []struct {
		when, action, child, errors string
		before                      []string
	}{
		{"before", "call", "0", "", append(append([]string{}, engine...), "program_end", "child: 0", "start", "lookup", "get_num_devices 2", "program_end")},
		{"before", "exec", "0", "", []string{"child: 0", "start", "lookup", "get_num_devices 2", "program_end"}},
		{"after", "exec", "0", "", nil},
		{"after", "_exit", "0", "", nil},
		{"after", "exit", "0", "", nil},
		{"after", "call", "1", "libopenacc: OpenACC was used in a process that was forked from one already using it; " +
			"fork before the first use, or exec\n", nil},
	} {
		t.Run(c.when+"-"+c.action, func(t *testing.T) {
			want := c.before
			if want == nil {
				want = after
			}
			o := run(t, []string{preload(t)}, program, c.when, c.action)
			o.want(t, strings.ReplaceAll(lines(want...), "%", c.child), 0)
			if o.errors != c.errors {
				t.Errorf("standard error %q, want %q", o.errors, c.errors)
			}
		})
	}
}

// The end of the program, however it comes about: once, and destructors that
// take data down afterwards find nothing to do.
func TestEnd(t *testing.T) {
	program := compile(t, "exits.c", "exits", "-fopenacc", "-foffload=disable")
	for _, c := range []struct {
		where  string
		shared bool
		code   int
		output []string
	}{
		{"main", false, 0, []string{"start", "lookup", "register 16 mode 0",
			"enter_data flags=0 entries=1 dims=0,0,0 async=-2 waits=",
			"parallel flags=0 entries=2 dims=0,0,0 async=-2 waits=", "program_end", "destructor done"}},
		{"main", true, 0, []string{"start", "lookup", "register 16 mode 0",
			"enter_data flags=0 entries=1 dims=0,0,0 async=-2 waits=", "attribute 1", "program_end", "destructor done"}},
		{"callback", true, 3, []string{"start", "lookup", "register 16 mode 0",
			"enter_data flags=0 entries=1 dims=0,0,0 async=-2 waits=", "attribute 1", "program_end", "destructor done"}},
		// The Go part is in the middle of the kernel: nothing can wait for it.
		{"kernel", false, 4, []string{"start", "lookup", "register 16 mode 0",
			"enter_data flags=0 entries=1 dims=0,0,0 async=-2 waits=",
			"parallel flags=0 entries=2 dims=0,0,0 async=-2 waits=", "destructor done"}},
	} {
		t.Run(fmt.Sprintf("%s-shared=%t", c.where, c.shared), func(t *testing.T) {
			environment := []string{preload(t)}
			if c.shared {
				environment = append(environment, "STANDIN_SHARED=1")
			}
			run(t, environment, program, c.where).want(t, lines(c.output...), c.code)
		})
	}
}

// Another runtime in the process gets every call, with its variable arguments.
func TestForeignRuntime(t *testing.T) {
	foreign := compile(t, "foreign_runtime.c", "libaccforeign.so", "-shared", "-fPIC")
	folder := filepath.Dir(foreign)
	program := compile(t, "constructs.c", "constructs", "-fopenacc", "-foffload=disable",
		"-L"+folder, "-Wl,-rpath,"+folder, "-Wl,--no-as-needed", "-laccforeign")
	o := run(t, []string{preload(t)}, program)
	if !strings.Contains(o.output, "foreign GOACC_parallel_keyed 0x10000003 0x4 0x5\n") || strings.Contains(o.output, "start") {
		t.Errorf("status %d, output:\n%s", o.code, o.output)
	}
	calls := compile(t, "forks.c", "forks", "-fopenacc", "-L"+folder, "-Wl,-rpath,"+folder, "-Wl,--no-as-needed", "-laccforeign")
	run(t, []string{preload(t)}, calls, "after", "call").want(t, lines("foreign acc_get_num_devices 2",
		"foreign acc_get_num_devices 2", "child: 0", "foreign acc_get_num_devices 2"), 0)
}
