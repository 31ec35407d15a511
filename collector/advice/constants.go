package advice

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/accscope/accscope/collector/structure"
)

// deepestConstant bounds how many names of constants lead to one another.
const deepestConstant = 16

// constant is the value of a whole expression of numbers, macros and named constants.
func (e *coverage) constant(tokens []structure.Token, depth int) (int64, bool) {
	c := &calculation{coverage: e, tokens: tokens, depth: depth}
	value, ok := c.sum()
	return value, ok && c.at == len(tokens)
}

// calculation reads an expression.
type calculation struct {
	*coverage
	tokens []structure.Token
	at     int
	depth  int
}

func (c *calculation) next(operators ...string) string {
	if c.at < len(c.tokens) && slices.Contains(operators, c.tokens[c.at].Text) {
		c.at++
		return c.tokens[c.at-1].Text
	}
	return ""
}

func (c *calculation) sum() (int64, bool) {
	value, ok := c.product()
	for ok {
		switch c.next("+", "-") {
		case "+":
			other, is := c.product()
			value, ok = value+other, is
		case "-":
			other, is := c.product()
			value, ok = value-other, is
		default:
			return value, true
		}
	}
	return 0, false
}

func (c *calculation) product() (int64, bool) {
	value, ok := c.factor()
	for ok {
		switch c.next("*", "/", "<<") {
		case "*":
			other, is := c.factor()
			value, ok = value*other, is && (other == 0 || value == value*other/other)
		case "/":
			other, is := c.factor()
			if !is || other == 0 {
				return 0, false
			}
			value /= other
		case "<<":
			other, is := c.factor()
			if !is || other < 0 || other > 40 || value < 0 || value > 1<<20 {
				return 0, false
			}
			value <<= other
		default:
			return value, true
		}
	}
	return 0, false
}

func (c *calculation) factor() (int64, bool) {
	if c.at >= len(c.tokens) {
		return 0, false
	}
	text := c.tokens[c.at].Text
	c.at++
	switch {
	case text == "-":
		value, ok := c.factor()
		return -value, ok
	case text == "(":
		value, ok := c.sum()
		return value, ok && c.next(")") != ""
	case number(text):
		value, err := strconv.ParseInt(strings.TrimRight(strings.ToLower(text), "ul"), 0, 64)
		return value, err == nil
	case structure.IsName(text) && c.depth < deepestConstant && !(c.at < len(c.tokens) && (c.tokens[c.at].Text == "(" || c.tokens[c.at].Text == "[")):
		stands := c.named(text)
		if stands == nil {
			return 0, false
		}
		return c.coverage.constant(stands, c.depth+1)
	}
	return 0, false
}

// named is what a macro or a named constant stands for; nil where a name is neither.
func (e *coverage) named(name string) []structure.Token {
	if stands := e.text.macros()[name]; len(stands) > 0 {
		if e.text.settled(name) {
			return stands
		}
		return nil
	}
	if e.procedure.Fortran {
		return e.parameterOf(name)
	}
	var found []structure.Token
	look := func(tokens []structure.Token) {
		if !e.kept(name) && !slices.ContainsFunc(tokens, func(t structure.Token) bool { return t.Text == "const" || t.Text == "constexpr" || t.Text == "enum" }) {
			return
		}
		for at, t := range tokens {
			if t.Text != name || at+1 >= len(tokens) || tokens[at+1].Text != "=" || at > 0 && tokens[at-1].Text == "*" {
				continue
			}
			rest := tokens[at+2:]
			if end := slices.IndexFunc(rest, func(t structure.Token) bool { return t.Text == "," || t.Text == ";" || t.Text == "}" }); end > 0 {
				found = rest[:end]
			}
		}
	}
	if !declaresName(e.procedure, name) {
		for _, tokens := range e.text.fileScope() {
			look(tokens)
		}
	}
	structure.All(e.procedure.Body, func(s *structure.Statement) bool {
		if slices.Contains(declaredIn(s), name) {
			found = nil
			look(s.Tokens)
		}
		return true
	})
	return found
}

// kept says whether a variable of a procedure has its first value throughout.
func (e *coverage) kept(name string) bool {
	if !declaresName(e.procedure, name) || slices.Contains(parametersOf(e.procedure), name) {
		return false
	}
	declared, changed := 0, false
	structure.All(e.procedure.Body, func(s *structure.Statement) bool {
		if slices.Contains(declaredIn(s), name) {
			declared++
			changed = changed || s.Kind != structure.Simple || slices.ContainsFunc(s.Tokens, func(t structure.Token) bool { return t.Text == "static" })
		} else {
			changed = changed || e.text.mayWrite(s.Tokens, target{name: name, scalar: true, local: true})
		}
		return !changed
	})
	return declared == 1 && !changed
}

var conditionLine = regexp.MustCompile(`^\s*#\s*(if|ifdef|ifndef|endif|undef)\b`)

// settled says whether a macro is what the file says, whatever the compiler is told: it is defined
// once, under no condition.
func (t *text) settled(name string) bool {
	depth, defined := 0, 0
	for _, line := range t.lines {
		switch m := conditionLine.FindStringSubmatch(line); {
		case m == nil:
			if of := macroLine.FindStringSubmatch(line); of != nil && lower(of[1], t.fortran) == name {
				if depth > 0 {
					return false
				}
				defined++
			}
		case m[1] == "endif":
			depth--
		case m[1] == "undef":
			if structure.Mentions(structure.Tokens(lower(line, t.fortran)), name) {
				return false
			}
		default:
			depth++
		}
	}
	return defined == 1
}

var parameterAttribute = regexp.MustCompile(`(?i)\bparameter\b`)

// parameterOf is the value of a named constant of Fortran's; nil where the file has none or several
// of the name.
func (e *coverage) parameterOf(name string) (found []structure.Token) {
	for _, line := range e.text.lines {
		before, names, typed := strings.Cut(strings.ToLower(line), "::")
		if !typed || !parameterAttribute.MatchString(before) {
			continue
		}
		names, _, _ = strings.Cut(names, "!")
		for _, part := range structure.Commas(structure.Tokens(names)) {
			if len(part) > 2 && part[0].Text == name && part[1].Text == "=" {
				if found != nil {
					return nil
				}
				found = part[2:]
			}
		}
	}
	return found
}
