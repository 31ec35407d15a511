package advice

import (
	"fmt"
	"strings"

	"github.com/accscope/accscope/collector/patch"
	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/structure"
	"github.com/accscope/accscope/runtime/source/directive"
)

// text is the source around a directive, for changes of it.
type text struct {
	path       string
	lines      []string
	directive  *directive.Directive // nil: not known
	procedures []*structure.Procedure
	fortran    bool
	fixed      bool
	sources    *report.Sources
	defined    map[string][]structure.Token // macros, once they are asked for
	arrays     map[string]bool              // that Fortran declares, once they are asked for
	file       *fileText                    // nil until it is asked for
}

// textAt is the source around a line; nil where it is not at hand.
func textAt(sources *report.Sources, path string, line int64) *text {
	if path == "" || line < 1 || sources.Content(path) == "" {
		return nil
	}
	t := &text{path: path, lines: sources.Lines(path), directive: sources.Parsed(path, line), procedures: sources.Procedures(path), sources: sources}
	t.fortran, t.fixed = directive.Fortran(path)
	return t
}

// known is the directive at a line of the file; nil where none is.
func (t *text) known(line int) *directive.Directive { return t.sources.Parsed(t.path, int64(line)) }

// indent is the blanks that a line begins with.
func (t *text) indent(line int) string {
	text := t.lines[line-1]
	return text[:len(text)-len(strings.TrimLeft(text, " \t"))]
}

// indentAt is the blanks before a directive that is put before a line: those of the line, but
// none where the file's directives begin in the first column.
func (t *text) indentAt(line int) string {
	if t.directive != nil && t.indent(t.directive.Line) == "" {
		return ""
	}
	return t.indent(line)
}

// The columns that a line has at most: of what is written here in C, and what Fortran's forms
// allow.
const (
	columnsC     = 100
	columnsFree  = 132
	columnsFixed = 72
)

// layout writes a directive, in lines behind an indentation; an error where its words do not
// fit.
func (t *text) layout(d *written, indent string) ([]string, error) {
	begin, next, end, most := indent+d.sentinel, indent+"    ", " \\", columnsC
	switch {
	case t.fixed:
		begin, next, end, most = d.sentinel, d.sentinel+"&", "", columnsFixed
	case t.fortran:
		next, end, most = indent+d.sentinel, " &", columnsFree
	}
	var lines []string
	line := begin
	for _, word := range d.words() {
		if line != begin && line != next && len(line)+1+len(word)+len(end) > most {
			lines = append(lines, line+end)
			line = next
		}
		if !strings.HasSuffix(line, " ") {
			line += " "
		}
		line += word
		if len(line)+len(end) > most && t.fortran {
			return nil, fmt.Errorf("%s does not fit into a line", word)
		}
	}
	return append(lines, line), nil
}

// words are what a directive's text may be broken between: its name, clauses, and of a clause's
// items the first with the clause's name and each other one.
func (d *written) words() []string {
	words := []string{d.name}
	for i := range d.clauses {
		c := &d.clauses[i]
		if !c.Has {
			words = append(words, c.Name)
			continue
		}
		items := c.Items()
		for i, item := range items {
			if i == 0 {
				item = c.Name + "(" + item
			}
			if i < len(items)-1 {
				item += ","
			} else {
				item += ")"
			}
			words = append(words, item)
		}
	}
	return words
}

// unwritable says why the directive's own lines cannot be changed; "" where they can.
func (t *text) unwritable() string {
	switch {
	case t == nil:
		return "the source is not at hand as it was when the program was compiled"
	case t.directive == nil:
		return "no directive is at the line"
	}
	d := t.directive
	if strings.Contains(t.lines[d.Line-1], "_Pragma") {
		return "the directive is in a _Pragma, which a macro may make"
	}
	for line := d.Line; line <= d.Last; line++ {
		text := t.lines[line-1]
		if t.fortran {
			_, text, _ = strings.Cut(text, "$")
			if strings.Contains(text, "!") {
				return "comments stand in the directive"
			}
		} else if strings.Contains(text, "//") || strings.Contains(text, "/*") {
			return "comments stand in the directive"
		}
	}
	return ""
}

// write has the finding replace the directive by another one, and gives its text.
func (d *written) write(f *Finding, other *written) string {
	return d.writeAll(f, []*written{other})[0]
}

// writeAll has the finding replace the directive by others, and gives their texts.
func (d *written) writeAll(f *Finding, others []*written) (texts []string) {
	for _, other := range others {
		texts = append(texts, other.String())
	}
	if why := d.source.unwritable(); why != "" {
		f.refuse(why)
		return texts
	}
	at := d.source.directive
	var lines []string
	for _, other := range others {
		more, err := d.source.layout(other, d.source.indent(at.Line))
		if err != nil {
			f.refuse(err.Error())
			return texts
		}
		lines = append(lines, more...)
	}
	f.Edits = append(f.Edits, patch.Edit{File: d.source.path, First: at.Line, Last: at.Last, Text: lines})
	return texts
}

// remove has the finding delete the directive, which no statement belongs to.
func (d *written) remove(f *Finding) string {
	const words = "leave the directive out"
	if why := d.source.unwritable(); why != "" && (d.source == nil || d.source.directive == nil) {
		f.refuse(why)
		return words
	}
	at := d.source.directive
	switch construct := at.Construct(); {
	case at.Compute(), construct == "data", construct == "host_data", strings.Contains(d.source.lines[at.Line-1], "_Pragma"):
		f.refuse("the directive begins a construct")
	default:
		f.Edits = append(f.Edits, patch.Edit{File: d.source.path, First: at.Line, Last: at.Last})
	}
	return words
}

// refuse notes why there is no patch of the finding.
func (f *Finding) refuse(why string) {
	f.Edits = nil
	if f.NoPatch == "" {
		f.NoPatch = why
	}
}

// unwritten says why there is no patch of a finding whose rule has written none.
func (d *written) unwritten() string {
	if d.source == nil {
		return d.source.unwritable()
	}
	return "what to write depends on what the program means"
}
