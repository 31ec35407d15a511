package directive

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"
)

// sourceLimit is the size, in bytes, up to which a file of the source is read.
const sourceLimit = 16 << 20

// At is the directive, of those of a file by their lines, that a call at a line belongs to,
// in a function from one line to another; compute tells that of a compute construct from
// any other. A line without a directive of its own has that of the compute construct around
// it, whose first statement it may be, or else the first declare directive of its Fortran
// procedure: GCC gives the call that enters the procedure's data some line beside it.
func At(known map[int]*Directive, path string, line, functionLine, functionEnd int, compute bool) *Directive {
	fortran, _ := Fortran(path)
	switch d := known[line]; {
	case d != nil && d.Compute() == compute:
		return d
	case d != nil || functionLine <= 0:
	case compute:
		for before := line - 1; before >= functionLine; before-- {
			if d := known[before]; d.Compute() && d.End >= line {
				return d
			}
		}
	case fortran:
		for line := functionLine; line <= functionEnd; line++ {
			if d := known[line]; d != nil && d.Name == "declare" {
				return d
			}
		}
	}
	return nil
}

// Read gives the directives of a source file by each of their lines; none of a file that
// ReadSource does not give.
func Read(path string, made time.Time) map[int]*Directive {
	content := ReadSource(path, made)
	if content == nil {
		return nil
	}
	if fortran, _ := Fortran(path); fortran {
		return Of(content, path)
	}
	return cDirectives(content, headersOf(content, path, made)...)
}

// ReadSource gives the content of a source file: nil of one that is not at hand or no
// text, or that is newer than what was made of it; with the zero time, of any age.
func ReadSource(path string, made time.Time) []byte {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a name may be that of anything by now
	if err != nil {
		return nil
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() > sourceLimit || !made.IsZero() && info.ModTime().After(made) {
		return nil
	}
	content, err := io.ReadAll(io.LimitReader(file, sourceLimit))
	if err != nil || bytes.IndexByte(content, 0) >= 0 {
		return nil
	}
	return content
}

// Of gives the directives of a source file's content by each of their lines. The path
// tells the language.
func Of(content []byte, path string) map[int]*Directive {
	if fortran, fixed := Fortran(path); fortran {
		return fortranDirectives(content, fixed)
	}
	return cDirectives(content)
}

// Fortran says whether a file holds Fortran, and in which form, as gfortran tells
// from its name.
func Fortran(path string) (fortran, fixed bool) {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".f", ".for", ".ftn", ".f77", ".fpp":
		return true, true
	case ".f90", ".f95", ".f03", ".f08":
		return true, false
	}
	return false, false
}

// found is the directives of a file as they are collected.
type found map[int]*Directive

// add takes in a directive with the lines it stands on, from 1.
func (f found) add(sentinel, text string, first, last int) *Directive {
	d := parse(sentinel, text)
	if d == nil {
		return nil
	}
	d.Line, d.Last = first, last
	for line := first; line <= last; line++ {
		f[line] = d
	}
	return d
}

// pragmaSentinel is that of C and C++, however its words are put apart.
const pragmaSentinel = "#pragma acc"

var blockComment = regexp.MustCompile(`/\*.*?\*/`)

var pragmaOperator = regexp.MustCompile(`\b_Pragma\s*\(\s*"\s*acc\b((?:[^"\\]|\\.)*)"\s*\)`)

func cDirectives(content []byte, headers ...[]byte) map[int]*Directive {
	directives := found{}
	lines := strings.Split(string(content), "\n")
	macros, uses := macrosOf(content, headers)
	offset := 0 // of the line
	comment := false
	for i := 0; i < len(lines); i++ {
		first, at := i, offset
		within := comment
		comment = inComment(lines[i], comment)
		line := strings.TrimSuffix(lines[i], "\r")
		offset += len(lines[i]) + 1
		if within {
			continue
		}
		if trimmed := strings.TrimLeft(line, " \t"); uses != nil && !strings.HasPrefix(trimmed, "#") && !strings.HasPrefix(trimmed, "%:") {
			all := uses.FindAllStringIndex(line, 2)
			if len(all) == 1 {
				behind, m := at+all[0][1], macros[line[all[0][0]:all[0][1]]]
				if text, length, ok := m.used(string(content[behind:])); ok {
					last := first + bytes.Count(content[at:behind+length], []byte("\n"))
					if d := directives.add(pragmaSentinel, text, first+1, last+1); d != nil {
						d.End = constructEnd(d, content[behind+length:], last+1)
					}
				}
			}
			if all != nil {
				continue
			}
		}
		if strings.Contains(line, "_Pragma") {
			if all := pragmaOperator.FindAllStringSubmatchIndex(line, 2); len(all) == 1 {
				if d := directives.add(pragmaSentinel, line[all[0][2]:all[0][3]], first+1, first+1); d != nil {
					d.End = constructEnd(d, content[at+all[0][1]:], first+1)
				}
			}
			continue
		}
		text, ok := Pragma(line)
		if !ok {
			continue
		}
		for i+1 < len(lines) && (strings.HasSuffix(text, "\\") || comment) {
			i++
			offset += len(lines[i]) + 1
			text = strings.TrimSuffix(text, "\\") + " " + strings.TrimSuffix(lines[i], "\r")
			comment = inComment(lines[i], comment)
		}
		text, _, _ = strings.Cut(blockComment.ReplaceAllString(text, " "), "//")
		if d := directives.add(pragmaSentinel, text, first+1, i+1); d != nil {
			d.End = constructEnd(d, content[min(offset, len(content)):], i+2)
		}
	}
	directives.place(content, false, false)
	return directives
}

// inComment says whether a line ends inside of a comment that goes on in the next one, where it
// begins in one or not.
func inComment(line string, begins bool) bool {
	for line != "" {
		if begins {
			_, behind, ends := strings.Cut(line, "*/")
			if !ends {
				return true
			}
			line, begins = behind, false
		}
		at := strings.IndexAny(line, "\"'/")
		switch {
		case at < 0, strings.HasPrefix(line[at:], "//"):
			return false
		case strings.HasPrefix(line[at:], "/*"):
			line, begins = line[at+2:], true
		case line[at] == '/':
			line = line[at+1:]
		default: // a literal
			s := statement{text: []byte(line[at:])}
			s.next()
			line = string(s.text)
		}
	}
	return begins
}

// Pragma is what stands behind "#pragma acc" on a line.
func Pragma(line string) (text string, ok bool) {
	if text, ok = strings.CutPrefix(strings.TrimLeft(line, " \t"), "#"); !ok {
		text, ok = strings.CutPrefix(strings.TrimLeft(line, " \t"), "%:") // the same to C
	}
	for _, wanted := range []string{"pragma", "acc"} {
		var name string
		if name, text = Word(text); !ok || name != wanted {
			return "", false
		}
	}
	return text, true
}

// constructEnd is the last line of what a directive does: of the construct whose statement is in
// text, which begins in a line, or of itself; 0 where that cannot be told.
func constructEnd(d *Directive, text []byte, line int) int {
	switch {
	case d.structured():
		return statementEnd(text, line)
	case standalone[d.Name]:
		return d.Last
	}
	return 0
}

func fortranDirectives(content []byte, fixed bool) map[int]*Directive {
	directives := found{}
	var open []*Directive
	lines := strings.Split(string(content), "\n")
	for i := 0; i < len(lines); i++ {
		sentinel, text, _, ok := fortranSentinel(lines[i], fixed)
		if !ok {
			continue
		}
		first, last := i, i
		text, more := fortranText(text)
		for next := i + 1; next < len(lines) && (more || fixed); next++ {
			_, behind, continues, ok := fortranSentinel(lines[next], fixed)
			if !ok && comment(lines[next], fixed) {
				continue
			}
			if !ok || fixed && !continues {
				break
			}
			last = next
			behind, goesOn := fortranText(behind)
			if behind = strings.TrimLeft(behind, " \t"); behind == "" {
				more = more || goesOn // a comment, or nothing
				continue
			}
			if more = goesOn; !strings.HasPrefix(behind, "&") {
				text += " " // else a word may go on
			}
			text += strings.TrimPrefix(behind, "&")
		}
		i = last
		d := directives.add(sentinel, text, first+1, last+1)
		if d != nil {
			d.cut = more
		}
		switch {
		case d == nil:
		case strings.HasPrefix(d.Name, "end "):
			// Directives of loops need no end, and have none where another one ends.
			name := strings.TrimPrefix(d.Name, "end ")
			for n := len(open) - 1; n >= 0; n-- {
				if open[n].Name == name || open[n].Construct() == name {
					open[n].End = last + 1
					open = open[:n]
					break
				}
			}
		case d.structured():
			open = append(open, d)
		case standalone[d.Name]:
			d.End = last + 1
		}
	}
	directives.place(content, true, fixed)
	return directives
}

// fortranSentinel is a line's OpenACC sentinel and what stands behind it. continues: it
// goes on with the directive of the line before, which in free form the line before says.
func fortranSentinel(line string, fixed bool) (sentinel, text string, continues, ok bool) {
	if !fixed {
		line = strings.TrimLeft(line, " \t")
	}
	if len(line) < 5 || !strings.EqualFold(line[1:5], "$acc") || !strings.Contains("!", line[:1]) && !(fixed && strings.Contains("cC*", line[:1])) {
		return "", "", false, false
	}
	sentinel = line[:5]
	switch line = strings.TrimSuffix(line[5:], "\r"); {
	case line == "":
		return sentinel, "", false, true
	case fixed:
		return sentinel, line[1:], line[0] != ' ' && line[0] != '0' && line[0] != '\t', true
	case IsNameByte(line[0]):
		return "", "", false, false // !$accelerate
	}
	return sentinel, line, false, true
}

// fortranText is a directive's line without its comment and its mark that another line
// follows.
func fortranText(text string) (begin string, more bool) {
	text, _, _ = strings.Cut(text, "!")
	return strings.CutSuffix(strings.TrimRight(text, " \t\r"), "&")
}

// comment says whether a line of Fortran may stand between those of a directive.
func comment(line string, fixed bool) bool {
	text := strings.TrimSpace(line)
	return text == "" || text[0] == '!' || fixed && strings.Contains("cC*", line[:1])
}
