package advice

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/accscope/accscope/collector/check"
	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/structure"
)

// StaleReads are reads of the host's, by the text of the procedures whose kernels ran, of what a
// kernel changes on the device and nothing brings in between. They are unsure: text tells nothing of
// what pointers point to, and which way a program takes.
func StaleReads(trace *store.Trace) ([]*check.Finding, error) {
	sources, err := report.SourcesOf(trace)
	if err != nil {
		return nil, err
	}
	var list []*check.Finding
	seen := map[string]bool{}
	for row, err := range trace.Rows("finding kernels", "SELECT DISTINCT source_file, line, kernel, function FROM kernels WHERE "+trace.ChosenSQL("process")+" ORDER BY source_file, line, kernel") {
		if err != nil {
			return nil, err
		}
		file, kernel, function := row.ColumnText(0), row.ColumnText(2), row.ColumnText(3)
		t := textAt(sources, file, row.ColumnInt64(1))
		if t == nil || t.directive == nil {
			continue
		}
		p := structure.At(t.procedures, t.directive.Line)
		if p == nil || p.Unread != "" {
			continue
		}
		path := p.Path(t.directive.Line)
		if len(path) == 0 || path[len(path)-1].Kind != structure.Construct || !path[len(path)-1].ACC.Compute() {
			continue
		}
		for name, line := range writtenIn(path[len(path)-1], t.fortran) {
			w := &staleWalk{text: t, procedure: p, name: name}
			if !w.stays(path) || !w.follow(path) || seen[fmt.Sprint(file, w.read, name)] {
				continue
			}
			seen[fmt.Sprint(file, w.read, name)] = true
			at := func(line int) string { return fmt.Sprintf("%s:%d", filepath.Base(file), line) }
			f := &check.Finding{
				Kind: check.StaleOnHost, File: file, Line: int64(w.read), Function: function, Variable: name, Count: 1, Unsure: true,
				What:      fmt.Sprintf("%s is read by the host at %s, by the program's text, and is what it was before the kernel changed it at %s: nothing in between brings it", name, at(w.read), at(line)),
				Change:    fmt.Sprintf("bring it to the host before: update self(%s)", name),
				Instance:  check.Instance{Host: true, Access: "read", File: file, Line: int64(w.read), Queue: -2, Gang: -1},
				Other:     &check.Instance{Access: "write", File: file, Line: int64(line), Kernel: kernel, Queue: -2, Gang: -1, Worker: -1, Lane: -1},
				Directive: sources.Directive(file, int64(t.directive.Line)),
			}
			f.Called = f.Name()
			list = append(list, f)
		}
	}
	slices.SortFunc(list, func(a, b *check.Finding) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Variable, b.Variable))
	})
	return list, nil
}

// writtenIn are the arrays of which a construct's text writes elements, with the line of the first.
func writtenIn(construct *structure.Statement, fortran bool) map[string]int {
	written, own := map[string]int{}, map[string]bool{}
	structure.All(construct.Body, func(s *structure.Statement) bool {
		if s.Kind != structure.Simple {
			return true
		}
		for _, name := range structure.Declared(s.Tokens) {
			own[name] = true
		}
		for at, t := range s.Tokens {
			if structure.IsName(t.Text) && !structure.Member(s.Tokens, at) && subscripted(s.Tokens, at, fortran) && structure.Writes(s.Tokens, at) && written[t.Text] == 0 {
				written[t.Text] = s.First
			}
		}
		return true
	})
	for name := range own {
		delete(written, name)
	}
	return written
}

func subscripted(tokens []structure.Token, at int, fortran bool) bool {
	return at+1 < len(tokens) && (tokens[at+1].Text == "[" || fortran && tokens[at+1].Text == "(")
}

// staleWalk follows what the host does behind a construct up to its first read of a variable.
type staleWalk struct {
	*text
	procedure *structure.Procedure
	name      string
	read      int // its line
}

// lists says whether a clause of these names has the variable.
func (w *staleWalk) lists(s *structure.Statement, names ...string) bool {
	if s.ACC == nil {
		return false
	}
	d := directiveAt(w.sources, w.text.path, int64(s.ACC.Line))
	for i := range d.clauses {
		if c := &d.clauses[i]; slices.Contains(names, strings.ToLower(c.Name)) && d.itemOf(c.Items(), w.name) >= 0 {
			return true
		}
	}
	return false
}

// stays says whether the variable is on the device behind the construct at the end of a path, too.
func (w *staleWalk) stays(path []*structure.Statement) bool {
	construct := path[len(path)-1]
	for _, s := range path[:len(path)-1] {
		if s.Kind == structure.Construct && w.lists(s, append([]string{"present"}, copying...)...) {
			return true
		}
	}
	entered := false
	structure.All(w.procedure.Body, func(s *structure.Statement) bool {
		entered = entered || s.ACC != nil && s.ACC.Name == "enter data" && s.First < construct.First && w.lists(s, copying...)
		return true
	})
	return entered
}

// follow goes from a construct to the end of its procedure. It says whether the host reads the
// variable as it was.
func (w *staleWalk) follow(path []*structure.Statement) bool {
	for i := len(path) - 1; i >= 0; i-- {
		list := w.procedure.Body
		var parent *structure.Statement
		if i > 0 {
			parent = path[i-1]
			list = parent.Body
		}
		at := slices.Index(list, path[i])
		if parent == nil || parent.Kind != structure.Branch {
			if w.all(list[at+1:]) {
				return w.read > 0
			}
		}
		if parent != nil && parent.Kind == structure.Loop && w.all(list[:at]) && w.read > 0 {
			return true
		}
		if parent != nil && parent.Kind == structure.Construct && w.lists(parent, copying...) {
			return false
		}
	}
	return false
}

// all goes through statements one after the other; it says whether the way is at its end.
func (w *staleWalk) all(list []*structure.Statement) bool {
	return slices.ContainsFunc(list, w.statement)
}

func (w *staleWalk) statement(s *structure.Statement) bool {
	switch {
	case s.Kind == structure.Construct && s.ACC.Compute():
		return false
	case s.Kind == structure.Directive:
		return w.lists(s, "self", "host", "device", "delete", "copyout", "copyin")
	case s.Kind == structure.Construct:
		return w.all(s.Body)
	}
	if s.Kind == structure.Simple && (tokens0(s.Tokens) == "return" && !structure.Mentions(s.Tokens, w.name) || tokens0(s.Tokens) == "goto" || tokens0(s.Tokens) == "break") {
		return true
	}
	wrote := false
	for _, at := range structure.Indexes(s.Tokens, w.name) {
		behind := structure.Subscripted(s.Tokens, at)
		switch {
		case !subscripted(s.Tokens, at, w.fortran):
			return true // a pointer, or all of it: what becomes of it is not known
		case !structure.Writes(s.Tokens, at), behind < len(s.Tokens) && s.Tokens[behind].Text != "=":
			w.read = s.First
			return true
		}
		wrote = true
	}
	if s.Kind == structure.Simple {
		return wrote && len(structure.Declared(s.Tokens)) > 0 || !wrote && w.calls(s)
	}
	// Elements that a loop writes are not those that were there.
	if s.Kind == structure.Loop && slices.ContainsFunc(mentions(s.Body, w.name), func(in *structure.Statement) bool {
		all := structure.Indexes(in.Tokens, w.name)
		return structure.Writes(in.Tokens, all[0])
	}) && !slices.ContainsFunc(mentions(s.Body, w.name), func(in *structure.Statement) bool { return len(structure.Indexes(in.Tokens, w.name)) > 1 }) {
		return true
	}
	return w.all(s.Body)
}

// calls says whether a statement calls what may bring the variable: of one that others have, too.
func (w *staleWalk) calls(s *structure.Statement) bool {
	parameters, _ := w.procedure.Parameters()
	if slices.Contains(parameters, w.name) {
		return false
	}
	local := false
	structure.All(w.procedure.Body, func(of *structure.Statement) bool {
		local = local || slices.Contains(structure.Declared(of.Tokens), w.name)
		return true
	})
	if w.fortran {
		local = slices.ContainsFunc(w.lines[w.procedure.First-1:w.procedure.Last], func(line string) bool {
			_, names, is := strings.Cut(line, "::")
			return is && structure.Mentions(structure.Tokens(strings.ToLower(names)), w.name)
		})
	}
	return !local && len(structure.Calls(s.Tokens)) > 0
}
