package report

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/accscope/accscope/collector/lookup"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/structure"
	"github.com/accscope/accscope/runtime/source/directive"
)

// placeKey is a place of the source: a line of a file, or a function where the
// file is not known.
type placeKey struct {
	file     string
	line     int64
	function string
	program  string // where the file is not known: functions of several may have one name
}

// placeNames counts the files that have a name, to tell those apart that share
// one.
type placeNames map[string]map[string]bool

func (n placeNames) add(p placeKey) {
	name := short(p.file)
	lookup.Make(n, name, func() map[string]bool { return map[string]bool{} })[p.file] = true
}

// of names a place by its file's name, or by its path if other files have that
// name.
func (n placeNames) of(p placeKey) string {
	place := ShowPlace(p.file, p.line, p.function)
	switch {
	case place == "":
		return "(unknown)"
	case p.file != "" && len(n[short(p.file)]) > 1:
		return strings.TrimSuffix(p.file, short(p.file)) + place
	}
	return place
}

// codeWidth is how much of a directive is shown.
const codeWidth = 72

// Sources are the program's source files, as far as they are at hand and have
// not been changed since the trace was recorded: by their content, where the trace
// has its hash, else by their age. Of those that have, the trace knows the directives.
type Sources struct {
	recorded time.Time // zero: not known
	noted    *store.Meta
	files    map[string]*sourceFile
}

// sourceFile is what a source file holds; empty where it is not at hand.
type sourceFile struct {
	content    string
	lines      []string
	directives map[int]*directive.Directive // by each of their lines
	procedures []*structure.Procedure       // once they are asked for
	read       bool
	changed    bool // it is there, and another one than when the program ran
}

// SourcesOf are those of the programs of a trace.
func SourcesOf(trace *store.Trace) (*Sources, error) {
	meta, err := trace.Meta()
	if err != nil {
		return nil, err
	}
	recorded := time.Time{}
	if meta.Realtime != 0 {
		recorded = time.Unix(0, meta.Realtime)
	}
	s := SourcesAt(recorded)
	s.noted = &meta
	return s, nil
}

// Changed are the source files that are others than when the program ran, in order.
func (s *Sources) Changed() (list []string) {
	for path := range s.noted.Sources {
		if s.file(path).changed {
			list = append(list, path)
		}
	}
	slices.Sort(list)
	return list
}

// IsChanged says whether a source file is another one than when the program ran.
func (s *Sources) IsChanged(path string) bool { return s.file(path).changed }

// LoopAround is the line of the loop around a directive of a source file that is not at hand, as
// the trace has it; 0 where it has none.
func (s *Sources) LoopAround(path string, line int64) int {
	number, _, _ := strings.Cut(s.noted.Loops[store.PlaceText(path, int32(line))], " ")
	at, err := strconv.Atoi(number)
	if err != nil {
		return 0 // none is noted
	}
	return at
}

// SourcesAt are those of programs that were recorded at a time; zero: it is not known.
func SourcesAt(recorded time.Time) *Sources {
	return &Sources{recorded: recorded, noted: &store.Meta{}, files: map[string]*sourceFile{}}
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
	file := s.file(path)
	if text := s.noted.Directives[store.PlaceText(path, int32(line))]; text != "" && file.content == "" {
		return printable(text)
	}
	if d := file.directives[int(line)]; d != nil {
		return printable(d.Text())
	}
	if line < 1 || line > int64(len(file.lines)) || !strings.Contains(strings.ToLower(file.lines[line-1]), "acc") {
		return ""
	}
	return printable(strings.Join(strings.Fields(file.lines[line-1]), " "))
}

func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, text)
}

// Lines gives a source file's lines; none where it is not at hand.
func (s *Sources) Lines(path string) []string { return s.file(path).lines }

// Content gives a source file's text; "" where it is not at hand.
func (s *Sources) Content(path string) string { return s.file(path).content }

// Parsed gives the directive at a line of a source file; nil where none is or the file is
// not at hand.
func (s *Sources) Parsed(path string, line int64) *directive.Directive {
	return s.file(path).directives[int(line)]
}

// Procedures gives those of a source file; none where it is not at hand.
func (s *Sources) Procedures(path string) []*structure.Procedure {
	file := s.file(path)
	if !file.read {
		file.read = true
		file.procedures = structure.Of([]byte(file.content), path)
	}
	return file.procedures
}

// file reads a source file, once.
func (s *Sources) file(path string) *sourceFile {
	return lookup.Make(s.files, path, func() *sourceFile {
		recorded, hash := s.recorded, s.noted.Sources[path]
		if hash != "" {
			recorded = time.Time{} // its content says whether it is the same
		}
		content := directive.ReadSource(path, recorded)
		if content == nil || hash != "" && store.SourceHash(content) != hash {
			return &sourceFile{changed: content != nil}
		}
		return &sourceFile{content: string(content), lines: strings.Split(strings.TrimSuffix(string(content), "\n"), "\n"), directives: directive.Of(content, path)}
	})
}
