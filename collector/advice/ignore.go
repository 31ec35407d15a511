package advice

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// IgnoreFile is the name of a file that lists what is not to be told.
const IgnoreFile = ".accscope-ignore"

// Name is what a finding is called from one run to the next, whatever its line: the rule, the
// file's name and the function.
func (f *Finding) Name() string {
	name := f.Rule + "@"
	if f.File != "" {
		name += filepath.Base(f.File)
	}
	if f.Function != "" {
		name += ":" + f.Function
	}
	return name
}

// Pattern chooses findings by their names: RULE@FILE:FUNCTION, or a begin of it. * stands for
// any text in a part; a file may be given with folders.
type Pattern struct{ rule, file, function string }

// ParsePattern reads a pattern.
func ParsePattern(text string) (Pattern, error) {
	rule, place, _ := strings.Cut(text, "@")
	file, function, _ := strings.Cut(place, ":")
	p := Pattern{rule, file, function}
	if !slices.ContainsFunc(names(), func(name string) bool { return wild(rule, name) }) {
		return p, fmt.Errorf("%q: there is no rule %q; there are %s (want RULE@FILE:FUNCTION)", text, rule, strings.Join(names(), ", "))
	}
	return p, nil
}

// wild says whether a text is what a pattern with stars stands for.
func wild(pattern, text string) bool {
	first, rest, star := strings.Cut(pattern, "*")
	if !star {
		return pattern == text
	}
	text, begins := strings.CutPrefix(text, first)
	if !begins {
		return false
	}
	for i := 0; i <= len(text); i++ {
		if wild(rest, text[i:]) {
			return true
		}
	}
	return false
}

// Covers says whether a finding is one of those chosen.
func (p Pattern) Covers(f *Finding) bool {
	file := f.File == "" && p.file == "" || p.file == "" && p.function == "" || wild(p.file, filepath.Base(f.File)) ||
		strings.Contains(p.file, "/") && (wild(p.file, f.File) || wild("*/"+p.file, f.File))
	return wild(p.rule, f.Rule) && file && (p.function == "" || wild(p.function, f.Function))
}

// ReadIgnored reads a file of patterns, one in each line; # begins a comment. A file that is not
// there has none.
func ReadIgnored(file string) ([]Pattern, error) {
	opened, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	var patterns []Pattern
	lines := bufio.NewScanner(opened)
	for number := 1; lines.Scan(); number++ {
		text, _, _ := strings.Cut(lines.Text(), "#")
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		p, err := ParsePattern(text)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, number, err)
		}
		patterns = append(patterns, p)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return patterns, nil
}

// Ignore leaves out the findings that a pattern covers, and says how many.
func Ignore(findings []*Finding, patterns []Pattern) (left []*Finding, ignored int) {
	left = slices.DeleteFunc(slices.Clone(findings), func(f *Finding) bool {
		return slices.ContainsFunc(patterns, func(p Pattern) bool { return p.Covers(f) })
	})
	return left, len(findings) - len(left)
}
