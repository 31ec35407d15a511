package test

import (
	"path/filepath"
	"strings"
	"testing"
)

// profiler compiles testdata/tool.c under a name.
func profiler(t *testing.T, name string) string {
	return compile(t, "tool.c", "lib"+name+".so", "-shared", "-fPIC", "-fvisibility=hidden", `-DTOOL="`+name+`"`)
}

func linkedWith(library string) []string {
	name := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(library), "lib"), ".so")
	folder := filepath.Dir(library)
	return []string{"-L" + folder, "-Wl,-rpath," + folder, "-Wl,--no-as-needed", "-l" + name}
}

// The ways of OpenACC 3.3 §5.3 to load a tool, alone and together: every tool is
// called once, wherever it is named, and its callbacks are registered once.
func TestTools(t *testing.T) {
	a, b, c := profiler(t, "tool_a"), profiler(t, "tool_b"), profiler(t, "tool_c")
	openacc := []string{"-fopenacc", "-foffload=disable"}
	plain := compile(t, "constructs.c", "plain", openacc...)
	linked := compile(t, "constructs.c", "linked", append(openacc, linkedWith(c)...)...)
	inside := compile(t, "constructs.c", "inside", append(openacc, "-include", "testdata/tool.c", `-DTOOL="inside"`)...)
	every := compile(t, "constructs.c", "every", append(append(openacc, "-include", "testdata/own.c"), linkedWith(c)...)...)
	library := library(t) + "/libopenacc.so"

	for _, test := range []struct {
		name        string
		program     string
		environment []string
		tools       []string
	}{
		{"ACC_PROFLIB", plain, []string{"LD_PRELOAD=" + library, "ACC_PROFLIB=" + a}, []string{"tool_a"}},
		{"ACC_PROFLIB, two", plain, []string{"LD_PRELOAD=" + library, "ACC_PROFLIB=" + a + ";" + b}, []string{"tool_a", "tool_b"}},
		{"ACC_PROFLIB, one named twice", plain, []string{"LD_PRELOAD=" + library, "ACC_PROFLIB=" + a + ";;" + b}, []string{"tool_a", "tool_b"}},
		{"preloaded", plain, []string{"LD_PRELOAD=" + library + " " + a}, []string{"tool_a"}},
		{"preloaded before us", plain, []string{"LD_PRELOAD=" + a + " " + library}, []string{"tool_a"}},
		{"linked", linked, []string{"LD_PRELOAD=" + library}, []string{"tool_c"}},
		{"in the program", inside, []string{"LD_PRELOAD=" + library}, []string{"inside"}},
		{"all", linked, []string{"LD_PRELOAD=" + library + " " + b, "ACC_PROFLIB=" + a + ";" + b}, []string{"tool_a", "tool_b", "tool_c"}},
		{"all, and the program itself", every, []string{"LD_PRELOAD=" + library + " " + b, "ACC_PROFLIB=" + a + ";" + b + ";" + c},
			[]string{"tool_a", "tool_b", "tool_c", "own"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := run(t, append(test.environment, "STANDIN_SHARED=1"), test.program)
			if o.code != 0 || strings.Count(o.output, "register 16 mode 0") != len(test.tools) {
				t.Errorf("status %d, output:\n%s%s", o.code, o.output, o.errors)
			}
			for _, tool := range test.tools {
				// One synchronous construct is left to the quick path: num_gangs, after
				// the first, which has no device yet, goes to the stand-in.
				if strings.Count(o.output, tool+" called\n") != 1 ||
					strings.Count(o.output, tool+" event 16 thread 0 in somewhere version 202211\n") != 1 {
					t.Errorf("tool %s: output:\n%s%s", tool, o.output, o.errors)
				}
			}
		})
	}
}

// Without libgomp in the process the library reads ACC_PROFLIB itself.
func TestToolsWithoutLibgomp(t *testing.T) {
	a := profiler(t, "tool_a")
	program := []string{compile(t, "opens.c", "opens", "-ldl"), library(t) + "/libopenacc.so"}
	for _, test := range []struct{ list, output, errors string }{
		{a + ";" + a, "tool_a called\nregister 16 mode 0\n", ""},
		{" " + a + " ;", "tool_a called\nregister 16 mode 0\n", ""},
		{"/nowhere.so;" + a, "tool_a called\nregister 16 mode 0\n", `libopenacc: ACC_PROFLIB: cannot open "/nowhere.so": ` +
			"/nowhere.so: cannot open shared object file: No such file or directory\n"},
		{"libm.so.6", "", `libopenacc: ACC_PROFLIB: "libm.so.6" is no profiling library: it has no acc_register_library` + "\n"},
	} {
		o := run(t, []string{"ACC_PROFLIB=" + test.list}, program...)
		o.want(t, "start\nlookup\n"+test.output+"get_num_devices 2\n42\nprogram_end\n", 0)
		if o.errors != test.errors {
			t.Errorf("%q: standard error %q, want %q", test.list, o.errors, test.errors)
		}
	}
}

// Tools come before callbacks that the program registers, also where it does so before
// its first use: one for errors may end the program, and tools learn of the error before.
func TestToolsComeFirst(t *testing.T) {
	o := run(t, []string{"ACC_PROFLIB=" + profiler(t, "tool_a")}, compile(t, "opens.c", "opens", "-ldl"), library(t)+"/libopenacc.so", "register")
	o.want(t, "start\nlookup\ntool_a called\nregister 16 mode 0\nregister 100 mode 0\nget_num_devices 2\n42\nprogram_end\n", 0)
}

// A missing library is reported once, whoever reads ACC_PROFLIB first, and a
// tool gives no Go part to a program that does not use OpenACC.
func TestToolsAreNoReason(t *testing.T) {
	a := profiler(t, "tool_a")
	program := compile(t, "openmp.c", "openmp", "-fopenmp")
	o := run(t, []string{preload(t), "ACC_PROFLIB=/nowhere.so;" + a}, program)
	o.want(t, "tool_a called\n45 1\n", 0)
	if strings.Count(o.errors, "cannot open shared object file") != 1 {
		t.Errorf("standard error %q", o.errors)
	}
	constructs := compile(t, "constructs.c", "constructs", "-fopenacc", "-foffload=disable")
	o = run(t, []string{preload(t), "ACC_PROFLIB=/nowhere.so;" + a}, constructs)
	if o.code != 0 || strings.Count(o.errors, "cannot open shared object file") != 1 {
		t.Errorf("status %d, standard error %q", o.code, o.errors)
	}
}
