package advice

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/accscope/accscope/collector/patch"
	"github.com/accscope/accscope/collector/structure"
)

// framed is a loop of a procedure with the statements around it.
type framed struct {
	procedure *structure.Procedure
	outside   []*structure.Statement
	loop      *structure.Statement
	within    []*structure.Statement // down to the directive, which is the last
}

// loops are those around the directive, the innermost first; why there are none.
func (d *written) loops() (list []framed, why string) {
	t := d.source
	if why := t.unwritable(); why != "" {
		return nil, why
	}
	p := structure.At(t.procedures, t.directive.Line)
	switch {
	case p == nil:
		return nil, "the procedure around the directive is not found"
	case p.Unread != "":
		return nil, p.Name + ": " + p.Unread
	}
	path := p.Path(t.directive.Line)
	for i := len(path) - 1; i >= 0; i-- {
		if path[i].Kind == structure.Loop {
			list = append(list, framed{p, path[:i], path[i], path[i+1:]})
		}
	}
	if len(list) == 0 {
		return nil, "no loop around the directive is in " + p.Name
	}
	return list, ""
}

// always says whether a loop reaches the directive in each turn, as far as nothing leaves it.
func (l *framed) always() bool {
	for _, s := range l.within[:len(l.within)-1] {
		if s.Kind == structure.Branch || s.Kind == structure.Loop {
			return false
		}
	}
	return true
}

// begins says whether a loop's body begins with the directive, so that nothing in it waits before.
func (l *framed) begins() bool {
	body := l.loop.Body
	for _, s := range l.within {
		if len(body) == 0 || body[0] != s {
			return false
		}
		body = s.Body
	}
	return true
}

// constantIn is the outermost loop around an update in which nothing changes a variable, so that
// the update may come before it; why there is none.
func (d *written) constantIn(variable string) (*framed, string) {
	list, why := d.loops()
	if why != "" {
		return nil, why
	}
	if len(d.clauses) > 1 && slices.ContainsFunc(d.words(), func(w string) bool {
		return strings.HasPrefix(w, "if") || strings.HasPrefix(w, "async") || strings.HasPrefix(w, "wait")
	}) {
		return nil, "the update is conditional or on a queue"
	}
	var found *framed
	for i := range list {
		l := &list[i]
		if reason := d.constant(l, variable); reason != "" {
			why = cmp.Or(why, reason)
			break
		}
		found = l
	}
	if found == nil {
		return nil, why
	}
	return found, ""
}

func (d *written) constant(l *framed, variable string) string {
	if why := placeable(l.procedure, l.outside, l.loop); why != "" {
		return why
	}
	if !l.always() {
		return "the update is not reached in each turn"
	}
	u := newUses(d.source, l.procedure, d.itemsOf([]string{variable}), nil)
	own := l.within[len(l.within)-1]
	u.exempt = []*structure.Statement{own}
	u.constant = l.begins()
	u.head(l.loop)
	structure.All(l.loop.Body, u.statement)
	for name, m := range u.mapped {
		switch {
		case u.why != "":
		case m.written:
			u.refuse("a construct in the loop writes %s", name)
		case m.first > 0 && m.first < own.First:
			u.refuse("the construct at line %d uses %s before the update", m.first, name)
		case m.clauses["copy"], m.clauses["copyout"], m.clauses["create"]:
			u.refuse("%s is mapped in the loop", name)
		}
	}
	if len(u.moved) > 0 {
		u.refuse("%s is another pointer in each turn", variable)
	}
	return u.why
}

// moveBefore writes a directive before a loop, and takes the variable out of this one.
func (d *written) moveBefore(f *Finding, l *framed, before *written, clauses ...string) string {
	lines, err := d.source.layout(before, d.source.indentAt(l.loop.First))
	if err != nil {
		f.refuse(err.Error())
	}
	d.withoutUpdate(f, clauses...)
	if len(f.Edits) > 0 && err == nil {
		f.Edits = append(f.Edits, d.source.frame(l.outside, l.loop, lines, nil)...)
	}
	return fmt.Sprintf("before the loop at line %d, not in it: %s", l.loop.First, before)
}

// arrays are the names that constructs in a list of statements use with subscripts, or that
// their clauses name.
func arrays(list []*structure.Statement, fortran bool) []string {
	names := map[string]bool{}
	structure.All(list, func(s *structure.Statement) bool {
		if s.Kind != structure.Construct {
			return true
		}
		for i := range s.ACC.Clauses {
			c := &s.ACC.Clauses[i]
			if slices.Contains(copying, strings.ToLower(c.Name)) || strings.EqualFold(c.Name, "present") {
				for _, item := range c.Items() {
					names[lower(baseName(item), fortran)] = true
				}
			}
		}
		structure.All(s.Body, func(inner *structure.Statement) bool {
			for i := range inner.Tokens {
				subscripted := i+1 < len(inner.Tokens) && (inner.Tokens[i+1].Text == "[" || fortran && inner.Tokens[i+1].Text == "(")
				if name := inner.Tokens[i].Text; subscripted && structure.IsName(name) && !structure.Member(inner.Tokens, i) && (!fortran || !structure.Intrinsic(name, true)) {
					names[name] = true
				}
			}
			return true
		})
		return false
	})
	var sorted []string
	for name := range names {
		sorted = append(sorted, name)
	}
	slices.Sort(sorted)
	return sorted
}

// unordered says why the host may not run ahead of the constructs in a loop: it uses their data,
// or something is in the loop whose order is not known; "" where it may. judge says so of a
// construct.
func (d *written) unorderedIn(l *framed, waits []*written, judge func(*structure.Statement) string) string {
	if why := placeable(l.procedure, l.outside, l.loop); why != "" {
		return why
	}
	var stays []*resident
	own := map[string]bool{} // to the constructs
	structure.All(l.loop.Body, func(s *structure.Statement) bool {
		if s.Kind == structure.Construct && s.ACC.Compute() {
			structure.All(s.Body, func(inner *structure.Statement) bool {
				for _, name := range declaredIn(inner) {
					own[name] = true
				}
				return true
			})
		}
		return true
	})
	for _, name := range arrays(l.loop.Body, l.procedure.Fortran) {
		if !own[name] {
			stays = append(stays, &resident{name: name, item: name})
		}
	}
	u := newUses(d.source, l.procedure, stays, nil)
	u.head(l.loop)
	why := ""
	structure.All(l.loop.Body, func(s *structure.Statement) bool {
		switch {
		case why != "":
		case s.Kind == structure.Directive && (s == l.within[len(l.within)-1] || slices.ContainsFunc(waits, func(w *written) bool { return s.ACC != nil && w.source.directive.Line == s.ACC.Line })):
		case s.Kind == structure.Construct:
			why = judge(s)
			return !s.ACC.Compute()
		case s.Kind == structure.Directive && s.ACC != nil && !strings.HasPrefix(s.ACC.Name, "end "):
			why = fmt.Sprintf("a directive %s is in the loop, at line %d", s.ACC.Name, s.First)
		default:
			return u.statement(s)
		}
		return why == ""
	})
	if why == "" && len(u.moved) > 0 {
		why = "pointers change places in the loop"
	}
	return cmp.Or(why, u.why)
}

// waitBehind is what to write instead of a wait for a queue in each turn of a loop, and of others there:
// one wait behind it.
func (d *written) waitBehind(f *Finding, others ...*written) string {
	const words = "leave the wait out; wait once, before the host needs a result"
	list, why := d.loops()
	var queue string
	waits := append([]*written{d}, others...)
	for _, w := range waits {
		of, reason := w.waitedQueue()
		if queue != "" && of != queue {
			reason = cmp.Or(reason, "the waits are for several queues")
		}
		queue, why = of, cmp.Or(why, reason)
	}
	if why != "" {
		f.refuse(why)
		return words
	}
	var found *framed
	for i := range list {
		l := &list[i]
		reason := d.unorderedIn(l, waits, func(s *structure.Statement) string { return onQueue(s, queue) })
		if reason != "" {
			why = cmp.Or(why, reason)
			break
		}
		found = l
	}
	if found == nil {
		f.refuse(why)
		return words
	}
	t := d.source
	wait := &written{sentinel: d.sentinel, name: "wait(" + queue + ")"}
	lines, err := t.layout(wait, t.indentAt(found.loop.First))
	if err != nil {
		f.refuse(err.Error())
		return words
	}
	for _, w := range waits {
		f.Edits = append(f.Edits, patch.Edit{File: t.path, First: w.source.directive.Line, Last: w.source.directive.Last})
	}
	f.Edits = append(f.Edits, t.frame(found.outside, found.loop, nil, lines)...)
	return fmt.Sprintf("behind the loop at line %d, not in it: %s", found.loop.First, wait)
}

// waitedQueue is the queue that a wait directive is for: of one without a list the program's only one.
func (d *written) waitedQueue() (queue, why string) {
	if !strings.HasPrefix(d.name, "wait") || len(d.clauses) > 0 {
		return "", "the wait is a part of another directive"
	}
	if why := d.source.unwritable(); why != "" {
		return "", why
	}
	queue = strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(d.name, "wait"), "("), ")")
	if queue == "" {
		return d.onlyQueue()
	}
	if strings.Contains(queue, ",") || strings.Contains(queue, ":") {
		return "", "the wait is for several queues"
	}
	return queue, ""
}

// onlyQueue is the one queue that the program has, in this run and in its text.
func (d *written) onlyQueue() (queue, why string) {
	const several = "the wait is for all queues, and more than one may be used"
	if d.run == nil || len(d.run.rows.queues) != 1 {
		return "", several
	}
	for _, file := range d.run.files {
		for line := 1; line <= len(d.source.sources.Lines(file)); line++ {
			of := d.source.sources.Parsed(file, int64(line))
			if of == nil {
				continue
			}
			for i := range of.Clauses {
				if c := &of.Clauses[i]; strings.EqualFold(c.Name, "async") {
					text := strings.TrimSpace(c.Arguments)
					if text == "" || strings.Trim(text, "0123456789") != "" || queue != "" && text != queue {
						return "", several
					}
					queue = text
				}
			}
		}
		for _, p := range d.source.sources.Procedures(file) {
			structure.All(p.Body, func(s *structure.Statement) bool {
				for _, call := range structure.Calls(s.Tokens) {
					if name := strings.ToLower(call.Name); strings.HasPrefix(name, "acc_") && strings.HasSuffix(name, "async") {
						why = several
					}
				}
				return true
			})
		}
	}
	if queue == "" {
		why = several
	}
	return queue, why
}

// onQueue says why a construct is not only a kernel on a queue.
func onQueue(s *structure.Statement, queue string) string {
	if !s.ACC.Compute() {
		return fmt.Sprintf("a directive %s is in the loop, at line %d", s.ACC.Name, s.First)
	}
	for i := range s.ACC.Clauses {
		c := &s.ACC.Clauses[i]
		switch clause := strings.ToLower(c.Name); {
		case clause == "async" && strings.TrimSpace(c.Arguments) == queue:
			return transfers(s)
		case clause == "async":
			return fmt.Sprintf("the construct at line %d is on another queue", s.First)
		}
	}
	return fmt.Sprintf("the construct at line %d is on no queue", s.First)
}

// transfers says why a construct may bring the host something, or needs it on the host; "" where
// it does not.
func transfers(s *structure.Statement) string {
	for i := range s.ACC.Clauses {
		switch clause := strings.ToLower(s.ACC.Clauses[i].Name); {
		case slices.Contains(copying, clause), clause == "reduction", clause == "if", clause == "self", clause == "wait", clause == "no_create", clause == "deviceptr", clause == "attach":
			return fmt.Sprintf("the construct at line %d has a clause %s", s.First, clause)
		}
	}
	why := ""
	structure.All(s.Body, func(inner *structure.Statement) bool {
		if inner.ACC != nil {
			for i := range inner.ACC.Clauses {
				if strings.EqualFold(inner.ACC.Clauses[i].Name, "reduction") {
					why = fmt.Sprintf("a reduction is at line %d", inner.First)
				}
			}
		}
		return why == ""
	})
	if why != "" || s.ACC.Construct() != "kernels" {
		return why
	}
	// What a kernels construct changes of the host's scalars it brings back (OpenACC 3.3 §2.6.2).
	own := map[string]bool{}
	structure.All(s.Body, func(inner *structure.Statement) bool {
		for _, name := range declaredIn(inner) {
			own[name] = true
		}
		if inner.Kind == structure.Loop {
			return true // its counter is private
		}
		for i := range inner.Tokens {
			name := inner.Tokens[i].Text
			subscripted := i+1 < len(inner.Tokens) && (inner.Tokens[i+1].Text == "[" || inner.Tokens[i+1].Text == "(")
			if structure.IsName(name) && !own[name] && !subscripted && structure.Writes(inner.Tokens, i) {
				why = fmt.Sprintf("kernels at line %d may bring %s back", s.First, name)
			}
		}
		return true
	})
	return why
}

// waitFor is what to write so that the directive comes after what is on a queue by the directive
// at a line.
func (d *written) waitFor(f *Finding, queue string, line int) string {
	const words = "one queue for both, or a wait for the other queue: the wait clause on the later one"
	switch {
	case !d.known() || queue == "" || line < 1:
		return words
	case d.source == nil:
		f.refuse(d.unwritten())
		return words
	case d.name == "data" || d.name == "host_data" || strings.HasPrefix(d.name, "wait"):
		f.refuse("the directive has no clause wait")
		return words
	}
	expression := ""
	if first := d.source.known(line); first != nil {
		for i := range first.Clauses {
			if strings.EqualFold(first.Clauses[i].Name, "async") {
				expression = strings.TrimSpace(first.Clauses[i].Arguments)
			}
		}
	}
	if expression != queue {
		if expression == "" || strings.Trim(expression, "0123456789") == "" || !d.source.sameTurn(line, d.source.directive.Line) {
			f.refuse(fmt.Sprintf("how line %d calls queue %s is not known here", line, queue))
			return words
		}
	}
	waits := d.clone()
	waits.add("wait", expression)
	return d.write(f, waits) + "\nor the same queue for both"
}

// sameTurn says whether two lines are reached in the same turns of the same loops, so that
// names mean the same in both.
func (t *text) sameTurn(a, b int) bool {
	p := structure.At(t.procedures, a)
	if p == nil || p != structure.At(t.procedures, b) || p.Unread != "" {
		return false
	}
	loops := func(line int) (list []*structure.Statement) {
		for _, s := range p.Path(line) {
			if s.Kind == structure.Loop {
				list = append(list, s)
			}
		}
		return list
	}
	return slices.Equal(loops(a), loops(b))
}
