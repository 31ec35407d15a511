package rewrite

import (
	"fmt"
	"strings"

	"github.com/accscope/accscope/runtime/source/directive"
)

// fortranLanguage is Fortran: how it calls the runtime.
type fortranLanguage struct{}

func (fortranLanguage) fortran() bool { return true }

// call calls the routine that our module and GCC's have behind the generic name.
func (fortranLanguage) call(routine string, arguments ...string) string {
	for i, argument := range arguments {
		arguments[i] = "int(" + argument + ", 4)"
	}
	return "call " + routine + "_h(" + strings.Join(arguments, ", ") + ")"
}

func (fortranLanguage) when(condition string, statements []string) []string {
	return append(append([]string{"if (" + condition + ") then"}, statements...), "end if")
}

func (fortranLanguage) not(condition string) string {
	if condition == "" {
		return ".false."
	}
	return ".not. (" + condition + ")"
}

func (fortranLanguage) and(a, b string) string { return "(" + a + ") .and. " + b }

func (fortranLanguage) product(factors []string) string {
	return "(" + strings.Join(factors, ") * (") + ")"
}

func (fortranLanguage) directive(text string) string { return "!$acc " + text }

func (l fortranLanguage) region(text string) (open []string, end string) {
	return []string{l.directive(text)}, l.directive("end data")
}

// innerVariables are none: those of loops in sequence are private in Fortran.
func (fortranLanguage) innerVariables(string) []string { return nil }

// columns has an update of a section of Fortran that is not contiguous, of which GCC updates
// another range, be one of each contiguous part.
func columns(c *construct) {
	if c.name != "update" || !c.language.fortran() || c.dropped {
		return
	}
	parted := false
	for _, clause := range c.clauses {
		if is(clause, "self", "host", "device") {
			for _, item := range split(clause.Arguments, ',') {
				_, loops := contiguous(item)
				parted = parted || len(loops) > 0
			}
		}
	}
	if !parted {
		return
	}
	common := without(c.clauses, func(clause directive.Clause) bool { return is(clause, "self", "host", "device") })
	var statements []string
	deepest := 0
	for _, clause := range c.clauses {
		if !is(clause, "self", "host", "device") {
			continue
		}
		for _, item := range split(clause.Arguments, ',') {
			part, loops := contiguous(item)
			single := *c
			single.clauses = append([]directive.Clause{{Name: clause.Name, Arguments: part, Has: true}}, common...)
			statements = append(append(statements, loops...), c.language.directive(single.String()))
			for range loops {
				statements = append(statements, "end do")
			}
			deepest = max(deepest, len(loops))
		}
	}
	declaration := "integer(8) :: accscope_1"
	for i := 2; i <= deepest; i++ {
		declaration += fmt.Sprintf(", accscope_%d", i)
	}
	c.before = append(append(append(c.before, "block", declaration), statements...), "end block")
	c.dropped = true
	c.say("", "each contiguous part is updated by itself: GCC updates another range")
}

// contiguous is a contiguous part of a section, by the indices of the loops that go over all
// of them; no loops where the section is contiguous.
func contiguous(item string) (part string, loops []string) {
	open := strings.LastIndex(item, "(")
	for open > 0 {
		if _, rest, ok := directive.Parenthesised(item[open:]); ok && rest == "" {
			break
		}
		open = strings.LastIndex(item[:open], "(")
	}
	if open <= 0 {
		return item, nil
	}
	base := item[:open]
	dimensions := split(item[open+1:len(item)-1], ',')
	whole := true // all dimensions up to here
	for i, dimension := range dimensions {
		parts := split(dimension, ':')
		if len(parts) == 1 || whole && len(parts) == 2 {
			whole = whole && len(parts) == 2 && parts[0] == "" && parts[1] == ""
			continue
		}
		whole = false
		index := fmt.Sprintf("accscope_%d", len(loops)+1)
		low, high := parts[0], parts[1]
		if low == "" {
			low = fmt.Sprintf("lbound(%s, %d)", base, i+1)
		}
		if high == "" {
			high = fmt.Sprintf("ubound(%s, %d)", base, i+1)
		}
		loop := "do " + index + " = " + low + ", " + high
		if len(parts) == 3 {
			loop += ", " + parts[2]
		}
		loops = append(loops, loop)
		dimensions[i] = index
	}
	return base + "(" + strings.Join(dimensions, ", ") + ")", loops
}
