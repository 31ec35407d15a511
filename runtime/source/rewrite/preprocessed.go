package rewrite

import (
	"strconv"
	"strings"

	"github.com/accscope/accscope/runtime/source/directive"
)

// place is a line of a file as the preprocessor counts.
type place struct {
	file string
	line int
}

// Preprocessed is what gcc -E made of a source: the directives that are left after
// conditional compilation, with their macros expanded.
type Preprocessed struct {
	directives map[place][]pragma
	chunks     map[place]string // what a line became
	files      []string         // that have directives, in order
	included   map[place]string // the file that an include in a line is of
	times      map[string]int   // how often a file is included
	scope      scope            // of the output
}

// pragma is a directive in the preprocessor's output.
type pragma struct {
	text   string // behind "#pragma acc"
	offset int    // where it stands in the output
}

// ReadPreprocessed reads the output of gcc -E -fopenacc.
func ReadPreprocessed(output string) *Preprocessed {
	p := &Preprocessed{directives: map[place][]pragma{}, chunks: map[place]string{}, included: map[place]string{}, times: map[string]int{}, scope: scope{text: output}}
	at, offset := place{}, 0
	var entered []string
	seen := map[string]bool{}
	for line := range strings.Lines(output) {
		begin := offset
		offset += len(line)
		line = strings.TrimSuffix(line, "\n")
		if marked, flag, ok := lineMarker(line); ok {
			if at = marked; flag == "1" {
				entered = append(entered, at.file)
				p.times[at.file]++
			} else if flag == "2" && len(entered) > 0 {
				p.included[place{at.file, at.line - 1}] = entered[len(entered)-1]
				entered = entered[:len(entered)-1]
			}
			continue
		}
		if text, ok := directive.Pragma(line); ok {
			p.directives[at] = append(p.directives[at], pragma{text, begin})
			if !seen[at.file] {
				seen[at.file] = true
				p.files = append(p.files, at.file)
			}
		}
		if before, ok := p.chunks[at]; ok {
			line = before + "\n" + line
		}
		p.chunks[at] = line
		at.line++
	}
	return p
}

// lineMarker reads the line "# 12 "file" 1" that the preprocessor writes. The flag is 1 where
// a file begins, and 2 behind an include.
func lineMarker(line string) (at place, flag string, ok bool) {
	rest, ok := strings.CutPrefix(line, "# ")
	if !ok {
		return at, "", false
	}
	flags := strings.Fields(rest[strings.LastIndexByte(rest, '"')+1:])
	if len(flags) > 0 {
		flag = flags[0]
	}
	at, ok = numberAndFile(rest)
	return at, flag, ok
}

// numberAndFile reads what stands behind #line.
func numberAndFile(text string) (at place, ok bool) {
	text = strings.TrimSpace(text)
	digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
	number, err := strconv.Atoi(text[:digits])
	if err != nil {
		return at, false
	}
	rest := strings.TrimSpace(text[digits:])
	if quoted, err := strconv.QuotedPrefix(rest); err == nil {
		if at.file, err = strconv.Unquote(quoted); err != nil {
			return at, false
		}
	}
	at.line = number
	return at, true
}
