package advice

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/accscope/accscope/collector/structure"
	"github.com/accscope/accscope/runtime/source/directive"
)

// exchange writes the directive with its variable in another clause: to gives it by the one
// that has it.
func (d *written) exchange(f *Finding, to map[string]string) string {
	other := d.clone()
	for i := range d.clauses {
		clause := strings.ToLower(d.clauses[i].Name)
		if to[clause] == "" {
			continue
		}
		if item, found := other.take(f.Variable, clause); found {
			other.add(to[clause], item)
			return d.write(f, other)
		}
	}
	f.refuse("no clause of the directive that could be another one names " + named(f.Variable))
	var from []string
	for clause := range to {
		if !strings.Contains(clause, "p") || clause == "copy" || clause == "copyin" || clause == "copyout" {
			from = append(from, clause+" becomes "+to[clause])
		}
	}
	slices.Sort(from)
	return "what names " + named(f.Variable) + " without this transfer: " + strings.Join(from, ", ")
}

// withAliases is a table of clauses with the older names of those that it has.
func withAliases(to map[string]string) map[string]string {
	all := map[string]string{}
	for from, clause := range to {
		all[from], all["p"+from], all["present_or_"+from] = clause, clause, clause
	}
	return all
}

var (
	notSent    = withAliases(map[string]string{"copyin": "create", "copy": "copyout"})
	notBrought = withAliases(map[string]string{"copyout": "create", "copy": "copyin"})
)

// withoutDownload is what to write instead of a directive that brings a variable back.
func withoutDownload(f *Finding, g *group, d *written) string {
	defer g.onlyWhole(f)
	switch {
	case !d.known():
		return g.partly("leave this download out, or copy in only")
	case d.updates():
		return g.partly(d.withoutUpdate(f, "self", "host"))
	case strings.HasPrefix(d.name, "exit"):
		return g.partly(d.exchange(f, map[string]string{"copyout": "delete"}))
	}
	if line := d.writtenInside(f.Variable); line > 0 {
		defer f.refuse(fmt.Sprintf("a construct at line %d may write it", line))
	}
	return g.partly(d.exchange(f, notBrought))
}

// withoutUpload is what to write instead of a directive that sends a variable for nothing.
func withoutUpload(f *Finding, g *group, d *written) string {
	defer g.onlyWhole(f)
	switch {
	case !d.known():
		return g.partly("leave this transfer out, or create the data without it")
	case d.updates():
		return g.partly(d.withoutUpdate(f, "device"))
	}
	return g.partly(d.exchange(f, notSent))
}

// unlessUsed takes a patch back where a construct that the run did not reach may use the
// variable.
func (d *written) unlessUsed(f *Finding) {
	if d.source == nil || d.run == nil || len(f.Edits) == 0 {
		return
	}
	var names []string
	for _, r := range d.itemsOf([]string{f.Variable}) {
		parts := separator.Split(r.name, -1)
		names = append(names, lower(strings.TrimSpace(parts[len(parts)-1]), d.source.fortran))
	}
	own := structure.At(d.source.procedures, d.source.directive.Line)
	for _, file := range d.run.files {
		for _, p := range d.source.sources.Procedures(file) {
			structure.All(p.Body, func(s *structure.Statement) bool {
				if s.Kind != structure.Construct || !s.ACC.Compute() || d.run.reached(file, s) {
					return true
				}
				// Another procedure may have the data by another name.
				if p != own || slices.ContainsFunc(names, func(name string) bool { return d.source.mentionedIn(s, name) }) {
					f.refuse(fmt.Sprintf("the construct at line %d of %s, which the run did not reach, may use it", s.First, filepath.Base(file)))
				}
				return false
			})
		}
	}
}

// reached says whether a record is of the lines of a construct's directive.
func (seen *shown) reached(file string, s *structure.Statement) bool {
	for line := s.First; line <= s.ACC.Last; line++ {
		if seen.places[constructPlace{file: file, line: int64(line)}] {
			return true
		}
	}
	return false
}

// mentionedIn says whether a construct has a name, in its clauses or its code.
func (t *text) mentionedIn(s *structure.Statement, name string) bool {
	found := false
	structure.All([]*structure.Statement{s}, func(s *structure.Statement) bool {
		found = found || s.ACC != nil && mentionsItem(s.ACC, name) || slices.ContainsFunc(s.Tokens, func(token structure.Token) bool {
			return token.Text == name || structure.Mentions(t.expanded(token.Text), name)
		})
		return !found
	})
	return found
}

// hostChanges says why the host may change a variable in the loops around the directive; "" where
// it does not.
func (d *written) hostChanges(variable string) string {
	list, why := d.loops()
	if why != "" {
		return why
	}
	outermost := list[len(list)-1]
	u := newUses(d.source, outermost.procedure, d.itemsOf([]string{variable}), nil)
	structure.All(outermost.loop.Body, func(s *structure.Statement) bool {
		if s.Kind == structure.Construct && s.ACC.Compute() {
			return false
		}
		for _, name := range u.tracked() {
			if why == "" && s.ACC == nil && d.source.mayWrite(s.Tokens, target{name: lower(name, d.source.fortran)}) {
				why = fmt.Sprintf("the host may change %s at line %d", name, s.First)
			}
		}
		for at := range s.Tokens {
			if why == "" && s.ACC == nil && u.foreign && !d.source.fortran && structure.Writes(s.Tokens, at) && follows(s.Tokens, at) && !u.apart(s.Tokens[at].Text) {
				why = fmt.Sprintf("%s may be the same data at line %d", s.Tokens[at].Text, s.First)
			}
		}
		return why == ""
	})
	return cmp.Or(why, u.why)
}

// onlyWhole takes a patch back that would also leave out transfers which the finding is not
// about.
func (g *group) onlyWhole(f *Finding) {
	if g.moves > g.count && len(f.Edits) > 0 {
		f.refuse(fmt.Sprintf("of %d transfers here %d are needed", g.moves, g.moves-g.count))
	}
}

// withoutData is what to write instead of a directive that has a variable for nothing.
func withoutData(f *Finding, d *written) string {
	switch {
	case !d.known():
		return "leave " + named(f.Variable) + " out of the directive"
	case d.updates():
		return d.withoutUpdate(f, "self", "host", "device")
	}
	other := d.clone()
	listed := false
	for _, clause := range append(slices.Clone(copying), "delete") {
		_, found := other.take(f.Variable, clause)
		listed = listed || found
	}
	switch line := d.namedElsewhere(f.Variable); {
	case !listed:
		f.refuse("no clause of the directive names " + named(f.Variable))
		return "leave " + named(f.Variable) + " out of the directive"
	case line > 0:
		f.refuse(fmt.Sprintf("line %d names %s, too", line, f.Variable))
		return "leave " + f.Variable + " out of the directive, and out of line " + fmt.Sprint(line)
	case len(other.clauses) == 0:
		return d.remove(f)
	}
	return d.write(f, other)
}

// restores says whether the directive's construct brings a variable back as it took it, and nothing
// in it writes the variable.
func (d *written) restores(variable string) bool {
	_, copied := d.clone().take(variable, "copy", "pcopy", "present_or_copy")
	return copied && d.inside() != nil && d.writtenInside(variable) == 0
}

// withoutUpdate is an update directive without the variable.
func (d *written) withoutUpdate(f *Finding, clauses ...string) string {
	if len(d.clauses) == 1 && len(d.clauses[0].Items()) < 2 {
		return d.remove(f)
	}
	other := d.clone()
	if _, found := other.take(f.Variable, clauses...); !found {
		f.refuse("no clause of the directive names " + named(f.Variable))
		return "leave " + named(f.Variable) + " out of the directive"
	}
	if !slices.ContainsFunc(other.clauses, func(c directive.Clause) bool {
		return slices.Contains([]string{"self", "host", "device"}, strings.ToLower(c.Name))
	}) {
		return d.remove(f)
	}
	return d.write(f, other)
}

// deletion is the directive that deletes what the directive maps, by its item: of a pointer of C
// without a section code by GCC deletes nothing.
func (d *written) deletion(variable string) string {
	item, found := d.clone().take(variable, copying...)
	if !found {
		return "exit data delete(" + named(variable) + ")"
	}
	return d.sentinel + " exit data delete(" + item + ")"
}

// stays is what to write so that data stay on the device from one time that the
// directive is reached to the next.
func (d *written) stays(f *Finding, variables ...string) string {
	switch where := d.again(f); {
	case d.known() && (strings.HasPrefix(d.name, "enter") || strings.HasPrefix(d.name, "exit")):
		f.refuse("enter data and exit data move together")
		return "move the directive out of " + where + ", and the exit data with it\nand " + inBetween
	case d.known() && d.updates():
		return "move the directive out of " + where + ", if only what it brings there is used in it"
	}
	return d.surround(f, variables...)
}

// inside is the construct that the directive begins; nil where it begins none or its
// procedure is not read.
func (d *written) inside() *structure.Statement {
	if d.source == nil || d.source.directive == nil {
		return nil
	}
	p := structure.At(d.source.procedures, d.source.directive.Line)
	if p == nil {
		return nil
	}
	path := p.Path(d.source.directive.Line)
	if len(path) == 0 || path[len(path)-1].Kind != structure.Construct {
		return nil
	}
	return path[len(path)-1]
}

// writtenInside is a line of the directive's construct that may write a variable; 0 where none does.
func (d *written) writtenInside(variable string) (line int) {
	construct := d.inside()
	if construct == nil {
		if d.source != nil && d.source.directive != nil {
			return d.source.directive.Line
		}
		return 0
	}
	names := []string{variable}
	for _, r := range d.itemsOf([]string{variable}) {
		names = append(names, r.name)
	}
	structure.All(construct.Body, func(s *structure.Statement) bool {
		for _, name := range names {
			parts := separator.Split(name, -1)
			component := lower(strings.TrimSpace(parts[len(parts)-1]), d.source.fortran)
			if d.source.mayWrite(s.Tokens, target{name: lower(name, d.source.fortran)}) ||
				len(parts) > 1 && slices.ContainsFunc(s.Tokens, func(t structure.Token) bool { return t.Text == component }) {
				line = s.First
			}
		}
		return line == 0
	})
	return line
}

// namedElsewhere is a line in which another directive of the file, that needs it mapped, or the
// code of the directive's construct names a variable; 0 where none does.
func (d *written) namedElsewhere(variable string) int {
	if d.source == nil || d.source.directive == nil {
		return 0
	}
	names := []string{}
	for _, r := range d.itemsOf([]string{variable}) {
		names = append(names, lower(r.name, d.source.fortran))
	}
	for line := 1; line <= len(d.source.lines); line++ {
		other := d.source.known(line)
		if other == nil || other == d.source.directive {
			continue
		}
		for i := range other.Clauses {
			if slices.Contains(copying, strings.ToLower(other.Clauses[i].Name)) {
				continue // it maps the data itself
			}
			for _, name := range names {
				if mentionsItem(&directive.Directive{Sentinel: other.Sentinel, Clauses: other.Clauses[i : i+1]}, name) {
					return line
				}
			}
		}
	}
	if line := d.source.askedFor(names); line > 0 {
		return line
	}
	if construct := d.inside(); construct != nil && construct.ACC.Compute() {
		found := 0
		structure.All(construct.Body, func(s *structure.Statement) bool {
			for _, name := range names {
				if structure.Mentions(s.Tokens, name) {
					found = s.First
				}
			}
			return found == 0
		})
		return found
	}
	return 0
}

// updateOnce is what to write instead of an update that brings the same in each turn of a loop:
// the update before the loop, where neither the host nor a construct in it changes the data.
func (d *written) updateOnce(f *Finding) string {
	loop, why := d.constantIn(f.Variable)
	if why != "" {
		f.refuse(why)
		return "leave " + named(f.Variable) + " out of the directive, but where the host has changed it"
	}
	before := &written{sentinel: d.sentinel, name: d.name}
	for _, c := range d.clauses {
		if !slices.Contains([]string{"device", "self", "host"}, strings.ToLower(c.Name)) {
			before.clauses = append(before.clauses, c)
		}
	}
	before.add("device", d.itemsOf([]string{f.Variable})[0].item)
	return d.moveBefore(f, loop, before, "device")
}

// askedFor is a line that gives one of these names to a routine of OpenACC's; 0 where none does.
func (t *text) askedFor(names []string) (line int) {
	for _, p := range t.procedures {
		structure.All(p.Body, func(s *structure.Statement) bool {
			for _, call := range structure.Calls(s.Tokens) {
				if strings.HasPrefix(strings.ToLower(call.Name), "acc_") && slices.ContainsFunc(names, func(name string) bool {
					return slices.ContainsFunc(call.Arguments, func(argument []structure.Token) bool { return t.names(argument, name) })
				}) {
					line = s.First
				}
			}
			return line == 0
		})
	}
	return line
}
