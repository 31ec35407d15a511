package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/accscope/accscope/runtime/compilers"
)

// testRunner gives a runner for the small suite in testdata, on the
// compiler's own runtime and with a cache of its own.
func testRunner(t *testing.T, settings string) (*Runner, []Test) {
	t.Helper()
	suite, err := openSuite(filepath.Join("testdata", "suite"), "", "", "12.2.0")
	if err != nil {
		t.Fatal(err)
	}
	tests, err := suite.Tests()
	if err != nil {
		t.Fatal(err)
	}
	chosen, err := settingsNamed(settings)
	if err != nil {
		t.Fatal(err)
	}
	include, err := filepath.Abs("include")
	if err != nil {
		t.Fatal(err)
	}
	builder, err := newBuilder(t.TempDir(), include, map[Language]string{C: compilers.C(), CXX: compilers.CXX(), Fortran: compilers.Fortran()})
	if err != nil {
		t.Fatal(err)
	}
	return &Runner{Suite: suite, Settings: chosen, Builder: builder, Timeout: 30 * time.Second}, tests
}

func statuses(results []Result) map[string]Status {
	all := map[string]Status{}
	for _, r := range results {
		all[r.Test.Name()] = r.Status
	}
	return all
}

// Every verdict, on real programs.
func TestVerdicts(t *testing.T) {
	runner, tests := testRunner(t, "host")
	results, err := runner.RunAll(tests, 2, &bytes.Buffer{})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]Status{
		"c/passes.c":                  StatusPass,
		"c++/passes.c":                StatusPass,
		"c++/passes.C":                StatusPass,
		"c/no-evidence.c":             StatusPass,
		"c++/no-evidence.c":           StatusPass,
		"c/fails.c":                   "fail:3",
		"c/crashes.c":                 "crash:SIGABRT",
		"c/hangs.c":                   StatusTimeout,
		"c/should-fail.c":             StatusPass,
		"c/should-fail-but-passes.c":  StatusUnexpectedPass,
		"c/should-fail-but-crashes.c": "crash:SIGSEGV",
		"c/wrong-output.c":            StatusOutput,
		"c/known-to-fail.c":           StatusExpectedFailure,
		"c/environment.c":             StatusPass,
		"c/environment-auxiliary.c":   StatusSkipped,
		"c/discrete-only.c":           StatusSkipped,
		"c/gpu-only.c":                StatusUnsupported,
		"c/broken.c":                  StatusBuildFails,
		"c/compile-only.c":            StatusBuilt,
		"fortran/order.f90":           StatusPass,
	}
	got := statuses(results)
	for name, status := range want {
		if got[name] != status {
			t.Errorf("%s: %s, want %s", name, got[name], status)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d tests, want %d", len(got), len(want))
	}
	for _, r := range results {
		if r.Test.File == "fails.c" && r.Message != "the cause" {
			t.Errorf("%s: message %q, want the first line printed", r.Test.Name(), r.Message)
		}
		if r.Test.File == "broken.c" && !strings.Contains(r.Message, "undeclared") {
			t.Errorf("%s: message %q, want the compiler's error", r.Test.Name(), r.Message)
		}
	}

	var totals strings.Builder
	printTotals(&totals, results)
	for _, line := range []string{"crash                2  (C 2, C++ 0, Fortran 0)\n", "of 15 runnable tests pass (C 4 of 11, C++ 3 of 3, Fortran 1 of 1)\n", "name no GPU's driver pass (C 3 of 7, C++ 3 of 3, Fortran 1 of 1)\n"} {
		if !strings.Contains(totals.String(), line) {
			t.Errorf("totals lack %q:\n%s", line, totals.String())
		}
	}
}

func TestNegativeControl(t *testing.T) {
	runner, tests := testRunner(t, "host")
	control, err := runner.Builder.NegativeControl(filepath.Join("control", "empty-regions.c"))
	if err != nil {
		t.Fatal(err)
	}
	expected := expectations{}
	var compute []Test
	for _, test := range tests {
		if strings.HasPrefix(test.File, "passes.") || test.File == "no-evidence.c" {
			compute = append(compute, test)
			expected[test.Name()] = expectation{status: StatusPass}
		}
	}
	for _, test := range []struct {
		preload []string
		tests   []Test
		failed  bool
		says    string
	}{
		{[]string{control}, compute, false, "3 expected passes fail; 2 tests pass even so"},
		{nil, compute, true, "NOT told from a working runtime"},
	} {
		runner.Preload = test.preload
		results, err := runner.RunAll(test.tests, 2, &bytes.Buffer{})
		if err != nil {
			t.Fatal(err)
		}
		var says strings.Builder
		failed := judgeNegativeControl(&says, compare(expected, results), results)
		if failed != test.failed || !strings.Contains(says.String(), test.says) {
			t.Errorf("with %q: failed %v, %q; want %v, %q", test.preload, failed, says.String(), test.failed, test.says)
		}
	}
}

// A program is compiled again only when something that shapes it changes.
func TestCompileCache(t *testing.T) {
	runner, tests := testRunner(t, "host")
	sim, err := settingsNamed("sim")
	if err != nil {
		t.Fatal(err)
	}
	build := func(name string, settings Settings, change func(*Plan)) string {
		t.Helper()
		for _, test := range tests {
			if test.Name() != name {
				continue
			}
			p, err := plan(test, settings, nil)
			if err != nil {
				t.Fatal(err)
			}
			change(p)
			program, err := runner.Builder.Build(p, settings, runner.Suite.Common())
			if err != nil || program.Error != "" {
				t.Fatalf("%s: %v %s", name, err, program.Error)
			}
			return program.Path
		}
		t.Fatalf("no test %s", name)
		return ""
	}
	unchanged := func(*Plan) {}
	first := build("c/passes.c", runner.Settings, unchanged)
	before, err := os.Stat(first)
	if err != nil {
		t.Fatal(err)
	}
	if again := build("c/passes.c", runner.Settings, unchanged); again != first {
		t.Errorf("the same build gave %s, then %s", first, again)
	}
	if after, err := os.Stat(first); err != nil || !os.SameFile(before, after) || !after.ModTime().Equal(before.ModTime()) {
		t.Errorf("the program was compiled again (%v)", err)
	}
	if other := build("c/passes.c", sim, unchanged); other != first {
		t.Error("a test that never asks for its device was compiled for each settings")
	}
	if other := build("c/discrete-only.c", sim, unchanged); other == build("c/discrete-only.c", runner.Settings, unchanged) {
		t.Error("a test that asks for its device has one program for both settings")
	}
	if other := build("c/passes.c", runner.Settings, func(p *Plan) { p.Additional = append(p.Additional, "-O1") }); other == first {
		t.Error("other flags gave the same program")
	}
	if other := build("c/passes.c", runner.Settings, func(p *Plan) { p.Source += "\n/* changed */\n"; p.Patched = true }); other == first {
		t.Error("another source gave the same program")
	}
}

func TestEnvironmentOfTests(t *testing.T) {
	t.Setenv("ACC_DEVICE_TYPE", "inherited")
	t.Setenv("ACCSCOPE_SIM_DEVICES", "7")
	t.Setenv("LD_PRELOAD_OTHER", "kept")
	environment := strings.Join(testEnvironment([]string{"/a.so", "/b.so"}, map[string]string{"ACC_DEVICE_NUM": "1"}), "\n") + "\n"
	for _, want := range []string{"LD_PRELOAD=/a.so:/b.so\n", "ACC_DEVICE_NUM=1\n", "LC_ALL=C\n", "LD_PRELOAD_OTHER=kept\n"} {
		if !strings.Contains(environment, want) {
			t.Errorf("no %q in the environment", want)
		}
	}
	for _, unwanted := range []string{"ACC_DEVICE_TYPE", "ACCSCOPE_SIM_DEVICES"} {
		if strings.Contains(environment, unwanted) {
			t.Errorf("%s leaks into the tests", unwanted)
		}
	}
}

func TestOptionErrors(t *testing.T) {
	for _, test := range []struct{ arguments, message string }{
		{"c/passes.c", "unexpected argument"},
		{"-settings gpu", "one of host, sim"},
		{"-j 0", "at least 1"},
		{"-update -negative-control", "give one of them"},
		{"-native -tests testdata/none", "holds no libgomp/testsuite"},
		{"-native -tests testdata/suite -match nothing-like-this", "no test matches"},
		{"-native -tests testdata/suite -language cobol", "one of c, c++, fortran"},
		{"-tests testdata/suite -preload lib/absent.so", "build it with make"},
		{"-native -tarball /nowhere/gcc.tar.xz", "-source"},
	} {
		arguments := append(strings.Fields(test.arguments), "-cache", t.TempDir())
		if _, err := run(arguments, &bytes.Buffer{}, &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), test.message) {
			t.Errorf("%s: error %v, want one with %q", test.arguments, err, test.message)
		}
	}
}
