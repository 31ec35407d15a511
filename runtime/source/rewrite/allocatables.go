package rewrite

import (
	"regexp"
	"slices"
	"strings"

	"github.com/accscope/accscope/runtime/source/directive"
)

var (
	allocation      = regexp.MustCompile(`(?i)^(allocate|deallocate)\s*(\(.*)$`)
	conditionally   = regexp.MustCompile(`(?i)^if\s*(\(.*)$`)
	beginsUnit      = regexp.MustCompile(`(?i)^(?:[a-z][\w() ,=]*\s)?(?:subroutine|function|program|module|submodule)\s+\w+`)
	programOrModule = regexp.MustCompile(`(?i)^(?:program|module|submodule)\b`)
	moduleProcedure = regexp.MustCompile(`(?i)^module\s+procedure\b`)
	endsUnit        = regexp.MustCompile(`(?i)^end\s*(?:(?:subroutine|function|program|module|submodule)\b.*)?$`)
)

// allocatables has the device's memory of allocatable variables that a declare directive creates
// there be allocated and freed with the host's (§2.13.2), which GCC's code does not.
func (t *fortranText) allocatables(all []*inFortran) {
	for _, c := range all {
		if c.name != "declare" || c.dropped {
			continue
		}
		first, last := t.unit(c.d.Line - 1)
		for i := range c.clauses {
			clause := &c.clauses[i]
			if !is(*clause, "create", "device_resident", "copyin", "pcreate", "present_or_create") {
				continue
			}
			var kept []string
			for _, item := range split(clause.Arguments, ',') {
				switch name := strings.ToLower(item); {
				case !t.allocatable(first, c.d.Line-1, name):
					kept = append(kept, item)
				case t.inRoutine(all, name): // which would see the declared one, that nothing allocates
					c.note(Warning, item, item+" is not created on the device where it is allocated: GCC's code does not, and a routine uses it by its name")
					kept = append(kept, item)
				case !t.allocated(c, all, name, first, last):
					kept = append(kept, item)
				}
			}
			clause.Arguments = strings.Join(kept, ", ")
		}
		c.clauses = without(c.clauses, func(clause directive.Clause) bool { return clause.Has && clause.Arguments == "" })
		c.dropped = c.changed && len(c.clauses) == 0
	}
}

// unit is the program unit that a line, from 0, is in, with those inside of it.
func (t *fortranText) unit(line int) (first, last int) {
	depth := 0
	for first = line; first > 0; first-- {
		switch text := t.stated(first); {
		case endsUnit.MatchString(text):
			depth++
		case moduleProcedure.MatchString(text):
		case beginsUnit.MatchString(text):
			depth--
		}
		if depth < 0 {
			break
		}
	}
	depth = 0
	for last = line; last+1 < len(t.code); last++ {
		switch text := t.stated(last); {
		case endsUnit.MatchString(text):
			depth--
		case moduleProcedure.MatchString(text):
		case beginsUnit.MatchString(text):
			depth++
		}
		if depth < 0 {
			break
		}
	}
	return first, last
}

// stated is a line without its comment; "" of a directive.
func (t *fortranText) stated(line int) string {
	if t.comment(line) {
		return ""
	}
	text, _, _ := strings.Cut(t.code[line], "!")
	return strings.TrimSpace(text)
}

// allocatable says whether lines, from 0, declare a name as that of an allocatable variable.
func (t *fortranText) allocatable(first, last int, name string) bool {
	declared := regexp.MustCompile(`(?i)^[^'"]*\ballocatable\b.*\b` + regexp.QuoteMeta(name) + `\b`)
	for line := first; line < last; line++ {
		statement, end := t.statement(line)
		if !t.comment(line) && declared.MatchString(statement) {
			return true
		}
		line = end
	}
	return false
}

// allocated has directives stand at the statements that allocate and free a variable, and the
// compute constructs that use it name it as present; false where there are no such statements.
func (t *fortranText) allocated(c *inFortran, all []*inFortran, name string, first, last int) bool {
	begins := t.stated(first)
	if named, _ := directive.Word(begins); strings.EqualFold(named, "module") || strings.EqualFold(named, "submodule") {
		first, last = 0, len(t.code)-1 // others of the file use it
	}
	said := false
	for line := first; line < last; line++ {
		if t.comment(line) {
			continue
		}
		_, _, text, end := t.conditional(line)
		match := allocation.FindStringSubmatch(text)
		if match == nil {
			line = end
			continue
		}
		inside, _, _ := directive.Parenthesised(match[2])
		if !slices.ContainsFunc(split(inside, ','), func(item string) bool { return (&c.construct).base(item) == name }) || t.hidden(line, c.d.Line-1, name) {
			line = end
			continue
		}
		if !said {
			c.say("", "%s is created and deleted on the device where it is allocated and freed: GCC's code does not", name)
			said = true
		}
		if strings.EqualFold(match[1], "allocate") {
			t.beside(line, nil, []string{"!$acc enter data create(" + name + ")"})
		} else {
			t.beside(line, []string{"!$acc exit data delete(" + name + ")"}, nil)
		}
		line = end
	}
	if !said {
		return false
	}
	if !programOrModule.MatchString(begins) && !t.outlives(first, last, name) {
		t.leaves(c.d.Line, last, []string{"if (allocated(" + name + ")) then", "!$acc exit data delete(" + name + ")", "end if"})
	}
	used := regexp.MustCompile(`(?i)(?:^|[^\w%])` + regexp.QuoteMeta(name) + `\b`)
	for _, region := range all {
		if !region.compute() || region.line < first || region.end > last+1 || t.hidden(region.line-1, c.d.Line-1, name) {
			continue
		}
		for line := region.d.Last; line < region.end; line++ {
			if used.MatchString(t.stated(line)) {
				if !region.names(name) {
					region.add("present", name)
					region.say("", "%s is present, as declare says", name)
				}
				break
			}
		}
	}
	return true
}

// conditional takes the statement in a line, from 0, apart: its label, the condition of an if statement,
// and what it does, with its last line.
func (t *fortranText) conditional(line int) (number, condition, text string, end int) {
	statement, end := t.statement(line)
	text = strings.TrimSpace(statement)
	number = label.FindString(text)
	text = strings.TrimSpace(text[len(number):])
	if match := conditionally.FindStringSubmatch(text); match != nil {
		if inside, rest, ok := directive.Parenthesised(match[1]); ok {
			text, condition = strings.TrimSpace(rest), inside
		}
	}
	return number, condition, text, end
}

// beside puts lines ahead of the statement in a line, from 0, and behind it, under its label and its
// condition.
func (t *fortranText) beside(line int, ahead, behind []string) {
	number, condition, text, end := t.conditional(line)
	if until, ok := t.until[line]; ok { // it has others beside it
		end = until
	}
	if condition != "" {
		ahead, behind = append([]string{"if (" + condition + ") then"}, ahead...), append(slices.Clone(behind), "end if")
	}
	if number != "" && len(ahead) > 0 {
		t.ahead[line] = append(t.ahead[line], t.marker(line), number+strings.Repeat(" ", max(1, 6-len(number)))+"continue")
	}
	if condition != "" || number != "" && len(ahead) > 0 {
		t.code[line] = "      " + text
		t.replaced[line], t.until[line] = t.placed([]string{text}, line+1), end
	}
	if len(ahead) > 0 {
		t.ahead[line] = append(t.ahead[line], t.placed(ahead, line+1)...)
	}
	if len(behind) > 0 {
		t.ahead[end+1] = append(t.placed(behind, end+1), t.ahead[end+1]...)
	}
}

var (
	returns      = regexp.MustCompile(`(?i)^return\b`)
	saves        = regexp.MustCompile(`(?i)^save\b\s*$`)
	beginsInside = regexp.MustCompile(`(?i)^contains$`)
)

// leaves puts lines where a procedure ends: ahead of its return statements, and of its end.
func (t *fortranText) leaves(line, last int, lines []string) {
	end := last
	for ; line < last; line++ {
		if t.comment(line) {
			continue
		}
		_, _, text, next := t.conditional(line)
		if beginsInside.MatchString(text) {
			end = line
			break
		}
		if returns.MatchString(text) {
			t.beside(line, lines, nil)
		}
		line = next
	}
	t.ahead[end] = append(t.ahead[end], t.placed(lines, end+1)...)
}

// outlives says whether a variable that a procedure declares is there when that has ended: it is saved,
// or an argument or the result.
func (t *fortranText) outlives(first, last int, name string) bool {
	quoted := regexp.QuoteMeta(name)
	saved := regexp.MustCompile(`(?i)^(?:[^'"]*\bsave\b[^'"]*::.*|save\b.*)\b` + quoted + `\b`)
	header, line := t.statement(first)
	if t.argument(first, name) {
		return true
	}
	if named := fortranFunction.FindStringSubmatch(header); named != nil && strings.EqualFold(named[1], name) {
		return true
	}
	for line++; line < last; line++ {
		statement, end := t.statement(line)
		text := strings.TrimSpace(statement)
		if beginsInside.MatchString(text) {
			break
		}
		if !t.comment(line) && (saves.MatchString(text) || saved.MatchString(text)) {
			return true
		}
		line = end
	}
	return false
}

// argument says whether the procedure that begins in a line, from 0, has an argument of a name, or a result.
func (t *fortranText) argument(first int, name string) bool {
	header, _ := t.statement(first)
	at := strings.Index(header, "(")
	return at >= 0 && wordAt(strings.ToLower(header[at:]), name) >= 0
}

// inRoutine says whether a procedure for the device uses a variable, which a declare directive
// has to name then.
func (t *fortranText) inRoutine(all []*inFortran, name string) bool {
	used := regexp.MustCompile(`(?i)(?:^|[^\w%])` + regexp.QuoteMeta(name) + `\b`)
	for _, c := range all {
		if c.name != "routine" {
			continue
		}
		_, last := t.unit(c.d.Line - 1)
		for line := c.d.Last; line < last; line++ {
			if used.MatchString(t.stated(line)) {
				return true
			}
		}
	}
	return false
}

// hidden says whether a line, from 0, is in a procedure that declares a name anew, which a
// declaration in another line is about.
func (t *fortranText) hidden(line, declared int, name string) bool {
	anew := regexp.MustCompile(`(?i)^[^'"]*::.*\b` + regexp.QuoteMeta(name) + `\b`)
	for first, _ := t.unit(line); first > declared; first, _ = t.unit(first - 1) {
		for ; line > first; line-- {
			if anew.MatchString(t.stated(line)) {
				return true
			}
		}
	}
	return false
}

// names says whether a clause lists a variable.
func (c *construct) names(name string) bool {
	for _, clause := range c.clauses {
		for _, item := range split(clause.Arguments, ',') {
			if clause.Has && c.base(item) == name {
				return true
			}
		}
	}
	return false
}
