package advice

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/accscope/accscope/collector/check"
	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/structure"
)

// mender writes the change of a finding of accscope check into the sources, where their text says
// what it is: else it refuses.
type mender struct {
	f       *Finding
	of      *check.Finding
	sources *report.Sources
}

// mend gives a finding the edits that mend it, or says why it has none.
func mend(f *Finding, of *check.Finding, sources *report.Sources) {
	m := &mender{f, of, sources}
	switch of.Kind {
	case check.StaleOnHost:
		m.staleOnHost()
	case check.StaleOnDevice:
		m.staleOnDevice()
	case check.Uninitialised:
		m.uninitialised()
	case check.QueueRace:
		m.queueRace()
	case check.Race:
		m.race()
	case check.OutOfBounds:
		m.outOfBounds()
	}
	if len(f.Edits) == 0 {
		f.refuse("what to write depends on what the program means")
	}
	f.texts = map[string]string{}
	for _, e := range f.Edits {
		f.texts[e.File] = sources.Content(e.File)
	}
}

// spot is a line with the statements around it.
type spot struct {
	*text
	line      int
	procedure *structure.Procedure
	path      []*structure.Statement // from the outermost one to the line's
}

// spot finds a line's statements; it refuses where they are not known.
func (m *mender) spot(file string, line int64) *spot {
	t := textAt(m.sources, file, line)
	switch {
	case m.sources.IsChanged(file):
		m.f.refuse("the source was changed after the program ran: record it again")
		return nil
	case t == nil:
		m.f.refuse(t.unwritable())
		return nil
	}
	s := &spot{text: t, line: int(line), procedure: structure.At(t.procedures, int(line))}
	switch {
	case s.procedure == nil:
		m.f.refuse(fmt.Sprintf("the procedure around line %d is not found", line))
		return nil
	case s.procedure.Unread != "":
		m.f.refuse(s.procedure.Name + ": " + s.procedure.Unread)
		return nil
	}
	if s.path = s.procedure.Path(s.line); len(s.path) == 0 {
		m.f.refuse(fmt.Sprintf("nothing is found at line %d", line))
		return nil
	}
	return s
}

// compute is the index in the path of the compute construct around the line; -1: there is none.
func (s *spot) compute() int {
	return slices.IndexFunc(s.path, func(of *structure.Statement) bool { return of.Kind == structure.Construct && of.ACC.Compute() })
}

// kernel is the spot of a kernel's access, whose path is cut behind its construct.
func (m *mender) kernel(i *check.Instance) *spot {
	s := m.spot(i.File, i.Line)
	if s == nil {
		return nil
	}
	at := s.compute()
	if at < 0 {
		m.f.refuse(fmt.Sprintf("line %d is in no compute construct", i.Line))
		return nil
	}
	return &spot{s.text, s.path[at].ACC.Line, s.procedure, s.path[:at+1]}
}

// last is the statement of the line.
func (s *spot) last() *structure.Statement { return s.path[len(s.path)-1] }

// sentinel is that of the directives around.
func (s *spot) sentinel() string {
	for _, of := range slices.Backward(s.path) {
		if of.ACC != nil {
			return of.ACC.Sentinel
		}
	}
	if s.fortran {
		return "!$acc"
	}
	return "#pragma acc"
}

// insert puts a directive before or behind one of the statements around the line.
func (m *mender) insert(s *spot, at int, behind bool, made *written) {
	of := s.path[at]
	// The one statement of a loop or a condition gets braces.
	braces := !s.fortran && at > 0 && of.Alone && of.Kind != structure.Block && (s.path[at-1].Kind == structure.Branch || s.path[at-1].Kind == structure.Loop) && s.path[at-1].Body[0].Kind != structure.Directive
	if why := placeable(s.procedure, s.path[:at], of); why != "" && !braces {
		m.f.refuse(strings.Replace(why, "the loop", "the statement", 1))
		return
	}
	t := *s.text
	if t.directive == nil { // whose blanks new ones have
		for _, around := range slices.Backward(s.path) {
			if around.ACC != nil {
				t.directive = around.ACC
				break
			}
		}
	}
	lines, err := t.layout(made, t.indentAt(of.First))
	if err != nil {
		m.f.refuse(err.Error())
		return
	}
	var before, after []string
	if behind {
		after = lines
	} else {
		before = lines
	}
	if braces {
		before, after = append([]string{t.indent(of.First) + "{"}, before...), append(after, t.indent(of.First)+"}")
	}
	m.f.Edits = append(m.f.Edits, t.frame(s.path[:at], of, before, after)...)
}

// mappedBy is a directive that puts the finding's variable on the device.
type mappedBy struct {
	*written
	line         int
	clause, item string
	structured   bool // it begins a construct, at whose end the data go
}

// mapping finds it: it is around the spot, or in the same procedure where the trace says so.
// Nil: neither is seen.
func (m *mender) mapping(s *spot) *mappedBy {
	var found *mappedBy
	for _, of := range s.path {
		if of.Kind != structure.Construct {
			continue
		}
		made := m.maps(s, of.ACC.Line)
		if made == nil {
			continue
		}
		made.structured = true
		if found == nil || m.of.Mapped.Line >= int64(of.ACC.Line) && m.of.Mapped.Line <= int64(of.ACC.Last) {
			found = made
		}
	}
	if at := m.of.Mapped; found == nil && at.File == s.text.path && structure.At(s.procedures, int(at.Line)) == s.procedure {
		found = m.maps(s, int(at.Line))
	}
	return found
}

// maps is the directive at a line, if a clause of it maps the variable.
func (m *mender) maps(s *spot, line int) *mappedBy {
	d := directiveAt(m.sources, s.text.path, int64(line))
	for i := range d.clauses {
		c := &d.clauses[i]
		if clause := strings.ToLower(c.Name); slices.Contains(copying, clause) {
			items := c.Items()
			if at := d.itemOf(items, m.of.Variable); at >= 0 {
				return &mappedBy{written: d, line: line, clause: c.Name, item: items[at]}
			}
		}
	}
	return nil
}

// become has the variable in another clause of a directive, in which it is in one of these.
func (m *mender) become(d *written, clause, item string, from ...string) {
	made := d.clone()
	made.take(m.of.Variable, from...)
	made.add(clause, item)
	d.write(m.f, made)
}

// whole is the part of the variable that is on the device, as a clause in the spot's procedure has
// it; "" where it is not known, and refuses.
func (m *mender) whole(s *spot) string {
	if found := m.mapping(s); found != nil {
		return found.item
	}
	if s.fortran && !path(m.of.Variable) {
		return m.of.Variable
	}
	declared := false
	structure.All(s.procedure.Body, func(of *structure.Statement) bool {
		for _, at := range structure.Indexes(of.Tokens, m.of.Variable) {
			declared = declared || slices.Contains(structure.Declared(of.Tokens), m.of.Variable) && (at+1 < len(of.Tokens) && of.Tokens[at+1].Text == "[") && !structure.Writes(of.Tokens, at)
		}
		return true
	})
	if declared {
		return m.of.Variable
	}
	m.f.refuse(fmt.Sprintf("no directive of %s says which part of %s is on the device", s.procedure.Name, m.of.Variable))
	return ""
}

// waits gives an update, before which the queue of a construct is to have ended, its clause; at the
// construct itself the queue is as it says, elsewhere it has to be a number.
func waits(made *written, construct *structure.Statement, there bool) *written {
	for i := range construct.ACC.Clauses {
		c := &construct.ACC.Clauses[i]
		if !strings.EqualFold(c.Name, "async") {
			continue
		}
		queue := c.Arguments
		if _, err := strconv.Atoi(strings.TrimSpace(queue)); err != nil && !there {
			queue = ""
		}
		made.add("wait", queue)
	}
	return made
}

// update is an update directive.
func (s *spot) update(clause, item string) *written {
	made := &written{sentinel: s.sentinel(), name: "update"}
	made.add(clause, item)
	return made
}

// widened has an update of a part of the variable, between two lines, move the whole of it.
func (m *mender) widened(s *spot, from, to int, whole string, clauses ...string) bool {
	done := false
	structure.All(s.procedure.Body, func(of *structure.Statement) bool {
		if done || of.ACC == nil || of.ACC.Name != "update" || of.First <= from || of.Last >= to {
			return true
		}
		d := directiveAt(m.sources, s.text.path, int64(of.First))
		for i := range d.clauses {
			c := &d.clauses[i]
			if !slices.Contains(clauses, strings.ToLower(c.Name)) {
				continue
			}
			if items := c.Items(); d.itemOf(items, m.of.Variable) >= 0 {
				m.become(d, c.Name, whole, c.Name)
				done = true
				return false
			}
		}
		return true
	})
	return done
}

// element is the element that a statement uses, as a section; "" where it is not one alone, or another
// one each time around a loop.
func (m *mender) element(s *spot) string {
	tokens := s.last().Tokens
	all := structure.Indexes(tokens, m.of.Variable)
	if s.last().Kind != structure.Simple || len(all) != 1 || all[0]+1 >= len(tokens) {
		return ""
	}
	open := tokens[all[0]+1].Text
	parts := structure.Parts(tokens, all[0]+1)
	behind := structure.Subscripted(tokens, all[0])
	if open != "[" && (open != "(" || !s.fortran) || len(parts) != 1 || behind < len(tokens) && tokens[behind].Text == "[" {
		return ""
	}
	index := ""
	for n, t := range parts[0] {
		if structure.IsName(t.Text) {
			for _, of := range s.path {
				if of.Kind == structure.Loop && structure.Mentions(of.Tokens, t.Text) {
					return ""
				}
			}
			if n > 0 && structure.IsName(parts[0][n-1].Text) {
				index += " "
			}
		}
		index += t.Text
	}
	if s.fortran {
		return fmt.Sprintf("%s(%s:%s)", m.of.Variable, index, index)
	}
	return fmt.Sprintf("%s[%s:1]", m.of.Variable, index)
}

// parting is how many statements are around both of two spots.
func parting(a, b *spot) (n int) {
	for n < len(a.path) && n < len(b.path) && a.path[n] == b.path[n] {
		n++
	}
	return n
}

// nextTo says whether a spot is in the procedure of another one, with a statement of its own there
// before, or behind, that of the other one; at is its index.
func (s *spot) nextTo(other *spot, before bool) (at int, is bool) {
	if s == nil || s.text.path != other.text.path || s.procedure != other.procedure {
		return 0, false
	}
	at = parting(s, other)
	if at >= len(s.path) || at >= len(other.path) {
		return 0, false
	}
	if before {
		return at, s.path[at].Last < other.path[at].First
	}
	return at, s.path[at].First > other.path[at].Last
}
