package rewrite

import (
	"fmt"
	"strings"

	"github.com/accscope/accscope/runtime/source/directive"
)

// rules are what is done with each directive, in this order.
var rules = []rule{
	unknownDirective, pgiClauses, deviceType, deviceDirective, waitDirective, waitClause, selfClause, defaultClause, dataQueues, derivedTypes, pointedMembers, modifierClauses, arrayReductions,
	forcedCollapse, redundantAtomics, gangDimensions, loopSizes, autoLoop, thisPointer, wholeRows, pointerPresent, deviceAddresses, privateSections, atomicCondition, declaredParameters, deviceResident, bindClause, classRoutine, lambdaRoutine, classLoop, repeated, sectionsTwice, elementPointers, components, attached, rows, columns, pointerArrays, pointers, settled,
}

// C rewrites a source of C or C++. The file's name is the one that GCC was given, refused the
// lines of directives that GCC says to have sections that are not contiguous, and copies the
// files to include in place of others.
func C(source, file string, preprocessed *Preprocessed, refused map[int]bool, copies map[string]string, options Options) *Result {
	result := &Result{Text: source}
	if !preprocessed.refusedIn(file, options) && !preprocessed.includes(file, copies) {
		return result
	}
	source = withMacroLines(source, file, preprocessed)
	t := newText(source, file)
	all := t.constructs(file, preprocessed, refused, options)
	mixedBounds(all, options)
	for _, c := range all {
		for _, apply := range rules {
			if apply(&c.construct); c.dropped {
				break
			}
		}
	}
	t.foundPresent(all)
	for _, c := range all {
		sectionsAround(&c.construct, func(name string) bool { return wordAt(c.body, name) >= 0 })
	}
	t.bind(all, preprocessed)
	for _, c := range all {
		for _, n := range c.notes {
			n.File = file
			result.Notes = append(result.Notes, n)
		}
		result.Ranges = result.Ranges || c.ranged()
		if c.changed {
			result.Changed = true
			t.write(c, result, file)
		}
	}
	result.Changed = t.include(preprocessed, copies) || result.Changed
	if preprocessed.times[file] > 1 && result.Changed {
		result.Notes = append(result.Notes, Note{File: file, Line: 1, Column: 1, Severity: Error, Text: "a file with directives that GCC refuses is included more than once"})
	}
	result.Text = t.edited()
	return result
}

// placed is a construct of a text.
type placed struct {
	construct
	index, lastLine int // its lines, from 0
	statement       int // offset of what follows it
	statementEnd    int // 0 where the text does not tell
	depth           int
	following       place
	followingText   string
}

// refusedIn says whether a file has a directive that is to be looked at closer.
func (p *Preprocessed) refusedIn(file string, options Options) bool {
	for at, texts := range p.directives {
		if at.file != file {
			continue
		}
		for _, pragma := range texts {
			c := newConstruct(pragma.text, cLanguage{}, options)
			if c == nil {
				continue
			}
			c.array = func(string) bool { return true }
			c.parameter, c.composite, c.reference = c.array, c.array, c.array
			c.member = func(string, []string) bool { return true }
			c.local = func(string) (bool, bool) { return false, false }
			c.declared = func(string) bool { return false }
			c.inClass = func() bool { return true }
			c.ofFunction = c.inClass
			c.ofMember = c.inClass
			for _, apply := range rules {
				apply(c)
			}
			if c.changed || len(c.notes) > 0 || c.ranged() || sized(c) || c.namesSections() {
				return true
			}
		}
	}
	return false
}

// sized says whether a loop has sizes that a construct around it may have to carry.
func sized(c *construct) bool {
	if !c.loop() {
		return false
	}
	for _, clause := range c.clauses {
		if is(clause, "gang", "worker", "vector") && clause.Has || is(clause, "reduction") {
			return true
		}
	}
	return false
}

// newConstruct reads a directive; nil where there is no name in the text.
func newConstruct(text string, language language, options Options) *construct {
	translated, pgi := fromPGI(text)
	d := directive.Parse("#pragma acc" + translated)
	if d == nil {
		name, _ := directive.Word(text)
		if name == "" {
			return nil
		}
		return &construct{name: name, unknown: true, language: language, text: text, line: 1, column: 1}
	}
	return &construct{
		name: d.Name, arguments: d.Arguments, original: d.Clauses, clauses: append([]directive.Clause(nil), d.Clauses...),
		language: language, cxx: options.CXX, device: options.Device, text: text, line: 1, column: 1, pgi: pgi, pgiBounds: options.PGI,
	}
}

// withMacroLines has the lines whose macros make directives as the preprocessor wrote them.
func withMacroLines(source, file string, p *Preprocessed) string {
	t := newText(source, file)
	for i := 0; i < len(t.places); i++ {
		at := t.places[i]
		if at.file != file || len(p.directives[at]) == 0 {
			continue
		}
		if _, textual := directive.Pragma(t.line(i)); textual {
			continue
		}
		last := t.balanced(i)
		var lines []string
		for k := i; k <= last; k++ {
			for line := range strings.SplitSeq(p.chunks[t.places[k]], "\n") {
				lines = append(lines, fmt.Sprintf("#line %d\n%s", t.places[k].line, line))
			}
		}
		t.replace(t.starts[i], t.end(last), strings.Join(lines, "\n"))
		i = last
	}
	return t.edited()
}

// balanced is the last line that the parentheses opened in a line reach to.
func (t *text) balanced(index int) int {
	depth := 0
	for last := index; last < len(t.starts) && last < index+100; last++ {
		line := t.line(last)
		depth += strings.Count(line, "(") - strings.Count(line, ")")
		if depth <= 0 && !strings.HasSuffix(line, "\\") {
			return last
		}
	}
	return index
}

// constructs are the directives of the text that the preprocessor has left.
func (t *text) constructs(file string, p *Preprocessed, refused map[int]bool, options Options) (all []*placed) {
	used := map[place]int{}
	var open []*placed
	for i := 0; i < len(t.places); i++ {
		written, ok := directive.Pragma(t.line(i))
		at := t.places[i]
		if !ok || at.file != file || used[at] >= len(p.directives[at]) {
			continue
		}
		pragma := p.directives[at][used[at]]
		c := newConstruct(pragma.text, cLanguage{}, options)
		used[at]++
		first := i
		for i+1 < len(t.places) && strings.HasSuffix(t.line(i), "\\") {
			i++
		}
		if c == nil {
			continue
		}
		found := &placed{construct: *c, index: first, lastLine: i}
		found.line, found.text = at.line, written
		for line := first; line <= i; line++ {
			found.noncontiguous = found.noncontiguous || refused[t.places[line].line]
		}
		found.column = len(t.line(first)) - len(written) + 1
		found.statement = len(t.source)
		if i+1 < len(t.starts) {
			found.statement = t.starts[i+1]
			found.following = t.places[i+1]
		}
		start := t.starts[first]
		found.array = func(name string) bool { array, _ := p.scope.at(pragma.offset).declares(name); return array }
		found.parameter = func(name string) bool { _, parameter := p.scope.at(pragma.offset).declares(name); return parameter }
		found.composite = func(name string) bool { return p.scope.at(pragma.offset).composite(name) }
		found.local = func(name string) (local, initialised bool) { return p.scope.at(pragma.offset).local(name) }
		found.member = func(owner string, path []string) bool { return p.scope.at(pragma.offset).member(owner, path) }
		found.reference = func(name string) bool {
			d := p.scope.at(pragma.offset).last(name)
			return d != nil && d.pointer && !d.array
		}
		found.levels = func(name string) string { return p.scope.at(pragma.offset).levels(name) }
		found.declared = func(name string) bool { return p.scope.at(pragma.offset).last(name) != nil }
		found.ofFunction = func() bool { return p.scope.at(pragma.offset).inFunction() }
		found.inClass = func() bool { return p.scope.at(pragma.offset).inClass(true) }
		found.ofMember = func() bool { return p.scope.at(pragma.offset).inClass(false) }
		found.followingText = t.source[found.statement:]
		if found.structured() || found.loop() {
			if end, ok := directive.StatementEnd([]byte(found.followingText)); ok {
				found.statementEnd = found.statement + end
				found.followingText = found.followingText[:end]
			}
		}
		for len(open) > 0 && open[len(open)-1].statementEnd <= start {
			open = open[:len(open)-1]
		}
		if len(open) > 0 {
			found.parent = &open[len(open)-1].construct
		}
		found.depth = len(open)
		found.body = found.followingText
		if found.statementEnd > 0 {
			open = append(open, found)
		}
		all = append(all, found)
	}
	return all
}

// write puts what a construct became in the place of its directive.
func (t *text) write(c *placed, result *Result, file string) {
	here := fmt.Sprintf("#line %d\n", c.line)
	var b strings.Builder
	statements := func(lines []string) {
		for _, line := range lines {
			b.WriteString(here + line + "\n")
		}
	}
	if problem := t.privatise(c); problem != "" {
		result.Notes = append(result.Notes, Note{File: file, Line: c.line, Column: c.column, Severity: Error, Text: problem})
		return
	}
	if problem := t.region(c); problem != "" {
		result.Notes = append(result.Notes, Note{File: file, Line: c.line, Column: c.column, Severity: Error, Text: problem})
		return
	}
	from, to := t.starts[c.index], t.end(c.lastLine)
	opens, ends := len(c.inside)+len(c.ending) > 0, len(c.ending)+len(c.last) > 0
	dropped := c.dropped || c.name == "data" && !c.hasData()
	if !opens && len(c.before)+len(c.after)+len(c.last) == 0 && (!dropped || !c.structured()) {
		written := ""
		if !dropped {
			written = "#pragma acc " + c.String()
		}
		if c.repeated != "" {
			written = "for (long accscope_gang = 0; accscope_gang < " + c.repeated + "; accscope_gang++)\n" + here + written
		}
		t.replace(from, to, written+strings.Repeat("\n", c.lastLine-c.index))
		return
	}
	if c.statementEnd == 0 && c.structured() {
		result.Notes = append(result.Notes, Note{File: file, Line: c.line, Column: c.column, Severity: Error, Text: "the end of the statement that " + c.name + " is about cannot be found"})
		return
	}
	block := c.name != "declare" // which is about the block that it stands in
	if block {
		b.WriteString("{\n")
	}
	statements(c.before)
	if !dropped {
		b.WriteString(here + "#pragma acc " + c.String() + "\n")
	}
	if opens {
		b.WriteString("{\n")
	}
	statements(c.inside)
	statements(c.after)
	if block && !c.structured() {
		b.WriteString("}\n")
	}
	fmt.Fprintf(&b, "#line %d", c.following.line)
	t.replace(from, to, b.String())
	if !c.structured() {
		return
	}
	here = fmt.Sprintf("#line %d\n", t.places[t.index(c.statementEnd-1)].line)
	b.Reset()
	if ends {
		b.WriteString("\n")
	}
	statements(c.ending)
	if opens && ends {
		b.WriteString("}\n")
	} else if opens {
		b.WriteString("} ")
	}
	statements(c.last)
	if ends {
		b.WriteString(here)
	}
	b.WriteString("}")
	t.insert(c.statementEnd, c.depth, b.String())
}

// hasData says whether clauses are left that a data construct is about.
func (c *construct) hasData() bool {
	for _, clause := range c.clauses {
		if is(clause, dataClauses...) {
			return true
		}
	}
	return false
}
