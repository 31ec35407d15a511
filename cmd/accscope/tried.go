package main

import (
	"cmp"
	"embed"
	"fmt"
	"path"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// triedFiles are what `make compiler` wrote of each version of GCC: a file gcc-N, or
// gcc-N-MACHINE, gcc-noble of Ubuntu's, with lines of a word and its value, the compiler, the system and the
// machine, then each step with yes or no, then how many mappings of the tests' programs have a name at each
// level of optimisation and format of debug information.
//
//go:embed tried
var triedFiles embed.FS

// triedCompiler is a version of GCC that all of it was tried with.
type triedCompiler struct {
	version, system, machine string
	major                    int
	steps                    map[string]bool // whether each passed
	named                    []namedCell
}

// namedCell is one of the table of names found.
type namedCell struct {
	named, all    int
	level, format string // compiler flags
}

// failed are the steps that did not pass.
func (c triedCompiler) failed() []string {
	var names []string
	for name, passed := range c.steps {
		if !passed {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// onThisMachine are those that were tried for this machine's processor.
func onThisMachine(all []triedCompiler) []triedCompiler {
	name := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[runtime.GOARCH]
	return slices.DeleteFunc(all, func(c triedCompiler) bool {
		machine, _, _ := strings.Cut(c.machine, " ")
		return machine != name
	})
}

// triedCompilers are those of the files, the oldest first.
func triedCompilers() ([]triedCompiler, error) {
	entries, err := triedFiles.ReadDir("tried")
	if err != nil {
		return nil, err
	}
	var all []triedCompiler
	for _, e := range entries {
		file := path.Join("tried", e.Name())
		text, err := triedFiles.ReadFile(file)
		if err != nil {
			return nil, err
		}
		c, err := parseTried(string(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b triedCompiler) int {
		return cmp.Or(cmp.Compare(a.major, b.major), strings.Compare(a.version, b.version), -strings.Compare(a.machine, b.machine))
	})
	return all, nil
}

func parseTried(text string) (triedCompiler, error) {
	c := triedCompiler{steps: map[string]bool{}}
	for line := range strings.Lines(text) {
		word, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch {
		case word == "compiler":
			c.version = value
		case word == "system":
			c.system = value
		case word == "machine":
			c.machine = value
		case word == "named":
			var cell namedCell
			if _, err := fmt.Sscanf(value, "%d of %d at %s", &cell.named, &cell.all, &cell.level); err != nil {
				return c, fmt.Errorf("%q: want named N of N at LEVEL FORMAT: %w", line, err)
			}
			_, flags, _ := strings.Cut(value, " at ")
			_, cell.format, _ = strings.Cut(flags, " ")
			c.named = append(c.named, cell)
		case value == "yes" || value == "no":
			c.steps[word] = value == "yes"
		default:
			return c, fmt.Errorf("%q: want compiler, system, machine, named or a step with yes or no", line)
		}
	}
	first, _, _ := strings.Cut(c.version, ".")
	major, err := strconv.Atoi(first)
	if err != nil {
		return c, fmt.Errorf("compiler %q: want a version of GCC, as 14.2.0", c.version)
	}
	c.major = major
	return c, nil
}
