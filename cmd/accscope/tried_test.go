package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

// steps are those of .ci/compiler, in the table's order.
var steps = []string{"demo", "programs", "events", "names", "conformance"}

// TestTriedTable holds the table of docs/compilers.md to the results that the doctor
// knows, and to the expected results of GCC's own tests.
func TestTriedTable(t *testing.T) {
	tried, err := triedCompilers()
	if err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	table.WriteString("| compiler | tried on | " + strings.Join(steps, " | ") + " | GCC's tests, host | sim |\n")
	table.WriteString("| --- | --- |" + strings.Repeat(" --- |", len(steps)+2) + "\n")
	for _, c := range tried {
		fmt.Fprintf(&table, "| GCC %s | %s, %s |", c.version, c.system, c.machine)
		for _, step := range steps {
			answer := "not tried"
			if passed, known := c.steps[step]; known {
				answer = map[bool]string{true: "yes", false: "no"}[passed]
			}
			fmt.Fprintf(&table, " %s |", answer)
		}
		for _, settings := range []string{"host", "sim"} {
			fmt.Fprintf(&table, " %s |", passing(t, c, settings))
		}
		table.WriteString("\n")
	}
	const page = "../../docs/compilers.md"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	written := regexp.MustCompile(`(?m)^\| compiler \|(.*\n\|)*.*\n`)
	found := written.FindString(string(text))
	if found == table.String() {
		return
	}
	if !*update || found == "" {
		t.Fatalf("the table of %s is\n%s\nby the results it is\n%s\n(go test ./cmd/accscope -run TriedTable -update)", page, found, table.String())
	}
	if err := os.WriteFile(page, []byte(strings.Replace(string(text), found, table.String(), 1)), 0o644); err != nil {
		t.Fatal(err)
	}
}

// passing counts what passes, of what runs, in a list of expected results.
func passing(t *testing.T, c triedCompiler, settings string) string {
	t.Helper()
	file := fmt.Sprintf("../../runtime/conformance/expected/gcc-%d/%s.txt", c.major, settings)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if want := "# GCC " + c.version + "\n"; !strings.HasPrefix(string(text), want) {
		t.Errorf("%s: is not of GCC %s", file, c.version)
	}
	pass, run := 0, 0
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if len(f) < 3 || f[0] == "#" {
			continue
		}
		tests := len(strings.Split(f[1], ","))
		switch status, _, _ := strings.Cut(f[0], ":"); status {
		case "skip", "unsupported", "built", "build-fails":
		case "pass":
			pass += tests
			run += tests
		default:
			run += tests
		}
	}
	return fmt.Sprintf("%d of %d", pass, run)
}

func TestParseTried(t *testing.T) {
	const text = "compiler 14.2.0\nsystem Debian GNU/Linux 13\nmachine x86_64\ndemo yes\nevents no\nnames no\n"
	c, err := parseTried(text)
	if err != nil || c.major != 14 || c.system != "Debian GNU/Linux 13" || !c.steps["demo"] || strings.Join(c.failed(), " ") != "events names" {
		t.Errorf("%+v, %v", c, err)
	}
	installed := gnuCompiler{"gcc", "14.3.0", 14}
	if got, want := installed.note([]triedCompiler{c}), "14.2.0 was tested; tests failed: events, names"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for _, damaged := range []string{"", "compiler clang\n", "compiler 14.2.0\ndemo perhaps\n"} {
		if _, err := parseTried(damaged); err == nil {
			t.Errorf("%q was accepted", damaged)
		}
	}
}
