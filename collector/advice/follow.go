package advice

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/structure"
	"github.com/accscope/accscope/runtime/source/directive"
)

// follow goes the ways that a program may take behind the constructs of a row, by its text: to
// each use of the device that comes first. The trace shows those of one run; where another way
// leads to one that the row's patch does not wait at, why says which.
type follow struct {
	sources *report.Sources
	files   []string // that the trace names
	row     map[constructPlace]*queuedConstruct
	waits   map[rowEnd]bool // by place and kind, with own unset
	through map[*structure.Procedure]bool
	behind  map[*structure.Statement]bool // calls
	jumped  bool                          // a jump has been passed
	why     string
}

// missed says what may use the device behind a row, with no wait for the row before it; "" where
// nothing does.
func (r *kernelRow) missed() string {
	w := &follow{sources: r.sources, files: r.files, row: map[constructPlace]*queuedConstruct{}, waits: map[rowEnd]bool{},
		through: map[*structure.Procedure]bool{}, behind: map[*structure.Statement]bool{}}
	for _, c := range r.constructs {
		w.row[w.place(c.file, int(c.line))] = c
		for e := range c.ends {
			if !e.own && !c.waits {
				kind := ""
				if e.what == endOfData {
					kind = endOfData
				}
				w.waits[rowEnd{what: kind, at: w.place(e.at.file, int(e.at.line))}] = true
			}
		}
	}
	for _, c := range r.constructs {
		line := int(w.place(c.file, int(c.line)).line)
		p := structure.At(r.sources.Procedures(c.file), line)
		if p == nil || p.Unread != "" {
			return fmt.Sprintf("the procedure around line %d is not read", line)
		}
		path := p.Path(line)
		if len(path) == 0 || path[len(path)-1].Kind != structure.Construct {
			return fmt.Sprintf("no construct is found at line %d", line)
		}
		if conditional(path[len(path)-1].ACC) {
			return fmt.Sprintf("the construct at line %d may run on the host", line)
		}
		if !c.waits {
			w.after(c.file, p, path)
		}
	}
	return w.why
}

// conditional says whether a construct has a clause by which it may run on the host.
func conditional(d *directive.Directive) bool {
	return slices.ContainsFunc(d.Clauses, func(c directive.Clause) bool {
		return strings.EqualFold(c.Name, "if") || strings.EqualFold(c.Name, "self")
	})
}

func (w *follow) refuse(format string, values ...any) {
	if w.why == "" {
		w.why = fmt.Sprintf(format, values...)
	}
}

// place is a line, or the first one of the directive there.
func (w *follow) place(file string, line int) constructPlace {
	if d := w.sources.Parsed(file, int64(line)); d != nil {
		line = d.Line
	}
	return constructPlace{file: file, line: int64(line)}
}

// waitsAt says whether the patch waits before a statement.
func (w *follow) waitsAt(file string, s *structure.Statement) bool {
	return w.waits[rowEnd{at: w.place(file, s.First)}]
}

// after goes on behind the last statement of a path through a procedure.
func (w *follow) after(file string, p *structure.Procedure, path []*structure.Statement) {
	before := w.jumped
	w.jumped = false
	defer func() { w.jumped = before }()
	for i := len(path) - 1; i >= 0 && w.why == ""; i-- {
		s, list := path[i], p.Body
		if i > 0 {
			list = path[i-1].Body
		}
		at := slices.Index(list, s)
		rest := list[at+1:]
		if i > 0 && path[i-1].Kind == structure.Branch {
			rest = arm(rest, p.Fortran)
		}
		if w.list(file, p, rest) && !w.jumped {
			return
		}
		if i == 0 {
			break
		}
		switch around := path[i-1]; {
		case around.Kind == structure.Loop:
			w.calls(file, p, around)
			w.list(file, p, list[:at+1])
		case around.Kind == structure.Construct && w.leaves(file, around) && !w.jumped:
			return
		}
	}
	w.callers(p)
}

// arm is what comes of a branch's statements before its next condition: in C each is by itself.
func arm(rest []*structure.Statement, fortran bool) []*structure.Statement {
	if !fortran {
		return nil
	}
	if at := slices.IndexFunc(rest, begins); at >= 0 {
		return rest[:at]
	}
	return rest
}

// begins says whether a statement is where others jump to, or where a branch begins.
func begins(s *structure.Statement) bool {
	first := tokens0(s.Tokens)
	return s.Kind == structure.Simple && (slices.Contains([]string{"case", "default", "else", "elseif", "elsewhere"}, first) || len(s.Tokens) == 2 && s.Tokens[1].Text == ":")
}

// list goes through statements one after the other, and says whether each way through them ends
// at a wait.
func (w *follow) list(file string, p *structure.Procedure, list []*structure.Statement) (stopped bool) {
	for _, s := range list {
		if w.why != "" {
			return false
		}
		if begins(s) {
			stopped = false
		}
		stopped = stopped || w.statement(file, p, s)
	}
	return stopped && !w.jumped
}

// statement goes through a statement.
func (w *follow) statement(file string, p *structure.Procedure, s *structure.Statement) (stopped bool) {
	switch s.Kind {
	case structure.Construct:
		return w.construct(file, p, s)
	case structure.Directive:
		return w.standalone(file, s)
	case structure.Block:
		return w.list(file, p, s.Body)
	case structure.Branch, structure.Loop:
		w.calls(file, p, s)
		for rest := s.Body; len(rest) > 0; {
			n := 1
			if s.Kind == structure.Loop {
				n = len(rest)
			} else if p.Fortran {
				n += len(arm(rest[1:], true))
			}
			w.list(file, p, rest[:n])
			rest = rest[n:]
		}
		return false
	}
	return w.simple(file, p, s)
}

func (w *follow) construct(file string, p *structure.Procedure, s *structure.Statement) (stopped bool) {
	if c := w.row[w.place(file, s.First)]; c != nil {
		return c.waits
	}
	waits := w.waitsAt(file, s)
	switch {
	case s.ACC.Compute() && waits:
		return true
	case !waits && (s.ACC.Compute() || !onlyPresent(s.ACC)):
		w.refuse("the construct at line %d may follow, which it did not in this run", s.First)
		return false
	case waits:
		return true // what is in it is reached behind the wait, or behind a construct of the row in it
	}
	return w.list(file, p, s.Body) || w.leaves(file, s)
}

// leaves goes through the end of a data region, and says whether the patch waits there.
func (w *follow) leaves(file string, s *structure.Statement) (stopped bool) {
	if w.waits[rowEnd{what: endOfData, at: w.place(file, s.First)}] {
		return true
	}
	if !onlyPresent(s.ACC) {
		w.refuse("the data region at line %d may end next, which it did not in this run", s.First)
	}
	return false
}

// onlyPresent says whether a data region does nothing with its data.
func onlyPresent(d *directive.Directive) bool {
	return d.Construct() == "data" && !slices.ContainsFunc(d.Clauses, func(c directive.Clause) bool { return !strings.EqualFold(c.Name, "present") })
}

func (w *follow) standalone(file string, s *structure.Statement) (stopped bool) {
	d := s.ACC
	switch {
	case d == nil && strings.Contains(strings.ToLower(w.sources.Lines(file)[s.First-1]), "omp"):
		w.refuse("OpenMP is at line %d", s.First)
	case d == nil, slices.Contains([]string{"wait", "loop", "cache", "atomic", "routine", "declare"}, d.Construct()), strings.HasPrefix(d.Name, "end "):
		return d != nil && w.waitsAt(file, s)
	case w.waitsAt(file, s):
		return true
	default:
		w.refuse("the %s at line %d may follow, which it did not in this run", d.Name, s.First)
	}
	return false
}

func (w *follow) simple(file string, p *structure.Procedure, s *structure.Statement) (stopped bool) {
	if p.Fortran && slices.ContainsFunc(s.Tokens, func(t structure.Token) bool { return t.Text == "::" }) {
		return false // a declaration
	}
	switch first := tokens0(s.Tokens); first {
	case "return", "break", "continue", "exit", "cycle":
		w.jumped = w.jumped || first != "exit" || p.Fortran
	case "goto", "go", "throw", "longjmp", "co_return", "co_yield", "entry", "asm", "include":
		w.refuse("%s is at line %d", first, s.First)
	}
	if !p.Fortran && len(s.Tokens) == 2 && structure.IsName(s.Tokens[0].Text) && s.Tokens[1].Text == ";" && !slices.Contains([]string{"return", "break", "continue"}, s.Tokens[0].Text) {
		w.refuse("what %s at line %d stands for is not known", s.Tokens[0].Text, s.First)
	}
	return w.calls(file, p, s)
}

// calls goes into what a statement calls, and says whether it ends at a wait in each case.
func (w *follow) calls(file string, p *structure.Procedure, s *structure.Statement) (stopped bool) {
	declared := declaredIn(s)
	for _, call := range structure.Calls(s.Tokens) {
		if w.why != "" {
			return false
		}
		if !slices.Contains(declared, call.Name) {
			stopped = w.call(file, p, s, call) || stopped
		}
	}
	return stopped && !slices.ContainsFunc(s.Tokens, func(t structure.Token) bool { return slices.Contains([]string{"&&", "||", "?"}, t.Text) })
}

func (w *follow) call(file string, p *structure.Procedure, s *structure.Statement, call structure.Call) (stopped bool) {
	t := textAt(w.sources, file, int64(s.First))
	lowered := strings.ToLower(call.Name)
	switch {
	case w.waitsAt(file, s):
		return true
	case call.Method && slices.Contains([]string{"size", "empty", "c_str", "data", "begin", "end"}, call.Name),
		t.pure(call.Name), t.uninvolved(call.Name), t.keepsNothing(call.Name), t.array(call.Name), strings.HasPrefix(lowered, "mpi_"),
		strings.HasPrefix(lowered, "acc_get_"), lowered == "acc_is_present", lowered == "acc_on_device":
		return false
	}
	if macro := t.expanded(call.Name); len(macro) > 0 {
		for _, inner := range structure.Calls(macro) {
			w.call(file, p, s, inner)
		}
		return false
	}
	found, stopped := false, true
	for _, other := range w.files {
		for _, callee := range w.sources.Procedures(other) {
			if callee.Name == call.Name {
				found = true
				stopped = w.into(other, callee) && stopped
			}
		}
	}
	if !found {
		w.refuse("what %s, called at line %d, does with the device is not known", call.Name, s.First)
	}
	return found && stopped
}

// into goes through a procedure, and says whether each way through it ends at a wait.
func (w *follow) into(file string, p *structure.Procedure) (stopped bool) {
	if p.Unread != "" {
		w.refuse("%s: %s", p.Name, p.Unread)
	}
	if stopped, known := w.through[p]; known {
		return stopped
	}
	w.through[p] = false // where it calls itself
	before := w.jumped
	w.jumped = false
	w.through[p] = w.list(file, p, p.Body)
	w.jumped = before
	return w.through[p]
}

// callers goes on behind the calls of a procedure.
func (w *follow) callers(p *structure.Procedure) {
	if isProgram(p) {
		return
	}
	static := slices.ContainsFunc(p.Head, func(t structure.Token) bool { return !p.Fortran && t.Text == "static" })
	found, program := false, static
	for _, file := range w.files {
		for _, caller := range w.sources.Procedures(file) {
			program = program || isProgram(caller)
			if caller.Unread != "" {
				w.refuse("%s, which may call %s: %s", caller.Name, p.Name, caller.Unread)
			}
			structure.Paths(caller.Body, func(path []*structure.Statement) {
				s := path[len(path)-1]
				at := slices.IndexFunc(s.Tokens, func(t structure.Token) bool { return t.Text == p.Name })
				if at < 0 || w.why != "" {
					return
				}
				found = true
				if w.behind[s] {
					return
				}
				w.behind[s] = true
				if !slices.ContainsFunc(structure.Calls(s.Tokens), func(c structure.Call) bool { return c.Name == p.Name }) {
					w.refuse("%s may be called by what line %d makes of it", p.Name, s.First)
				}
				if !w.statement(file, caller, s) || w.jumped || s.Kind != structure.Simple {
					w.after(file, caller, slices.Clone(path))
				}
			})
		}
	}
	if !found || !program {
		w.refuse("what calls %s is not known", cmp.Or(p.Name, "it"))
	}
}

// isProgram says whether a procedure is where a program begins.
func isProgram(p *structure.Procedure) bool {
	return p.Name == "main" || p.Fortran && slices.ContainsFunc(p.Head, func(t structure.Token) bool { return t.Text == "program" })
}
