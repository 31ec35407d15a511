package main

import (
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestExpectedListRoundTrip(t *testing.T) {
	const text = `
# exceptions
fail:1 c,c++ lib-1.c -- §3.2.7: no action

# pass
pass c,c++ a.c
pass fortran a.f90

# skip
skip c++ b.c
`
	list, err := parseExpected("list", text)
	if err != nil {
		t.Fatal(err)
	}
	want := expectations{
		"c/lib-1.c": {"fail:1", "§3.2.7: no action"}, "c++/lib-1.c": {"fail:1", "§3.2.7: no action"},
		"c/a.c": {"pass", ""}, "c++/a.c": {"pass", ""}, "fortran/a.f90": {"pass", ""}, "c++/b.c": {"skip", ""},
	}
	if !maps.Equal(list, want) {
		t.Errorf("parsed %v, want %v", list, want)
	}
	if got := formatExpected(list); got != text {
		t.Errorf("formatted\n%s\nwant\n%s", got, text)
	}
}

func TestExpectedListErrors(t *testing.T) {
	for text, message := range map[string]string{
		"pass c":                        "list:1: ",
		"# head\nsplendid c a.c":        "list:2: status \"splendid\" is unknown",
		"fail:1 c a.c":                  "has no reason",
		"pass cobol a.c":                "language \"cobol\"",
		"pass c a.c\npass c,c++ a.c":    "c/a.c is listed twice",
		"crash:SIGSEGV fortran a.f90":   "has no reason",
		"unexpected-pass c a.c":         "has no reason",
		"pass c a.c extra -- a comment": "want STATUS LANGUAGES FILE",
	} {
		if _, err := parseExpected("list", text); err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("parse %q: error %v, want one with %q", text, err, message)
		}
	}
}

func TestUpdateExpectedKeepsReasons(t *testing.T) {
	file := filepath.Join(t.TempDir(), "list.txt")
	const head = "# what this list is\n"
	if err := os.WriteFile(file, []byte("# GCC 14.1.0\n"+head+"\nfail:1 c a.c -- the reason\nfail:1 c b.c -- gone\npass c c.c\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	results := []Result{
		{Test: Test{Language: C, File: "a.c"}, Status: "fail:1"},
		{Test: Test{Language: C, File: "b.c"}, Status: StatusPass},
		{Test: Test{Language: C, File: "d.c"}, Status: StatusOutput},
	}
	if err := updateExpected(file, "14.2.0", results); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const want = "# GCC 14.2.0\n" + head + "\n# exceptions\nfail:1 c a.c -- the reason\noutput c d.c\n\n# pass\npass c b.c\npass c c.c\n"
	if string(text) != want {
		t.Errorf("updated list:\n%s\nwant:\n%s", text, want)
	}
	if _, _, err := readExpected(file); err == nil {
		t.Error("an exception without its reason was accepted")
	}
	if err := os.WriteFile(file, []byte(head), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, _, err := readExpected(file); err == nil || !strings.Contains(err.Error(), "version") {
		t.Errorf("a list that names no version: %v", err)
	}
}

func TestCompare(t *testing.T) {
	result := func(file string, status Status) Result {
		return Result{Test: Test{Language: C, File: file}, Status: status}
	}
	expected := expectations{"c/a.c": {status: StatusPass}, "c/b.c": {"fail:1", "reason"}, "c/c.c": {status: StatusPass}}
	got := compare(expected, []Result{result("a.c", StatusPass), result("b.c", "fail:2"), result("new.c", StatusPass)})
	want := []difference{{result("b.c", "fail:2"), "fail:1"}, {result("new.c", StatusPass), ""}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("differences %v, want %v", got, want)
	}
}

func TestMissing(t *testing.T) {
	expected := expectations{"c/a.c": {status: StatusPass}, "c++/a.c": {status: StatusPass}, "c/gone.c": {"fail:1", "reason"}}
	got := missing(expected, []Test{{Language: C, File: "a.c"}, {Language: C, File: "new.c"}})
	if want := []string{"c++/a.c", "c/gone.c"}; !reflect.DeepEqual(got, want) {
		t.Errorf("missing %v, want %v", got, want)
	}
}

// baselines are the tests that each version's own library passes, at least.
var baselines = map[string]int{"gcc-12": 688, "gcc-13": 712, "gcc-14": 717, "gcc-15": 732, "gcc-16": 732}

// forEachCompiler runs a test on the committed lists of each of GCC's versions.
func forEachCompiler(t *testing.T, test func(t *testing.T, compiler string)) {
	folders, err := filepath.Glob("expected/gcc-*")
	if err != nil || len(folders) != len(baselines) {
		t.Fatalf("lists of %d compilers, want %d (%v)", len(folders), len(baselines), err)
	}
	for _, folder := range folders {
		t.Run(filepath.Base(folder), func(t *testing.T) { test(t, filepath.Base(folder)) })
	}
}

// readList reads one of the committed lists.
func readList(t *testing.T, compiler, name string) expectations {
	t.Helper()
	list, listed, err := readExpected(filepath.Join("expected", compiler, name))
	if err != nil {
		t.Fatal(err)
	}
	if "gcc-"+listed.major() != compiler {
		t.Errorf("%s/%s is of GCC %s", compiler, name, listed)
	}
	return list
}

// The committed lists hold what the project promises of its runtime.
func TestHostListMissesNothingThatLibgompPasses(t *testing.T) {
	forEachCompiler(t, checkHostList)
}

func checkHostList(t *testing.T, compiler string) {
	reference, ours := readList(t, compiler, "libgomp-host.txt"), readList(t, compiler, "host.txt")
	passes := 0
	for test, e := range reference {
		if e.status != StatusPass {
			continue
		}
		passes++
		if ours[test].status != StatusPass && !strings.Contains(ours[test].reason, "§") {
			t.Errorf("%s passes on libgomp; ours: %q, without a section of the specification as its reason", test, ours[test].status)
		}
	}
	if passes < baselines[compiler] {
		t.Errorf("the reference list has %d passes, want at least the %d of the suite's baseline", passes, baselines[compiler])
	}
	checkNoCrash(t, ours)
}

// What no runtime can pass with kernels that the host compiler made, and what
// OpenACC 3.3 demands otherwise, is told by the reason's first words. Of the
// rest at least 94 % pass.
func TestSimListPassesEnough(t *testing.T) { forEachCompiler(t, checkSimList) }

func checkSimList(t *testing.T, compiler string) {
	ours := readList(t, compiler, "sim.txt")
	passes, possible := 0, 0
	for _, e := range ours {
		switch {
		case e.status == StatusPass:
			passes++
			possible++
		case e.status.ran() && !strings.HasPrefix(e.reason, "host-compiled kernels: ") && !strings.HasPrefix(e.reason, "OpenACC 3.3 §"):
			possible++
		}
	}
	if 100*passes < 94*possible {
		t.Errorf("%d of %d tests pass that can, want at least 94 %%", passes, possible)
	}
	if host := readList(t, compiler, "host.txt"); len(ours) != len(host) {
		t.Errorf("sim.txt has %d tests, host.txt %d: both are the whole suite", len(ours), len(host))
	}
	checkNoCrash(t, ours)
}

// The whole suite's run fails if too few neutral tests pass.
func TestJudgeShare(t *testing.T) {
	result := func(status Status, neutral bool) Result {
		return Result{Test: Test{Language: C}, Status: status, Neutral: neutral}
	}
	results := []Result{result(StatusPass, true), result(StatusExpectedFailure, true), result("fail:1", false), result(StatusPass, true)}
	for _, test := range []struct {
		more   Status
		share  float64
		failed bool
	}{{StatusPass, 94, false}, {"fail:1", 94, true}, {"fail:1", 66, false}, {"fail:1", 0, false}} {
		var says strings.Builder
		failed := judgeShare(&says, Settings{Name: "sim", NeutralShare: test.share}, append(results, result(test.more, true)))
		if failed != test.failed || failed != strings.Contains(says.String(), "2 of 3 tests") {
			t.Errorf("%s, %v %%: failed %v, %q", test.more, test.share, failed, says.String())
		}
	}
}

// SIGABRT is how a test's own assert and abort end.
func checkNoCrash(t *testing.T, list expectations) {
	t.Helper()
	for test, e := range list {
		if e.status.kind() == "crash" && e.status != "crash:SIGABRT" || e.status == StatusTimeout {
			t.Errorf("%s is expected to end in %s: a crash or a hang is never the expected result", test, e.status)
		}
	}
}

func TestSampleIsPartOfTheLists(t *testing.T) { forEachCompiler(t, checkSample) }

func checkSample(t *testing.T, compiler string) {
	sample, err := readSample("sample.txt")
	if err != nil {
		t.Fatal(err)
	}
	host, sim := readList(t, compiler, "host.txt"), readList(t, compiler, "sim.txt")
	ran := map[string]map[Language]int{"host": {}, "sim": {}}
	for name := range sample {
		if _, known := host[name]; !known {
			t.Errorf("%s of sample.txt is not in the lists", name)
		}
		language, _, _ := strings.Cut(name, "/")
		if host[name].status.ran() {
			ran["host"][Language(language)]++
		}
		if sim[name].status.ran() {
			ran["sim"][Language(language)]++
		}
	}
	for settings, counts := range ran {
		for _, language := range languages {
			if counts[language] < 10 {
				t.Errorf("the sample runs %d tests in %s under the %s settings: too few to show anything", counts[language], language, settings)
			}
		}
	}
}
