package advice

import (
	"fmt"
	"slices"
	"strings"

	"github.com/accscope/accscope/collector/structure"
)

// mostLines is how many lines of the host's are named.
const mostLines = 3

// hostLines names the lines at which the host uses a variable in the loop around the directive,
// else in its function, of those between two lines where the first is before the second; given is what it gives the whole variable to there, other than a procedure
// of the file that only reads it: "" for nothing.
func (d *written) hostLines(variable string, from, to int64) (lines, given string) {
	t := d.source
	if t == nil || t.directive == nil || !structure.IsName(variable) {
		return "", ""
	}
	p := structure.At(t.procedures, t.directive.Line)
	if p == nil || p.Unread != "" {
		return "", ""
	}
	body := p.Body
	for _, s := range p.Path(t.directive.Line) {
		if s.Kind == structure.Loop {
			body = s.Body
			break
		}
	}
	name := lower(variable, p.Fortran)
	var list []string
	structure.All(body, func(s *structure.Statement) bool {
		if s.Kind == structure.Construct {
			return !s.ACC.Compute()
		}
		apart := from < to && (int64(s.First) <= from || int64(s.First) >= to)
		if s.Kind == structure.Directive || apart || !t.names(s.Tokens, name) || slices.Contains(declaredIn(s), name) {
			return true
		}
		if line := fmt.Sprint(s.First); !slices.Contains(list, line) {
			list = append(list, line)
		}
		if first := tokens0(s.Tokens); first == "write" || first == "print" {
			for _, at := range structure.Indexes(s.Tokens, name) {
				if at+1 >= len(s.Tokens) || s.Tokens[at+1].Text != "(" {
					given = first
				}
			}
		}
		for _, call := range structure.Calls(s.Tokens) {
			for i, argument := range call.Arguments {
				whole := len(argument) > 0 && argument[len(argument)-1].Text == name
				if given == "" && whole && !t.array(call.Name) && !t.pure(call.Name) && !t.reads(call.Name, i) {
					given = call.Name
				}
			}
		}
		return true
	})
	switch n := len(list); {
	case n == 0:
		return "", given
	case n == 1:
		return "line " + list[0], given
	case n > mostLines:
		return fmt.Sprintf("lines %s and others", strings.Join(list[:mostLines], ", ")), given
	}
	return "lines " + strings.Join(list, ", "), given
}
