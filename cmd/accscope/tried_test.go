package main

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// steps are those of .ci/compiler, in the table's order, and what runtime/cuda/gputest
// found on a GPU.
var steps = []string{"demo", "programs", "events", "names", "conformance", "nvidia"}

// TestTriedTable holds the table of docs/compilers.md to the results that the doctor
// knows, and to the expected results of GCC's own tests.
func TestTriedTable(t *testing.T) {
	tried, err := triedCompilers()
	if err != nil {
		t.Fatal(err)
	}
	counted := map[int]bool{}
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
		if c.machine != "x86_64" { // where GCC's tests are run whole
			table.WriteString(" a sample | a sample |\n")
			continue
		}
		for _, settings := range []string{"host", "sim"} {
			answer := passing(t, c, settings)
			counted[c.major] = counted[c.major] || answer != "not counted"
			fmt.Fprintf(&table, " %s |", answer)
		}
		table.WriteString("\n")
	}
	for _, c := range tried {
		if !counted[c.major] {
			t.Errorf("the lists of runtime/conformance/expected/gcc-%d are of a version that was not tried", c.major)
		}
	}
	holdTable(t, `\| compiler \|`, table.String())
	holdTable(t, `\| names found \|`, namesFound(tried))
}

// holdTable compares the table of docs/compilers.md that begins so with what it should
// be.
func holdTable(t *testing.T, beginning, want string) {
	t.Helper()
	const page = "../../docs/compilers.md"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	written := regexp.MustCompile(`(?m)^` + beginning + `(.*\n\|)*.*\n`)
	found := written.FindString(string(text))
	if found == want {
		return
	}
	if !*update || found == "" {
		t.Fatalf("the table of %s is\n%s\nby the results it is\n%s\n(go test ./cmd/accscope -run TriedTable -update)", page, found, want)
	}
	if err := os.WriteFile(page, []byte(strings.Replace(string(text), found, want, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
}

// namesFound is a line for each compiler and format, a column for each level.
func namesFound(tried []triedCompiler) string {
	var table strings.Builder
	table.WriteString("| names found | debug information |")
	levels := []string{"-O0", "-O1", "-O2", "-O3"}
	for _, level := range levels {
		fmt.Fprintf(&table, " `%s` |", level)
	}
	table.WriteString("\n" + strings.Repeat("| --- ", len(levels)+2) + "|\n")
	for _, c := range tried {
		var formats []string
		cells := map[string]string{}
		for _, n := range c.named {
			if !slices.Contains(formats, n.format) {
				formats = append(formats, n.format)
			}
			cells[n.level+n.format] = fmt.Sprintf("%d of %d", n.named, n.all)
		}
		for _, format := range formats {
			fmt.Fprintf(&table, "| GCC %s | `%s` |", c.version, format)
			for _, level := range levels {
				fmt.Fprintf(&table, " %s |", cells[level+format])
			}
			table.WriteString("\n")
		}
	}
	return table.String()
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
		// The lists are of one minor version of each, which is among those tried.
		return "not counted"
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
	const text = "compiler 14.2.0\nsystem Debian GNU/Linux 13\nmachine x86_64\ndemo yes\nevents no\nnames no\nnamed 23 of 24 at -O2 -gsplit-dwarf -gdwarf-4\n"
	c, err := parseTried(text)
	if err != nil || c.major != 14 || c.system != "Debian GNU/Linux 13" || !c.steps["demo"] || strings.Join(c.failed(), " ") != "events names" ||
		len(c.named) != 1 || c.named[0] != (namedCell{23, 24, "-O2", "-gsplit-dwarf -gdwarf-4"}) {
		t.Errorf("%+v, %v", c, err)
	}
	installed := gnuCompiler{"gcc", "14.3.0", 14}
	if got, want := installed.note([]triedCompiler{c}), "tested: 14.2.0 (tests failed: events, names)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := installed.note([]triedCompiler{c, {version: "14.3.0", major: 14}}); got != "" {
		t.Errorf("%q of a compiler that is among those tried", got)
	}
	for _, damaged := range []string{"", "compiler clang\n", "compiler 14.2.0\ndemo perhaps\n", "compiler 14.2.0\nnamed 3 at -O2\n"} {
		if _, err := parseTried(damaged); err == nil {
			t.Errorf("%q was accepted", damaged)
		}
	}
}
