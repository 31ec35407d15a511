package source

import (
	"slices"
	"strings"

	"github.com/accscope/accscope/runtime/source/directive"
	"github.com/accscope/accscope/runtime/source/snapshot"
)

// SiteNames is Names for all calls from the place that this one comes from: one may be of
// another element of an array of structures than the next. A name has the indices that the
// text of its directive has, t[i].p; where the text does not list it, none: t[].p, os(:)%b.
func (p *Process) SiteNames(c snapshot.Call) []string {
	names := p.names(c, true)
	if !slices.ContainsFunc(c.Entries, func(e snapshot.Entry) bool { return e.Role != snapshot.RoleUnknown }) {
		return names // a routine's argument is known by its address
	}
	at, _ := p.Position(c.ReturnAddress, c.Function) // without it there is no text
	items, _ := at.Directive.Items()
	for i, name := range names {
		names[i] = ofAllCalls(name, items)
	}
	return names
}

// ofAllCalls is the name by which a directive that lists these items has a variable in each
// call.
func ofAllCalls(name string, items []directive.Item) string {
	var written []string
	plain, fixed := directive.Plain(name), true
	for _, i := range items {
		text, constant := i.Written()
		switch of := i.Plain(); {
		case of == plain:
			fixed = fixed && constant
			if !slices.Contains(written, text) {
				written = append(written, text)
			}
		case constant && strings.HasPrefix(of, plain+"."): // the structure that has the item
			return name
		}
	}
	switch {
	case len(written) > 0 && fixed, len(written) == 0 && !strings.ContainsAny(name, "[("):
		return name
	case len(written) == 1:
		return written[0]
	}
	return withoutIndices(name)
}

// withoutIndices is a name with what stands for any index in the place of each.
func withoutIndices(name string) string {
	var b strings.Builder
	depth := 0
	for _, c := range name {
		switch c {
		case '[', '(':
			if depth == 0 {
				b.WriteRune(c)
			}
			depth++
		case ']', ')':
			if depth--; depth == 0 {
				if c == ')' {
					b.WriteRune(':')
				}
				b.WriteRune(c)
			}
		default:
			if depth == 0 {
				b.WriteRune(c)
			}
		}
	}
	return b.String()
}
