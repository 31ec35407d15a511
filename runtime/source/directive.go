package source

import (
	"slices"
	"strings"
)

// A Directive is an OpenACC directive as the program's source has it: what of it does
// not reach the program's code. Nil is a directive whose text is not known.
type Directive struct {
	Name string // "parallel loop", "enter data": the words before its clauses
	Line int    // of the source, where it begins
	End  int    // the last line of the construct that it begins; 0 where the text does not tell

	data []string // plain names of what its data clauses list
}

// Compute says whether the directive begins a compute construct (OpenACC 3.3 §2.5).
func (d *Directive) Compute() bool {
	switch d.Construct() {
	case "parallel", "kernels", "serial":
		return true
	}
	return false
}

// Construct is the construct that the directive begins, or a part of: the name without
// loop, "" where the text is not known.
func (d *Directive) Construct() string {
	if d == nil {
		return ""
	}
	return strings.TrimSuffix(d.Name, " loop")
}

// Lines are the first and the last line of what stands in line and ends in end, as debug
// information has it, or 0: where the directive begins and its construct ends.
func (d *Directive) Lines(line, end int) (first, last int) {
	switch {
	case d == nil, d.Name == "declare": // of other calls in its procedure, too
		return line, end
	case d.End < end: // the text is another one's
		return d.Line, end
	}
	return d.Line, d.End
}

// Lists says whether a data clause of the directive lists a variable, under the name
// that debug information gives it.
func (d *Directive) Lists(variable string) bool {
	return d != nil && variable != "" && slices.Contains(d.data, plainName(variable, false))
}

// dataClauses are the clauses that give a variable its data attributes on a compute
// construct (OpenACC 3.3 §2.5.14, §2.7.4 to §2.7.11, with the older names).
var dataClauses = map[string]bool{
	"copy": true, "pcopy": true, "present_or_copy": true,
	"copyin": true, "pcopyin": true, "present_or_copyin": true,
	"copyout": true, "pcopyout": true, "present_or_copyout": true,
	"create": true, "pcreate": true, "present_or_create": true,
	"no_create": true, "present": true, "firstprivate": true,
}

// parseDirective reads a directive's text behind the sentinel, its lines joined. ok is
// false where it names none.
func parseDirective(text string, fortran bool) (d Directive, ok bool) {
	if fortran {
		text = strings.ToLower(text)
	}
	first, rest := word(text)
	if fortran && len(first) > 3 && strings.HasPrefix(first, "end") { // enddata
		first, rest = "end", first[3:]+rest
	}
	d.Name = first
	second, behind := word(rest)
	switch {
	case first == "":
		return d, false
	case first == "end":
		for second != "" {
			d.Name += " " + second
			second, behind = word(behind)
		}
		return d, true
	case second == "loop" && d.Compute(), second == "data" && (first == "enter" || first == "exit"):
		d.Name, rest = first+" "+second, behind
	}
	for {
		clause, behind := word(rest)
		if behind == "" {
			return d, true
		}
		if rest = behind; clause == "" {
			rest = rest[1:] // a comma, or what is no OpenACC
			continue
		}
		rest = strings.TrimLeft(rest, " \t")
		if !strings.HasPrefix(rest, "(") {
			continue
		}
		end := closing(rest)
		if dataClauses[clause] {
			for _, variable := range listed(withoutModifier(rest[1:end])) {
				if name := plainName(variable, fortran); name != "" {
					d.data = append(d.data, name)
				}
			}
		}
		rest = rest[min(end+1, len(rest)):]
	}
}

// word takes the name that a text begins with, behind blanks.
func word(text string) (name, rest string) {
	text = strings.TrimLeft(text, " \t")
	n := 0
	for n < len(text) && isNameByte(text[n]) {
		n++
	}
	return text[:n], text[n:]
}

func isNameByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// closing is where the bracket is closed that a text begins with; its end where it
// is not.
func closing(text string) int {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(text)
}

// withoutModifier is a clause's list without its modifier: copyin(readonly: a).
func withoutModifier(text string) string {
	name, rest := word(text)
	rest = strings.TrimLeft(rest, " \t")
	if name != "" && strings.HasPrefix(rest, ":") && !strings.HasPrefix(rest, "::") {
		return rest[1:]
	}
	return text
}

// listed takes a clause's list apart at the commas outside brackets.
func listed(text string) (items []string) {
	depth, from := 0, 0
	for i := range len(text) {
		switch text[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case ',':
			if depth == 0 {
				items = append(items, text[from:i])
				from = i + 1
			}
		}
	}
	return append(items, text[from:])
}

// plainName is what a clause and debug information both call a variable: without
// subscripts, blanks and the ways to reach it.
func plainName(text string, fortran bool) string {
	if !fortran && !strings.ContainsAny(text, " \t()[]*&->%") {
		return strings.TrimPrefix(text, "this.") // as most are: this is asked at each event
	}
	var plain strings.Builder
	depth := 0
	for i := range len(text) {
		switch c := text[i]; {
		case c == '(' || c == '[':
			depth++
		case c == ')' || c == ']':
			depth--
		case depth > 0, c == ' ', c == '\t', c == '*', c == '&', c == '-':
		case c == '>', c == '%':
			plain.WriteByte('.')
		default:
			plain.WriteByte(c)
		}
	}
	name := strings.TrimPrefix(plain.String(), "this.")
	if fortran {
		name = strings.ToLower(name)
	}
	return name
}
