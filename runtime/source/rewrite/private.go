package rewrite

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/accscope/accscope/runtime/source/directive"
)

// privateSections has the whole of an array private whose section a directive names (§2.9.10,
// §2.5.13), and a section of what a pointer points to be an array of each iteration's own.
func privateSections(c *construct) {
	for i := range c.clauses {
		clause := &c.clauses[i]
		mark := "["
		if c.language.fortran() {
			mark = "("
		}
		if !is(*clause, "private", "firstprivate") || !strings.Contains(clause.Arguments, mark) {
			continue
		}
		var whole []string
		for _, item := range split(clause.Arguments, ',') {
			name, _, sectioned := strings.Cut(item, mark)
			name = strings.TrimSpace(name)
			switch {
			case !sectioned || c.array(name) && !c.parameter(name):
				whole = append(whole, name)
			case is(*clause, "private") && !c.language.fortran() && c.privateArray(item):
			default:
				c.refuse(clause.Name, "%s of %s cannot be had with GCC: it is not known to be a section of an array, and of a pointer the pointer alone would be private", clause.Name, item)
				return
			}
		}
		clause.Arguments = strings.Join(whole, ", ")
		c.say(clause.Name, "the whole array is private, or a new one: GCC takes no sections")
	}
	c.clauses = without(c.clauses, func(clause directive.Clause) bool {
		return is(clause, "private", "firstprivate") && clause.Arguments == ""
	})
}

// privateArray declares a new array in the body for a section of what a pointer points to, and
// a pointer to it of the same name. It says whether it could.
func (c *construct) privateArray(item string) bool {
	name, inside := subscripts(item)
	if len(inside) != 1 || !plainName.MatchString(name) {
		return false
	}
	low, length, ranged := strings.Cut(inside[0], ":")
	if low, length = strings.TrimSpace(low), strings.TrimSpace(length); !ranged {
		low, length = inside[0], "1"
	}
	if length == "" {
		return false
	}
	begin := "accscope_private_" + name
	if low != "" && low != "0" {
		begin += " - (" + low + ")"
	}
	c.private = append(c.private, fmt.Sprintf("__typeof__ (%[1]s[0]) accscope_private_%[1]s[%[2]s], *%[1]s __attribute__ ((__unused__)) = %[3]s;", name, length, begin))
	return true
}

var plainName = regexp.MustCompile(`^[A-Za-z_]\w*$`)

// associated is how many loops a loop directive is about.
func (c *construct) associated() int {
	if collapse := c.find("collapse"); collapse != nil {
		if n, err := strconv.Atoi(strings.TrimSpace(collapse.Arguments)); err == nil {
			return n
		}
		return 0
	}
	if tile := c.find("tile"); tile != nil {
		return len(split(tile.Arguments, ','))
	}
	return 1
}

// loopBody is where the body begins of the innermost of nested loops of C; -1 where they are not
// to be seen.
func loopBody(text string, loops int) int {
	depth, parentheses := 0, false
	for offset, token := range directive.Tokens(text) {
		switch {
		case token == "(":
			depth++
			parentheses = true
		case token == ")":
			if depth--; depth == 0 && parentheses {
				if loops--; loops == 0 {
					return offset + 1
				}
				parentheses = false
			}
		case depth == 0 && token != "for" && token != "{":
			return -1
		}
	}
	return -1
}

// privatise puts the declarations of a construct's private arrays into its body.
func (t *text) privatise(c *placed) (problem string) {
	if len(c.private) == 0 {
		return ""
	}
	declarations := strings.Join(c.private, " ")
	if !c.loop() {
		c.inside = append(c.inside, declarations)
		return ""
	}
	at := loopBody(c.followingText, c.associated())
	if at < 0 || c.statementEnd == 0 {
		return "the body of the loop that " + c.name + " is about cannot be found, for its private arrays"
	}
	t.insert(c.statement+at, c.depth, " { "+declarations)
	t.insert(c.statementEnd, c.depth, " }")
	return ""
}
