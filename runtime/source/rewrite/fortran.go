package rewrite

import (
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/accscope/accscope/runtime/source/directive"
)

// fortranText is a source of Fortran while it is written anew.
type fortranText struct {
	lines    []string
	places   []place  // of the lines
	code     []string // the lines as they are compiled
	named    []string // these, with OpenACC's names of directives
	fixed    bool
	file     string
	ahead    [][]string // what comes before a line, from 0, with the place that it has
	replaced map[int][]string
	until    map[int]int  // the last line of what is replaced
	returns  map[int]bool // it is the end of an included file
}

// Include finds the text of a file that a source of Fortran includes, and the path that GCC
// calls it by. Found says that the name is that path.
type Include func(name string, found bool) (path, text string, ok bool)

// Fortran rewrites a source of Fortran, in free or fixed form. The file's name is the one that
// GCC was given; preprocessed is nil where GCC's preprocessor does not see the source.
func Fortran(source, file string, fixed bool, preprocessed *Preprocessed, include Include, options Options) *Result {
	result := &Result{Text: source}
	name := "f.f90"
	if fixed {
		name = "f.f"
	}
	t := &fortranText{lines: strings.Split(source, "\n"), places: newText(source, file).places, fixed: fixed, file: file, replaced: map[int][]string{}, until: map[int]int{}, returns: map[int]bool{}}
	t.compiled(preprocessed, options)
	t.named = fromPGILines(t.code, fixed)
	found := directive.Of([]byte(strings.Join(t.named, "\n")), name)
	t.ahead = make([][]string, len(t.lines)+1)
	all, ends := t.constructs(found, options)
	for _, c := range all {
		t.concurrent(c)
		t.blockEnd(c)
		t.long(c)
		for _, apply := range rules {
			if apply(&c.construct); c.dropped {
				break
			}
		}
	}
	t.foundPresent(all)
	for _, c := range all {
		sectionsAround(&c.construct, func(name string) bool { return t.uses(c, name) })
	}
	t.bind(all)
	t.allocatables(all)
	for _, c := range all {
		for _, n := range c.notes {
			n.File = file
			result.Notes = append(result.Notes, n)
		}
		if c.changed {
			result.Changed = true
			if problem := t.write(c, ends[c.d]); problem != "" {
				result.Notes = append(result.Notes, Note{File: file, Line: c.line, Column: c.column, Severity: Error, Text: problem})
			}
		}
	}
	t.include(result, preprocessed, include, options)
	if result.Changed {
		result.Text = t.written()
	}
	return result
}

// compiled finds the lines as GCC compiles them: what its preprocessor made of each, nothing of
// one that a condition leaves out, and what stands behind OpenMP's conditional compilation
// sentinels where it counts.
func (t *fortranText) compiled(p *Preprocessed, options Options) {
	t.code = slices.Clone(t.lines)
	for i, line := range t.code {
		if p != nil && i < len(t.places) {
			if chunk := p.chunks[t.places[i]]; !strings.Contains(chunk, "\n") { // more than one line has that place
				line = chunk
			}
		}
		if match := conditional[t.fixed].FindStringSubmatchIndex(line); match != nil && options.OpenMP {
			line = line[:match[2]] + "  " + line[match[3]:]
		}
		t.code[i] = line
	}
}

// conditional are OpenMP's conditional compilation sentinels, in free and in fixed form.
var conditional = map[bool]*regexp.Regexp{
	false: regexp.MustCompile(`^[ \t]*(!\$)[ \t]`),
	true:  regexp.MustCompile(`^([!cC*]\$)[ 0-9]{3}`),
}

var includeLine = regexp.MustCompile(`(?i)^\s*(#?)\s*include\s*['"]([^'"]+)['"]`)

// include puts the text of included files in the place of lines that include them, where it
// has directives that are rewritten.
func (t *fortranText) include(result *Result, p *Preprocessed, include Include, options Options) {
	for i := range t.places {
		line, name, byPreprocessor := t.code[i], "", false
		if p != nil {
			name, byPreprocessor = p.included[t.places[i]]
		}
		if byPreprocessor {
			line = t.lines[i]
		}
		match := includeLine.FindStringSubmatch(line)
		if match == nil || byPreprocessor != (match[1] == "#" && p != nil) {
			continue
		}
		seen := p
		if !byPreprocessor {
			name, seen = match[2], nil
		} else if p.times[name] > 1 {
			seen = nil // its lines are not told apart
		}
		path, text, ok := include(name, byPreprocessor)
		if !ok || path == t.file {
			continue
		}
		included := Fortran(text, path, t.fixed, seen, include, options)
		result.Notes = append(result.Notes, included.Notes...)
		if included.Changed {
			t.replaced[i] = []string{fmt.Sprintf("# 1 %q 1", path), strings.TrimSuffix(included.Text, "\n")}
			t.until[i], t.returns[i] = i, true
			result.Changed = true
		}
	}
}

// inFortran is a construct of a source of Fortran.
type inFortran struct {
	construct
	d     *directive.Directive
	end   int  // the line, from 1, that its statement ends in; 0 where the text does not tell
	ended bool // by a directive, in that line
	block bool // it ends with a block, and without a directive
}

// constructs are the directives of the text, and the directives that end them.
func (t *fortranText) constructs(found map[int]*directive.Directive, options Options) (all []*inFortran, ends map[*directive.Directive]*directive.Directive) {
	var lines []int
	for line, d := range found {
		if d.Line == line {
			lines = append(lines, line)
		}
	}
	sort.Ints(lines)
	ends = map[*directive.Directive]*directive.Directive{}
	var open []*inFortran
	for _, line := range lines {
		d := found[line]
		if strings.HasPrefix(d.Name, "end ") {
			for _, c := range all {
				if c.d.End == d.Last && c.ended {
					ends[c.d] = d
				}
			}
			continue
		}
		c := &inFortran{d: d, construct: construct{
			name: d.Name, arguments: d.Arguments, original: d.Clauses, clauses: append([]directive.Clause(nil), d.Clauses...),
			language: fortranLanguage{}, device: options.Device, line: line, text: t.lines[line-1], column: 1,
			pgi: t.code[line-1] != t.named[line-1],
		}}
		before := func() string { return strings.Join(t.code[:line-1], "\n") }
		if c.name == "routine" {
			c.body = before()
		}
		c.array = func(name string) bool { return declaresFortranArray(before(), name) }
		c.parameter = func(name string) bool { return declaresFortranPointer(before(), name) } // of which an array is none
		c.dynamic = func(item string) bool { return t.dynamic(item) }
		c.derived = func(name string) (bool, bool) { return t.derived(line-1, name) }
		c.composite = func(name string) bool { return declaresDerivedType(before(), name) }
		for len(open) > 0 && open[len(open)-1].end < line {
			open = open[:len(open)-1]
		}
		if len(open) > 0 {
			c.parent = &open[len(open)-1].construct
		}
		if c.structured() && d.End > 0 {
			c.end, c.ended = d.End, true
		} else if c.structured() || c.loop() {
			c.end = t.statementEnd(d.Last)
		}
		if c.end > 0 {
			open = append(open, c)
		}
		all = append(all, c)
	}
	return all, ends
}

var (
	doStatement    = regexp.MustCompile(`^(?:\w+\s*:\s*)?do\b\s*(\d+)?`)
	endDo          = regexp.MustCompile(`^(?:\d+\s+)?end\s*do\b`)
	blockStatement = regexp.MustCompile(`^(?:\w+\s*:\s*)?block\s*$`)
	endBlock       = regexp.MustCompile(`^(?:\d+\s+)?end\s*block\b`)
	label          = regexp.MustCompile(`^\d+`)
	endAtomic      = regexp.MustCompile(`(?i)^\s*[!c*]\$acc\s+end\s*atomic\b`)
)

// statementEnd is the line, from 1, in which the loop or block construct ends that follows a
// line; 0 where none follows.
func (t *fortranText) statementEnd(line int) int {
	var open []string // "do", a label, or "block"
	for ; line < len(t.code); line++ {
		text, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(t.code[line])), "!")
		if text == "" || text[0] == '#' || t.comment(line) {
			continue
		}
		switch match := doStatement.FindStringSubmatch(text); {
		case match != nil && match[1] != "":
			open = append(open, match[1])
		case match != nil:
			open = append(open, "do")
		case blockStatement.MatchString(strings.TrimSpace(text)):
			open = append(open, "block")
		case endDo.MatchString(text) || endBlock.MatchString(text):
			if len(open) > 0 {
				open = open[:len(open)-1]
			}
		default:
			if number := label.FindString(text); number != "" {
				for len(open) > 0 && open[len(open)-1] == number {
					open = open[:len(open)-1]
				}
			}
		}
		if len(open) == 0 {
			if doStatement.MatchString(text) || endDo.MatchString(text) || endBlock.MatchString(text) || label.MatchString(text) {
				return line + 1
			}
			return 0
		}
	}
	return 0
}

// write puts what a construct became in the place of its directive.
func (t *fortranText) write(c *inFortran, end *directive.Directive) (problem string) {
	dropped := c.dropped || c.name == "data" && !c.hasData()
	if c.repeated != "" {
		line := c.d.Last
		for line+1 < len(t.code) && t.stated(line) == "" {
			line++
		}
		_, last := t.statement(line)
		if c.end = last + 1; c.end < len(t.code) && endAtomic.MatchString(t.code[c.end]) {
			c.end++
		}
		c.before = append(c.before, "block", "integer(8) :: accscope_gang", "do accscope_gang = 1, "+c.repeated)
		c.last = append([]string{"end do", "end block"}, c.last...)
	}
	lines := append([]string{}, c.before...)
	if !dropped {
		lines = append(lines, "!$acc "+c.String())
	}
	lines = append(append(lines, c.inside...), c.after...)
	if len(lines) == 0 {
		lines = []string{"!"}
	}
	t.put(c.d, lines)
	behind := append([]string{}, c.last...)
	if !c.structured() && len(behind) == 0 {
		return ""
	}
	if c.ended && end != nil {
		lines = append(lines[:0:0], c.ending...)
		if !dropped {
			lines = append(lines, "!$acc "+end.Name)
		}
		lines = append(lines, behind...)
		if dropped || len(lines) > 1 || c.pgi {
			if len(lines) == 0 {
				lines = []string{"!"}
			}
			t.put(end, lines)
		}
		return ""
	}
	if c.block && !dropped {
		behind = append([]string{"!$acc end " + c.name}, behind...)
	}
	if len(c.ending)+len(behind) == 0 {
		return ""
	}
	if c.end == 0 {
		return "the end of the statement that " + c.name + " is about cannot be found"
	}
	t.ahead[c.end] = append(t.placed(append(append([]string{}, c.ending...), behind...), c.end), t.ahead[c.end]...)
	return ""
}

// put has lines in the place of a directive. Conditions of the preprocessor among its lines
// stay, ahead of them.
func (t *fortranText) put(d *directive.Directive, lines []string) {
	var conditions []string
	for i := d.Line - 1; i < d.Last; i++ {
		if strings.HasPrefix(strings.TrimLeft(t.lines[i], " \t"), "#") {
			conditions = append(conditions, t.lines[i])
		}
	}
	t.replaced[d.Line-1], t.until[d.Line-1] = append(conditions, t.placed(lines, d.Line)...), d.Last-1
}

// long has a directive be folded of which a line is longer than GCC takes by default.
func (t *fortranText) long(c *inFortran) {
	for line := c.d.Line - 1; line < c.d.Last && !t.fixed; line++ {
		if len(strings.TrimRight(t.code[line], " \t\r")) > 132 {
			c.say("", "the directive is folded: GCC takes lines of 132 columns")
			return
		}
	}
}

// placed are lines of directives and statements as the form has them, each at the same line
// of the source.
func (t *fortranText) placed(lines []string, line int) (written []string) {
	for _, text := range lines {
		written = append(written, t.marker(line-1))
		written = append(written, t.folded(text)...)
	}
	return written
}

// marker says where a line, from 0, comes from.
func (t *fortranText) marker(index int) string {
	if index >= len(t.places) {
		return fmt.Sprintf("# %d %q", index+1, t.file)
	}
	return fmt.Sprintf("# %d %q", t.places[index].line, t.places[index].file)
}

// folded breaks a line where the form allows no longer one.
func (t *fortranText) folded(text string) (lines []string) {
	first, next, width := "", "&", 120
	if rest, ok := strings.CutPrefix(text, "!$acc "); ok {
		first, next, text = "!$acc ", "!$acc& ", rest
	} else if t.fixed {
		first, next = "      ", "     &"
	}
	if t.fixed {
		width = 71 - len(next)
	}
	for len(text) > width {
		at := strings.LastIndexAny(text[:width], " ,)(")
		if at <= 0 {
			at = width - 1
		}
		line := first + text[:at+1]
		if !t.fixed {
			line += "&"
		}
		lines, text, first = append(lines, line), text[at+1:], next
	}
	return append(lines, first+text)
}

// written is the source with what replaces its lines.
func (t *fortranText) written() string {
	var out []string
	for i := 0; i < len(t.lines); i++ {
		if len(t.ahead[i]) > 0 {
			out = append(append(out, t.ahead[i]...), t.marker(i))
		}
		if lines, ok := t.replaced[i]; ok {
			out = append(out, lines...)
			marker := t.marker(t.until[i] + 1)
			if t.returns[i] {
				marker += " 2"
			}
			i = t.until[i]
			out = append(out, marker)
			continue
		}
		out = append(out, t.lines[i])
	}
	out = append(out, t.ahead[len(t.lines)]...)
	return strings.Join(out, "\n")
}
