package report

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"strings"
	"time"
	"unicode"

	"github.com/accscope/accscope/collector/store"
)

// placeKey is a place of the source: a line of a file, or a function where the
// file is not known.
type placeKey struct {
	file     string
	line     int64
	function string
}

// placeNames counts the files that have a name, to tell those apart that share
// one.
type placeNames map[string]map[string]bool

func (n placeNames) add(p placeKey) {
	name := short(p.file)
	if n[name] == nil {
		n[name] = map[string]bool{}
	}
	n[name][p.file] = true
}

// of names a place by its file's name, or by its path if other files have that
// name.
func (n placeNames) of(p placeKey) string {
	s := site{file: p.file, line: p.line, function: p.function}
	place, ok := s.place().(string)
	switch {
	case !ok:
		return "(unknown)"
	case p.file != "" && len(n[short(p.file)]) > 1:
		return strings.TrimSuffix(p.file, short(p.file)) + place
	}
	return place
}

// sourceLimit is the size up to which a source file is read, and codeWidth how
// much of a directive is shown.
const (
	sourceLimit = 16 << 20
	codeWidth   = 72
)

// Sources are the program's source files, as far as they are at hand and have
// not been changed since the trace was recorded.
type Sources struct {
	recorded time.Time // zero: not known
	files    map[string][]string
}

// SourcesOf are those of the programs of a trace.
func SourcesOf(trace *store.Trace) (*Sources, error) {
	meta, err := trace.Meta()
	if err != nil {
		return nil, err
	}
	s := &Sources{}
	if meta.Realtime != 0 {
		s.recorded = time.Unix(0, meta.Realtime)
	}
	return s, nil
}

// directive is what Directive gives, shortened for a table; nil for nothing.
func (s *Sources) directive(path string, line int64) any {
	text := s.Directive(path, line)
	if text == "" {
		return nil
	}
	return cut(text, codeWidth)
}

// Directive is the text of the directive or call at a line, its continuation
// lines joined; "" where it can't be told. A trace may name any file, so no
// line is shown that has nothing to do with OpenACC.
func (s *Sources) Directive(path string, line int64) string {
	lines := s.Lines(path)
	if line < 1 || line > int64(len(lines)) {
		return ""
	}
	text := strings.TrimSpace(lines[line-1])
	for next := int(line); next < len(lines); next++ {
		begin, more := continued(text)
		if !more {
			break
		}
		text = begin + " " + strings.TrimSpace(continuation(lines[next]))
	}
	if !strings.Contains(strings.ToLower(text), "acc") {
		return ""
	}
	return printable(strings.Join(strings.Fields(text), " "))
}

// continued says whether a line goes on in the next one: with a backslash in C,
// in a Fortran directive with an ampersand.
func continued(text string) (begin string, more bool) {
	if begin, more = strings.CutSuffix(text, "\\"); more {
		return begin, true
	}
	if strings.HasPrefix(text, "!") {
		return strings.CutSuffix(text, "&")
	}
	return text, false
}

// continuation is a continuation line without a Fortran directive's sentinel.
func continuation(line string) string {
	line = strings.TrimSpace(line)
	if len(line) >= 5 && strings.EqualFold(line[:5], "!$acc") {
		line = strings.TrimSpace(line[5:])
		line = strings.TrimPrefix(line, "&")
	}
	return line
}

func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, text)
}

// Lines reads a source file, once; nil where it is not at hand.
func (s *Sources) Lines(path string) []string {
	if lines, known := s.files[path]; known {
		return lines
	}
	lines := s.read(path)
	if s.files == nil {
		s.files = map[string][]string{}
	}
	s.files[path] = lines
	return lines
}

func (s *Sources) read(path string) []string {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > sourceLimit {
		return nil
	}
	if !s.recorded.IsZero() && info.ModTime().After(s.recorded) {
		return nil // its lines may be others by now
	}
	file, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, sourceLimit))
	if err != nil || bytes.IndexByte(content, 0) >= 0 {
		return nil
	}
	var lines []string
	scanner := bufio.NewScanner(bytes.NewReader(content))
	scanner.Buffer(nil, sourceLimit+1)
	for scanner.Scan() {
		lines = append(lines, scanner.Text())
	}
	return lines
}
