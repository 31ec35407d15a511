package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/accscope/accscope/runtime/compilers"
)

// home is what stands in the pages for the folder in which their commands ran.
const home = "/home/you/work"

// The pages show what a machine of the user's would.
var personal = regexp.MustCompile(`(?m)^(  host +)\S+$`)

// unsteady are figures that differ from run to run: times, shares, rates, ranks, dates. How
// wide the columns are depends on them.
var unsteady = []struct {
	figure *regexp.Regexp
	mask   string
}{
	{regexp.MustCompile(`(?m)^ *! .* gains \d.*\n`), ""}, // what gains most depends on times
	{regexp.MustCompile(`\n\n+`), "\n"},
	{regexp.MustCompile(`[+-]?\d+(\.\d+)?(e[+-]\d+)? (ns|us|ms|s|min|h)\b`), "TIME"},
	{regexp.MustCompile(`[+-]?\d+(\.\d+)?(%| times)`), "SHARE"},
	{regexp.MustCompile(`\d+(\.\d+)? [kMGT]?B/s`), "RATE"},
	{regexp.MustCompile(`-{3,}`), "---"},
	{regexp.MustCompile(`[ \t]+`), " "},
	{regexp.MustCompile(`(?m)^\d+ ([a-z]+-[a-z-]+ TIME )`), "RANK $1"}, // of findings, by their times
}

// goesOn is between a line and what stands below its text rather than its beginning.
var goesOn = regexp.MustCompile(`\n {9,}`)

// steady is what has to be the same each time: the lines without unsteady figures, in
// an order of their own, as that of rows depends on times too.
func steady(text string) string {
	for _, u := range unsteady {
		text = u.figure.ReplaceAllString(text, u.mask)
	}
	text = goesOn.ReplaceAllString(text, " ") // where prose is broken depends on how long its times are
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// TestPages runs the commands that stand behind $ in the console blocks of pages, one
// after the other in one shell, and holds what they print against the pages; -update
// renews these.
func TestPages(t *testing.T) {
	for _, page := range []string{"README.md", "docs/tutorial.md", "docs/tutorial-check.md"} {
		t.Run(page, func(t *testing.T) {
			name := filepath.Join(project, page)
			content, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			p := &shellPage{}
			p.parse(string(content))
			if len(p.commands) < 2 {
				t.Fatalf("%s has %d commands", page, len(p.commands))
			}
			outputs := p.run(t)
			if *update {
				if err := os.WriteFile(name, []byte(p.with(outputs)), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			for i, command := range p.commands {
				if got, want := steady(outputs[i]), steady(command.output); got != want {
					t.Errorf("%s: $ %s\nsays, but for times and order,\n%s\nthe page has\n%s\ngo test ./cmd/accscope -run TestPages -update renews it", page, command.text, got, want)
				}
			}
		})
	}
}

// shellPage is a page in pieces: what stands before each command, and the rest.
type shellPage struct {
	commands []shellCommand
	rest     string
}

type shellCommand struct{ before, text, output string }

func (p *shellPage) parse(content string) {
	const opened, closed = "```console\n", "```\n"
	var before strings.Builder
	inside := false
	for line := range strings.Lines(content) {
		command, is := strings.CutPrefix(line, "$ ")
		switch {
		case !inside:
			inside = line == opened
			before.WriteString(line)
		case line == closed:
			inside = false
			before.WriteString(line)
		case is:
			p.commands = append(p.commands, shellCommand{before: before.String(), text: strings.TrimSuffix(command, "\n")})
			before.Reset()
		case len(p.commands) > 0:
			p.commands[len(p.commands)-1].output += line
		}
	}
	p.rest = before.String()
}

// with is the page with these outputs in place of its own.
func (p *shellPage) with(outputs []string) string {
	var b strings.Builder
	for i, command := range p.commands {
		fmt.Fprintf(&b, "%s$ %s\n%s", command.before, command.text, outputs[i])
	}
	return b.String() + p.rest
}

// run gives what each command prints, on both of its streams.
func (p *shellPage) run(t *testing.T) []string {
	t.Helper()
	folder, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	work, tools := filepath.Join(folder, "work"), filepath.Join(folder, "tools")
	for _, f := range []string{work, tools} {
		if err := os.Mkdir(f, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	// gcc is the compiler of the build, without what it could write for GPUs where it is not asked to.
	path, err := exec.LookPath(compilers.C())
	if err != nil {
		t.Fatal(err)
	}
	wrapper := fmt.Sprintf("#!/bin/sh\nexec %s -foffload=disable \"$@\"\n", path)
	if slices.ContainsFunc(p.commands, func(c shellCommand) bool { return strings.Contains(c.text, "-foffload=nvptx-none") }) {
		tools, flags, err := compilers.Offload()
		if err != nil {
			t.Skipf("what runs GPU code is not tried: %v", err)
		}
		wrapper = fmt.Sprintf("#!/bin/sh\nPATH='%s' exec gcc-12 '%s' \"$@\"\n", tools, strings.Join(flags, "' '"))
	}
	if err := os.WriteFile(filepath.Join(tools, "gcc"), []byte(wrapper), 0o755); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{filepath.Join(tools, "accscope"): accscope, filepath.Join(work, "examples"): filepath.Join(project, "examples")} {
		if err := os.Symlink(target, link); err != nil {
			t.Fatal(err)
		}
	}
	const separator = "=== end of a command: "
	var script strings.Builder
	for _, command := range p.commands {
		fmt.Fprintf(&script, "%s\necho '%s'$?\n", command.text, separator)
	}
	shell := exec.Command("bash", "-c", "exec 2>&1\n"+script.String())
	shell.Dir = work
	shell.Env = append(os.Environ(), "PATH="+tools+":"+os.Getenv("PATH"), "COLUMNS=80", "NO_COLOR=1")
	var complaint bytes.Buffer
	shell.Stderr = &complaint
	out, err := shell.Output()
	if err != nil {
		t.Fatalf("%v\n%s%s", err, out, complaint.String())
	}
	text := strings.ReplaceAll(string(out), work, home)
	text = personal.ReplaceAllString(text, "${1}laptop")
	var outputs []string
	for range p.commands {
		output, rest, found := strings.Cut(text, separator)
		if !found {
			t.Fatalf("the shell ended early:\n%s", out)
		}
		status, after, _ := strings.Cut(rest, "\n")
		if status != "0" && !strings.Contains(output, "status") && !strings.Contains(p.commands[len(outputs)].text, "||") {
			t.Fatalf("$ %s\nended with status %s:\n%s", p.commands[len(outputs)].text, status, output)
		}
		outputs, text = append(outputs, output), after
	}
	return outputs
}
