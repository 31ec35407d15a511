package rewrite

import (
	"regexp"
	"slices"
	"strings"

	"github.com/accscope/accscope/runtime/source/directive"
)

// declaredParameters has the parameters that a declare directive of C++ names, which GCC takes in C
// alone, be named by a data construct up to the end of the function (§2.13).
func declaredParameters(c *construct) {
	if c.name != "declare" || !c.cxx || c.ofFunction == nil || !c.ofFunction() {
		return
	}
	var kept, moved []directive.Clause
	for _, clause := range c.clauses {
		var others, parameters []string
		for _, item := range split(clause.Arguments, ',') {
			if local, _ := c.local(item); plainName.MatchString(item) && (c.parameter(item) || !local && !c.declared(item)) {
				parameters = append(parameters, item)
			} else {
				others = append(others, item)
			}
		}
		if len(parameters) > 0 {
			name := clause.Name
			if is(clause, "device_resident") {
				name = "create"
			}
			moved = append(moved, directive.Clause{Name: name, Arguments: strings.Join(parameters, ", "), Has: true})
		}
		if len(others) > 0 {
			clause.Arguments = strings.Join(others, ", ")
			kept = append(kept, clause)
		}
	}
	if len(moved) == 0 || slices.ContainsFunc(moved, func(clause directive.Clause) bool { return is(clause, "link") }) {
		return
	}
	data := construct{name: "data", clauses: moved, language: c.language}
	c.rest = c.language.directive(data.String())
	c.say("declare", "the parameters are those of a data construct up to the end of the function: GCC takes none in a declare directive of C++")
	c.clauses = kept
	for _, clause := range moved {
		if is(clause, "copy", "copyout", "pcopy", "pcopyout", "present_or_copy", "present_or_copyout") {
			c.returned = append(c.returned, split(clause.Arguments, ',')...)
		}
	}
	c.dropped = len(kept) == 0
}

// region has the rest of the block that a directive stands in be the statement of another one.
// What is wrong with that is said.
func (t *text) region(c *placed) (problem string) {
	if c.rest == "" {
		return ""
	}
	depth, last, returns := 0, -1, 0
	rest := t.source[c.statement:]
	end := blockEnd(rest)
	for offset, token := range directive.Tokens(rest[:max(end, 0)]) {
		switch token {
		case "{":
			depth++
		case "}":
			depth--
		case "return":
			if returns++; depth == 0 {
				last = offset
			}
		}
	}
	if end < 0 {
		return "the end of the function that " + c.name + " is in cannot be found"
	}
	if returns > 0 {
		statement := ""
		if last >= 0 {
			statement = rest[last:end]
		}
		length, ok := directive.StatementEnd([]byte(statement))
		if returns > 1 || !ok || strings.TrimSpace(withoutComments(statement[length:])) != "" {
			return "declare of a parameter cannot be had with GCC in C++ where the function returns from its middle: use a data construct"
		}
		for _, name := range c.returned {
			if wordAt(statement, name) >= 0 {
				return "declare of " + name + " cannot be had with GCC in C++ where the function returns what depends on it: use a data construct"
			}
		}
		end = last
	}
	c.after = append([]string{c.rest, "{"}, c.after...)
	t.insert(c.statement+end, c.depth, "} ")
	return ""
}

// blockEnd is where the block ends whose rest a text of C begins with; -1 where it does not.
func blockEnd(text string) int {
	depth := 0
	for offset, token := range directive.Tokens(text) {
		switch token {
		case "{":
			depth++
		case "}":
			if depth--; depth < 0 {
				return offset
			}
		}
	}
	return -1
}

var comment = regexp.MustCompile(`(?s)//[^\n]*|/\*.*?\*/`)

func withoutComments(text string) string { return comment.ReplaceAllString(text, "") }

// lambdaRoutine leaves out the routine directive of a lambda in a function, where GCC takes none.
func lambdaRoutine(c *construct) {
	if c.name != "routine" || !c.cxx || c.ofFunction == nil || !c.ofFunction() || c.arguments != "" || !lambda.MatchString(c.body) {
		return
	}
	c.dropped, c.changed = true, true
	c.note(Warning, "routine", "the directive is left out: GCC takes none in a function, and compiles the lambda for no GPU")
}

var lambda = regexp.MustCompile(`^\s*(?:const\s+|constexpr\s+|static\s+)*auto\s*[&*]*\s*\w+\s*=\s*\[`)
