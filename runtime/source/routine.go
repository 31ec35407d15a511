package source

import (
	"iter"
	"regexp"
	"slices"
	"strings"

	"github.com/accscope/accscope/runtime/source/directive"
	"github.com/accscope/accscope/runtime/source/snapshot"
	"github.com/accscope/accscope/runtime/source/units"
)

// What a routine is given is any expression, whose value debug information often does not tell.
// The call's line and column say where it stands in the text; this names the variable whose data
// it is, wherever nothing that is known speaks against it.

// routinesOf gives the calls of routines about data in a source file.
func (p *Process) routinesOf(module, file string) []*Directive {
	return p.routines.get(file, func() ([]*Directive, bool) {
		made, ok := modified(module)
		if !ok {
			return nil, true
		}
		return directive.ReadRoutines(file, made), true
	})
}

// routineName is the name that the text has for what a routine was given, or else the one that
// is known of its address.
func (p *Process) routineName(c snapshot.Call, f *Frame, known string) string {
	l, err := p.LookupReturn(c.ReturnAddress)
	if err != nil || l.File == "" {
		return known
	}
	calls := p.routinesOf(l.Module, l.File)
	i := slices.IndexFunc(calls, func(d *Directive) bool { return d.MadeAt(l.Line, l.Column) })
	if i < 0 {
		return known
	}
	d := calls[i]
	at := Position{File: l.File, Line: d.Line, EndLine: d.Last, Directive: d}
	text, ok := d.HostArgument()
	if !ok {
		return known
	}
	others := p.others(f, at)
	// Damage leaves what is known.
	_ = f.image.read(func() error {
		if len(others) > 0 { // the address tells, of what one of them has
			of := func(d *Directive) bool {
				if d == nil {
					return false
				}
				text, ok := d.HostArgument()
				a := argument{frame: f, call: d, entry: c.Entries[0], fortran: d.Fortran()}
				return ok && a.read(text) && directive.Plain(a.name) == directive.Plain(known)
			}
			if !slices.ContainsFunc(append([]*Directive{d}, others...), of) {
				known = ""
			}
			return nil
		}
		a := argument{frame: f, call: d, entry: c.Entries[0], fortran: d.Fortran()}
		if a.read(text) && (directive.Plain(known) != directive.Plain(a.name) || known == "") && a.holds() {
			known = a.name
		}
		return nil
	})
	return known
}

// An argument is the expression that a routine was given.
type argument struct {
	frame   *Frame
	call    *Directive
	entry   snapshot.Entry
	fortran bool

	name    string // of the variable whose data it is, with the indices of the text
	whole   bool   // it is where these begin
	back    bool   // it may lie before them
	numbers bool   // all indices are
}

var (
	pointerCast = regexp.MustCompile(`^(?:const |volatile |struct |union |class |unsigned |signed )*\w+(?:\s*::\s*\w+)*(?:\s+\w+)*\s*\*[\s*]*(?:const)?$`)
	namedCast   = regexp.MustCompile(`^(?:static|const|reinterpret)_cast\s*<`)
)

// read takes the expression apart.
func (a *argument) read(text string) bool {
	text = withoutCasts(text)
	if a.fortran {
		i, ok := a.call.Variable(text)
		if !ok {
			return false
		}
		_, ok = a.typeOf(i)
		a.whole = len(i.Steps[len(i.Steps)-1].Subscripts) == 0
		a.name, a.numbers = i.Written()
		return ok
	}
	if of, address := strings.CutPrefix(text, "&"); address {
		return a.addressed(withoutCasts(of))
	}
	// A pointer and numbers.
	var pointer *directive.Item
	count := 0
	for sign, term := range terms(text) {
		i, ok := a.call.Variable(withoutCasts(term))
		var t *units.Type
		if ok {
			t, ok = a.typeOf(i)
		}
		points := ok && t != nil && (t.Kind == units.Pointer || t.Kind == units.Array)
		switch {
		case points && (pointer != nil || sign == '-'), sign == '-' && !ok && !numeric(term):
			return false // a distance
		case points:
			pointer = &i
		}
		a.back = a.back || sign == '-' || strings.HasPrefix(strings.TrimSpace(term), "-")
		count++
	}
	if pointer == nil {
		return false
	}
	a.whole = count == 1
	return a.data(*pointer)
}

func numeric(term string) bool { return strings.Trim(strings.TrimSpace(term), "0123456789") == "" }

// addressed is of what an expression's address is taken.
func (a *argument) addressed(text string) bool {
	i, ok := a.call.Variable(text)
	if !ok {
		return false
	}
	last := &i.Steps[len(i.Steps)-1]
	if n := len(last.Subscripts); n > 0 {
		first := last.Subscripts[n-1]
		last.Subscripts = last.Subscripts[:n-1]
		a.whole, a.back = first == "0", strings.Contains(first, "-")
		return a.data(i)
	}
	t, ok := a.typeOf(i)
	a.whole = true
	a.name, a.numbers = written(i)
	return ok && t != nil
}

// data names the data that an expression leads to, which is a pointer or an array.
func (a *argument) data(i directive.Item) bool {
	t, ok := a.typeOf(i)
	last := &i.Steps[len(i.Steps)-1]
	for ok && t != nil && t.Kind == units.Array && len(last.Subscripts) > 0 { // a part of an array
		a.whole = false
		last.Subscripts = last.Subscripts[:len(last.Subscripts)-1]
		t, ok = a.typeOf(i)
	}
	a.name, a.numbers = written(i)
	return ok && t != nil && (t.Kind == units.Pointer || t.Kind == units.Array)
}

// written is an item with all its subscripts.
func written(i directive.Item) (string, bool) {
	text, numbers := i.Written()
	for _, s := range i.Steps[len(i.Steps)-1].Subscripts {
		numbers = numbers && numeric(s)
		text += "[" + s + "]"
	}
	return text, numbers
}

// typeOf is the type of what an item is, with all its subscripts: of a part of an array, too, that
// of the array.
func (a *argument) typeOf(i directive.Item) (t *units.Type, ok bool) {
	t, _, ok = a.frame.declared(i.Steps[0].Name)
	for n, s := range i.Steps {
		if n > 0 && ok {
			t, ok = component(t, s.Name)
		}
		if !ok || t == nil {
			return nil, false
		}
		if !a.fortran && t.Kind == units.Pointer && t.IsReference() {
			if t = t.Target(); t == nil {
				return nil, false
			}
		}
		if a.fortran && len(s.Subscripts) > 0 && t.Kind != units.Array && t.Kind != units.Descriptor && t.Kind != units.Pointer {
			return nil, false // a function
		}
		for at := 0; at < len(s.Subscripts) && !a.fortran; {
			switch t.Kind {
			case units.Array:
				if at += len(t.Dimensions); at > len(s.Subscripts) {
					continue
				}
			case units.Pointer:
				at++
			default:
				return nil, false
			}
			if t = t.Target(); t == nil {
				return nil, false
			}
		}
	}
	return t, true
}

// holds says whether nothing that is known of the variable speaks against it.
func (a *argument) holds() bool {
	if !a.numbers {
		return true
	}
	w := walk{f: a.frame, entry: a.entry}
	o, ok := w.object(a.name, nil)
	switch at := a.entry.Address; {
	case !ok || o.Base == 0:
		return true
	case a.whole:
		return at == o.Base
	case at < o.Base:
		return a.back
	default:
		return o.Bytes == 0 || at < o.Base+o.Bytes
	}
}

// withoutCasts is an expression without the parentheses around it, and casts of pointers.
func withoutCasts(text string) string {
	for {
		text = strings.TrimSpace(text)
		inside, behind, has := directive.Parenthesised(text)
		switch behind = strings.TrimSpace(behind); {
		case has && behind == "":
			text = inside
		case has && pointerCast.MatchString(strings.TrimSpace(inside)):
			text = behind
		case namedCast.MatchString(text):
			_, behind, _ = strings.Cut(text, "<")
			_, behind, _ = strings.Cut(behind, ">")
			inside, rest, has := directive.Parenthesised(behind)
			if !has || strings.TrimSpace(rest) != "" {
				return text
			}
			text = inside
		default:
			return text
		}
	}
}

// terms are what an expression adds and, by '-', subtracts; none where it has other operators that
// bind less.
func terms(text string) iter.Seq2[byte, string] {
	return func(yield func(byte, string) bool) {
		depth, from, sign := 0, 0, byte('+')
		type term struct {
			sign byte
			text string
		}
		var list []term
		for i := 0; i < len(text); i++ {
			switch c := text[i]; {
			case strings.IndexByte("([{", c) >= 0:
				depth++
			case strings.IndexByte(")]}", c) >= 0:
				depth--
			case depth > 0:
			case strings.HasPrefix(text[i:], "->"):
				i++
			case strings.IndexByte("?:,=<>|^!~&;\"'", c) >= 0, strings.HasPrefix(text[i:], "++"), strings.HasPrefix(text[i:], "--"):
				return
			case (c == '+' || c == '-') && strings.TrimSpace(text[from:i]) != "":
				list = append(list, term{sign, text[from:i]})
				from, sign = i+1, c
			}
		}
		for _, t := range append(list, term{sign, text[from:]}) {
			if !yield(t.sign, t.text) {
				return
			}
		}
	}
}
