package advice

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/accscope/accscope/collector/check"
	"github.com/accscope/accscope/collector/structure"
	"github.com/accscope/accscope/runtime/source/directive"
)

// queueRace has the later one of two operations, or the host, wait for the queue of the other one.
func (m *mender) queueRace() {
	first, second := m.of.Other, &m.of.Instance
	switch {
	case first == nil:
		return
	case second.Host:
		m.hostWaits(first, second)
		return
	case first.Enqueued > second.Enqueued:
		first, second = second, first
	}
	before := m.operation(first)
	s := m.operation(second)
	if before == nil || s == nil {
		return
	}
	made := directiveAt(m.sources, s.text.path, int64(s.line))
	queue := before.queue()
	switch d := s.last().ACC; {
	case d == nil:
		m.f.refuse(fmt.Sprintf("no directive is at line %d", s.line))
	case d.Construct() == "data" && second.Access == "download":
		region := s.last()
		lines, err := s.layout(waitFor(s, queue), s.indentAt(region.First))
		if err != nil {
			m.f.refuse(err.Error())
			return
		}
		s.atEnd(m.f, region, lines)
	case d.Compute() || d.Name == "update" || d.Name == "enter data" || d.Name == "exit data":
		other := made.clone()
		if slices.ContainsFunc(other.clauses, func(c directive.Clause) bool { return strings.EqualFold(c.Name, "wait") && !c.Has }) {
			m.f.refuse(fmt.Sprintf("line %d waits for all queues", s.line))
			return
		}
		if queue == "" {
			other.without("wait")
		}
		other.add("wait", queue)
		made.write(m.f, other)
	default:
		m.insert(s, len(s.path)-1, false, waitFor(s, queue))
	}
}

// hostWaits has the host wait before it uses what a transfer reads or writes.
func (m *mender) hostWaits(first, second *check.Instance) {
	transfer, use := m.operation(first), m.spot(second.File, second.Line)
	if transfer == nil || use == nil {
		return
	}
	made := waitFor(transfer, transfer.queue())
	if at, behind := use.nextTo(transfer, false); behind {
		m.insert(use, at, false, made)
	} else {
		m.insert(transfer, len(transfer.path)-1, true, made)
	}
}

// operation is the spot of a kernel's construct, or of a transfer's directive.
func (m *mender) operation(i *check.Instance) *spot {
	if i.Gang >= 0 || i.Kernel != "" {
		return m.kernel(i)
	}
	s := m.spot(i.File, i.Line)
	if s != nil && s.last().ACC == nil {
		m.f.refuse(fmt.Sprintf("no directive is at line %d", i.Line))
		return nil
	}
	return s
}

// queue is the number of the queue that an operation's directive puts it onto; "" where that is not a
// number: who waits then waits for all.
func (s *spot) queue() string {
	for i := range s.last().ACC.Clauses {
		c := &s.last().ACC.Clauses[i]
		if number := strings.TrimSpace(c.Arguments); strings.EqualFold(c.Name, "async") {
			if _, err := strconv.Atoi(number); err == nil {
				return number
			}
		}
	}
	return ""
}

// waitFor is a wait directive.
func waitFor(s *spot, queue string) *written {
	made := &written{sentinel: s.sentinel(), name: "wait"}
	if queue != "" {
		made.name += "(" + queue + ")"
	}
	return made
}

// race writes the clause or the directive that the finding's words name.
func (m *mender) race() {
	if m.of.Clause == "" {
		return
	}
	s := m.spot(m.of.Instance.File, m.of.Instance.Line)
	if s == nil {
		return
	}
	if s.compute() < 0 {
		m.f.refuse(fmt.Sprintf("line %d is in no compute construct", s.line))
		return
	}
	switch m.of.Clause {
	case "reduction":
		m.reduce(s)
	case "private":
		m.private(s)
	case "atomic":
		m.atomic(s)
	}
}

// divided are the lines of the directives that divide the loops around a spot among lanes, from the
// outermost one, each with its loop's place in the path.
type divided struct {
	line, at int
}

func (s *spot) divided() (list []divided) {
	first := s.compute()
	for at := first; at < len(s.path); at++ {
		of := s.path[at]
		if of.Kind == structure.Construct && of.ACC.Compute() && strings.HasSuffix(of.ACC.Name, " loop") {
			list = append(list, divided{of.ACC.Line, at})
		}
		if of.Kind != structure.Loop || at == first {
			continue
		}
		siblings := s.path[at-1].Body
		for n := slices.Index(siblings, of) - 1; n >= 0 && siblings[n].Kind == structure.Directive; n-- {
			if d := siblings[n].ACC; d != nil && d.Name == "loop" && !slices.ContainsFunc(d.Clauses, func(c directive.Clause) bool { return strings.EqualFold(c.Name, "seq") }) {
				list = append(list, divided{d.Line, at})
			}
		}
	}
	return list
}

// scalar says whether a statement names the variable as one value: no element of it, and nothing
// that it points to.
func (m *mender) scalar(of *structure.Statement) bool {
	all := structure.Indexes(of.Tokens, m.of.Variable)
	for _, at := range all {
		if at+1 < len(of.Tokens) && slices.Contains([]string{"[", "(", "->"}, of.Tokens[at+1].Text) {
			return false
		}
		if at > 0 && of.Tokens[at-1].Text == "*" && (at == 1 || !structure.IsName(of.Tokens[at-2].Text) && of.Tokens[at-2].Text != ")" && of.Tokens[at-2].Text != "]") {
			return false
		}
	}
	return len(all) > 0
}

func (m *mender) reduce(s *spot) {
	if !m.scalar(s.last()) {
		m.f.refuse("what is reduced is a part of something")
		return
	}
	for _, loop := range s.divided() {
		inside := false
		for _, of := range s.path[loop.at:] { // of what is declared in it each iteration has its own
			for _, in := range of.Body {
				inside = inside || in.Kind == structure.Simple && slices.Contains(structure.Declared(in.Tokens), m.of.Variable)
			}
		}
		if inside {
			continue
		}
		d := directiveAt(m.sources, s.text.path, int64(loop.line))
		made := d.clone()
		made.clauses = append(made.clauses, directive.Clause{Name: "reduction", Arguments: m.of.Operator + ":" + m.of.Variable, Has: true})
		d.write(m.f, made)
	}
	if len(m.f.Edits) == 0 {
		m.f.refuse("no loop directive is around the statement")
	}
}

// private gives each iteration a variable of its own, where it writes it before it reads it, and
// nobody reads it behind the construct.
func (m *mender) private(s *spot) {
	const depends = "whether each iteration has a value of its own, or all have one, depends on what the program means"
	construct := s.path[s.compute()]
	local := slices.ContainsFunc(s.lines[s.procedure.First-1:s.procedure.Last], func(line string) bool {
		_, names, is := strings.Cut(line, "::")
		return s.fortran && is && structure.Mentions(structure.Tokens(strings.ToLower(names)), m.of.Variable)
	})
	parameters, _ := s.procedure.Parameters()
	elsewhere := slices.Contains(parameters, m.of.Variable)
	structure.All(s.procedure.Body, func(of *structure.Statement) bool {
		if of == construct {
			return false
		}
		declares := slices.Contains(structure.Declared(of.Tokens), m.of.Variable)
		local = local || declares
		if of.Kind != structure.Construct && !declares && structure.Mentions(of.Tokens, m.of.Variable) {
			// What is written before is not what iterations that write it themselves read.
			at := structure.Indexes(of.Tokens, m.of.Variable)
			elsewhere = elsewhere || of.First > construct.First || len(at) != 1 || !structure.Writes(of.Tokens, at[0])
		}
		return true
	})
	var loop *divided
	for _, d := range s.divided() {
		if all := mentions(construct.Body, m.of.Variable); !slices.ContainsFunc(all, func(of *structure.Statement) bool {
			return of.First < s.path[d.at].First || of.Last > s.path[d.at].Last
		}) {
			loop = &d
		}
	}
	switch {
	case !local || elsewhere || loop == nil:
		m.f.refuse(depends)
		return
	case !m.writtenFirst(s.path[loop.at]):
		m.f.refuse(depends)
		return
	}
	d := directiveAt(m.sources, s.text.path, int64(loop.line))
	made := d.clone()
	made.take(m.of.Variable, copying...)
	made.add("private", m.of.Variable)
	d.write(m.f, made)
}

// mentions are the statements that have a name, those within others, too.
func mentions(list []*structure.Statement, name string) (all []*structure.Statement) {
	structure.All(list, func(of *structure.Statement) bool {
		if of.Kind != structure.Construct && of.Kind != structure.Directive && structure.Mentions(of.Tokens, name) {
			all = append(all, of)
		}
		return true
	})
	return all
}

// writtenFirst says whether the first statement of a loop that has the variable assigns to it, whatever
// it was, in each iteration.
func (m *mender) writtenFirst(loop *structure.Statement) bool {
	first := mentions(loop.Body, m.of.Variable)
	if len(first) == 0 || first[0].Kind != structure.Simple {
		return false
	}
	tokens := first[0].Tokens
	all := structure.Indexes(tokens, m.of.Variable)
	behind := structure.Subscripted(tokens, all[0])
	branched := false
	structure.Paths(loop.Body, func(path []*structure.Statement) {
		if path[len(path)-1] == first[0] {
			branched = slices.ContainsFunc(path, func(of *structure.Statement) bool { return of.Kind == structure.Branch })
		}
	})
	return len(all) == 1 && !branched && behind < len(tokens) && tokens[behind].Text == "="
}

// atomic has a statement change, or read, the variable atomically.
func (m *mender) atomic(s *spot) {
	i := &m.of.Instance
	if i.Access == "atomic" && m.of.Other != nil {
		if i = m.of.Other; i.Access == "atomic" {
			return
		}
		if s = m.spot(i.File, i.Line); s == nil {
			return
		}
	}
	of := s.last()
	all := structure.Indexes(of.Tokens, m.of.Variable)
	if of.Kind != structure.Simple || !of.Alone || len(all) == 0 {
		m.f.refuse(fmt.Sprintf("line %d is no statement alone", s.line))
		return
	}
	behind := structure.Subscripted(of.Tokens, all[0])
	operator := ""
	if behind < len(of.Tokens) {
		operator = of.Tokens[behind].Text
	}
	kind := ""
	switch {
	case all[0] == 0 && len(all) == 1 && operator != "=" && structure.Assigns(operator), all[0] == 0 && len(all) == 2 && operator == "=":
		kind = "update"
	case all[0] == 0 && len(all) == 1 && operator == "=":
		kind = "write"
	case len(all) == 1 && all[0] > 1 && of.Tokens[all[0]-1].Text == "=" && (operator == ";" || operator == "") && slices.IndexFunc(of.Tokens, func(t structure.Token) bool { return t.Text == "=" }) == all[0]-1 && !structure.Member(of.Tokens, all[0]) && len(structure.Declared(of.Tokens)) == 0:
		kind = "read"
	default:
		m.f.refuse("the statement is none that an atomic directive may have")
		return
	}
	t := *s.text
	t.directive = s.path[max(s.compute(), 0)].ACC
	lines, err := t.layout(&written{sentinel: s.sentinel(), name: "atomic " + kind}, t.indentAt(of.First))
	if err != nil {
		m.f.refuse(err.Error())
		return
	}
	m.f.Edits = append(m.f.Edits, insertion(s.text.path, of.First, lines))
}
