package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// expectation is one line of a list of expected results.
type expectation struct {
	status Status
	reason string
}

// expectations are a list of expected results, by test name.
//
// In its file, a line is "STATUS LANGUAGES FILE" and, for a result that needs
// explaining, " -- REASON"; LANGUAGES are separated by commas. Lines that are
// empty or begin with # are for the reader and kept by -update where they
// stand at the head of the file.
type expectations map[string]expectation

// ofVersion is a list's first line: the exact version whose tests and code it is of.
var ofVersion = regexp.MustCompile(`^# GCC (\d+\.\d+\.\d+)\n`)

func readExpected(file string) (expectations, version, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, "", err
	}
	found := ofVersion.FindSubmatch(text)
	if found == nil {
		return nil, "", fmt.Errorf("%s:1: want the compiler's version, # GCC 12.2.0", file)
	}
	list, err := parseExpected(file, string(text))
	return list, version(found[1]), err
}

// overlay takes over what a list of another machine has, if there is one: the results
// that are not those of x86-64.
func (e expectations) overlay(file string, of version) error {
	other, listed, err := readExpected(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err == nil && listed != of {
		err = fmt.Errorf("%s: is of GCC %s, what it is laid over of %s", file, listed, of)
	}
	maps.Copy(e, other)
	return err
}

func parseExpected(file, text string) (expectations, error) {
	list := expectations{}
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		fail := func(format string, arguments ...any) (expectations, error) {
			return nil, fmt.Errorf("%s:%d: %s", file, number, fmt.Sprintf(format, arguments...))
		}
		result, reason, _ := strings.Cut(line, " -- ")
		fields := strings.Fields(result)
		if len(fields) != 3 {
			return fail("%q: want STATUS LANGUAGES FILE [-- REASON]", line)
		}
		status := Status(fields[0])
		if !slices.Contains(statusOrder, status.kind()) {
			return fail("status %q is unknown: one of %v", status, statusOrder)
		}
		if reason = strings.TrimSpace(reason); reason == "" && status.needsReason() {
			return fail("%s %s has no reason: say after -- what decides it", status, fields[2])
		}
		for _, name := range strings.Split(fields[1], ",") {
			language := Language(name)
			if !language.valid() {
				return fail("language %q: one of c, c++, fortran", name)
			}
			test := Test{Language: language, File: fields[2]}.Name()
			if _, twice := list[test]; twice {
				return fail("%s is listed twice", test)
			}
			list[test] = expectation{status, reason}
		}
	}
	return list, nil
}

// difference is a result that is not the expected one.
type difference struct {
	result   Result
	expected Status // empty: the list doesn't have the test
}

func compare(expected expectations, results []Result) []difference {
	var differences []difference
	for _, r := range results {
		if e := expected[r.Test.Name()]; e.status != r.Status {
			differences = append(differences, difference{r, e.status})
		}
	}
	return differences
}

// missing are the tests of a list that the whole suite doesn't have: lines that
// nothing checks.
func missing(expected expectations, suite []Test) []string {
	names := map[string]bool{}
	for _, t := range suite {
		names[t.Name()] = true
	}
	var absent []string
	for name := range expected {
		if !names[name] {
			absent = append(absent, name)
		}
	}
	slices.Sort(absent)
	return absent
}

// updateExpected rewrites a list with new results. Tests that were not run
// keep their lines, and an unchanged verdict keeps its reason; a new one that
// needs a reason is written without, which the next run refuses.
func updateExpected(file string, compiler version, results []Result) error {
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	old := expectations{}
	if err == nil {
		if old, err = parseExpected(file, string(text)); err != nil {
			return err
		}
	}
	for _, r := range results {
		e := expectation{status: r.Status}
		if before := old[r.Test.Name()]; before.status == r.Status {
			e.reason = before.reason
		}
		old[r.Test.Name()] = e
	}
	head := fmt.Sprintf("# GCC %s\n%s", compiler, ofVersion.ReplaceAllString(headOf(string(text)), ""))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(head+formatExpected(old)), 0o644)
}

// headOf is the comment at the head of a list.
func headOf(text string) string {
	var head strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "#") {
			break
		}
		head.WriteString(line)
	}
	return head.String()
}

// formatExpected writes a list in its canonical order: results that need a
// reason first, then by verdict and file, the languages of one file and one
// verdict on a line.
func formatExpected(list expectations) string {
	type line struct {
		expectation
		file string
	}
	languagesOf := map[line][]Language{}
	for test, e := range list {
		language, file, _ := strings.Cut(test, "/")
		key := line{e, file}
		languagesOf[key] = append(languagesOf[key], Language(language))
	}
	lines := slices.SortedFunc(maps.Keys(languagesOf), func(a, b line) int {
		rank := func(l line) int {
			if l.status.needsReason() {
				return 0
			}
			return 1 + slices.Index(statusOrder, l.status.kind())
		}
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.file, b.file), cmp.Compare(a.status, b.status),
			slices.Compare(languagesOf[a], languagesOf[b]))
	})
	var text strings.Builder
	group := Status("")
	for _, l := range lines {
		now := l.status.kind()
		if l.status.needsReason() {
			now = "exceptions"
		}
		if now != group {
			fmt.Fprintf(&text, "\n# %s\n", now)
			group = now
		}
		slices.Sort(languagesOf[l])
		var names []string
		for _, language := range languagesOf[l] {
			names = append(names, string(language))
		}
		fmt.Fprintf(&text, "%s %s %s", l.status, strings.Join(names, ","), l.file)
		if l.reason != "" {
			fmt.Fprintf(&text, " -- %s", l.reason)
		}
		text.WriteByte('\n')
	}
	return text.String()
}

// readSample reads the names of the tests in the fixed sample, one a line.
func readSample(file string) (map[string]bool, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	names := map[string]bool{}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if name := strings.TrimSpace(lines.Text()); name != "" && !strings.HasPrefix(name, "#") {
			names[name] = true
		}
	}
	return names, lines.Err()
}
