package main

import (
	"debug/dwarf"
	"debug/elf"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/accscope/accscope/runtime/source/directive"
)

// ignoredLimit is the size, in bytes, up to which debug information, and all sources together,
// are searched for directives that GCC ignored: the program waits.
const ignoredLimit = 16 << 20

// silentlyIgnored are the names of directives that GCC ignores in C and C++ without a word: those
// of OpenACC 3.3 §2.14, and of the PGI Accelerator model.
var silentlyIgnored = []string{"init", "shutdown", "set", "region", "for", "local", "mirror", "reflected"}

// producer is what GCC's debug information says of versions known to ignore them.
var producer = regexp.MustCompile(`^GNU C(\+\+)?[0-9]* 1[2-5]\..* -fopenacc\b`)

// ignoredDirective is a sentence on a directive in the program's sources that GCC compiled nothing
// for, which the wrapper would have: "" where none is known for sure. That is so where the
// source is at hand, no condition of the preprocessor is around the directive, and the program
// has no code of its line.
func ignoredDirective(program string) string {
	made, err := os.Stat(program)
	if err != nil {
		return ""
	}
	file, err := elf.Open(program)
	if err != nil {
		return ""
	}
	defer file.Close()
	libraries, err := file.ImportedLibraries()
	info := file.Section(".debug_info")
	if err != nil || info == nil || info.Size > ignoredLimit || slices.ContainsFunc(libraries, func(name string) bool { return strings.HasPrefix(name, "libopenacc.so") }) {
		return "" // the wrapper links our library
	}
	data, err := file.DWARF()
	if err != nil {
		return ""
	}
	entries := data.Reader()
	for size := 0; size <= ignoredLimit; {
		unit, err := entries.Next()
		if err != nil || unit == nil {
			return ""
		}
		entries.SkipChildren()
		by, _ := unit.Val(dwarf.AttrProducer).(string)
		path, _ := unit.Val(dwarf.AttrName).(string)
		folder, _ := unit.Val(dwarf.AttrCompDir).(string)
		language := producer.FindStringSubmatch(by)
		if language == nil || path == "" {
			continue
		}
		if !filepath.IsAbs(path) {
			path = filepath.Join(folder, path)
		}
		source := directive.ReadSource(path, made.ModTime())
		size += len(source)
		for line, name := range unconditional(string(source)) {
			if coded, known := hasCode(data, unit, path, line); !known || coded {
				continue
			}
			command := map[string]string{"": "cc", "++": "c++"}[language[1]]
			return fmt.Sprintf("GCC ignored #pragma acc %s in %s:%d: accscope %s in place of the compiler compiles it", name, filepath.Base(path), line, command)
		}
	}
	return ""
}

// unconditional gives, by their lines, names of directives that GCC ignores and that no comment
// and no condition of the preprocessor leaves out, but for that on _OPENACC itself.
func unconditional(source string) func(yield func(line int, name string) bool) {
	return func(yield func(line int, name string) bool) {
		if !strings.Contains(source, "acc") || strings.Contains(source, `R"`) { // a literal may hold lines
			return
		}
		var conditions []bool // that may be false
		comment, goesOn := false, false
		number := 0
		for line := range strings.Lines(source) {
			number++
			line = strings.TrimRight(line, "\r\n")
			begun := comment || goesOn
			goesOn = strings.HasSuffix(line, "\\")
			comment = commentAfter(line, comment)
			text, isDirective := strings.CutPrefix(strings.TrimLeft(line, " \t"), "#")
			if begun || !isDirective {
				continue
			}
			word, rest := directive.Word(text)
			switch rest = strings.TrimSpace(rest); word {
			case "if", "ifdef", "ifndef":
				conditions = append(conditions, word+" "+rest != "ifdef _OPENACC")
			case "else", "elif", "elifdef", "elifndef":
				if len(conditions) > 0 {
					conditions[len(conditions)-1] = true
				}
			case "endif":
				conditions = conditions[:max(0, len(conditions)-1)]
			}
			pragma, ok := directive.Pragma(line)
			name, _ := directive.Word(pragma)
			if ok && slices.Contains(silentlyIgnored, name) && !slices.Contains(conditions, true) && !yield(number, name) {
				return
			}
		}
	}
}

// commentAfter says whether a comment is open behind a line of C.
func commentAfter(line string, open bool) bool {
	for i := 0; i < len(line); i++ {
		switch {
		case open && strings.HasPrefix(line[i:], "*/"):
			open, i = false, i+1
		case open:
		case strings.HasPrefix(line[i:], "//"):
			return false
		case strings.HasPrefix(line[i:], "/*"):
			open, i = true, i+1
		case line[i] == '"' || line[i] == '\'':
			for quote := line[i]; i+1 < len(line); {
				if i++; line[i] == quote {
					break
				} else if line[i] == '\\' {
					i++
				}
			}
		}
	}
	return open
}

// hasCode says whether a compilation unit has code of a line of its source, and whether that is
// known.
func hasCode(data *dwarf.Data, unit *dwarf.Entry, path string, line int) (has, known bool) {
	lines, err := data.LineReader(unit)
	if err != nil || lines == nil {
		return false, false
	}
	var row dwarf.LineEntry
	for lines.Next(&row) == nil {
		if row.File == nil || filepath.Base(row.File.Name) != filepath.Base(path) {
			continue
		}
		if known = true; row.Line == line {
			return true, true
		}
	}
	return false, known
}
