package directive

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A call of a routine that is about data of the host stands where directives are told apart, too:
// its name is the routine's, its arguments are what stands in the parentheses, and its places are
// those that GCC may give the call. A macro that calls one has unknown arguments.

// A position is a line and the column, in bytes, of it, both from 1.
type position struct{ line, column int }

// hostArguments are the routines of OpenACC 3.3 §3.2.18 to §3.2.34 that are about data of the
// host, without their ending in _async, and which of their arguments these are.
var hostArguments = map[string]int{
	"acc_copyin": 0, "acc_present_or_copyin": 0, "acc_pcopyin": 0, "acc_create": 0, "acc_present_or_create": 0, "acc_pcreate": 0,
	"acc_copyout": 0, "acc_copyout_finalize": 0, "acc_delete": 0, "acc_delete_finalize": 0, "acc_update_device": 0, "acc_update_self": 0,
	"acc_is_present": 0, "acc_deviceptr": 0, "acc_map_data": 0, "acc_unmap_data": 0, "acc_attach": 0, "acc_detach": 0, "acc_detach_finalize": 0,
	"acc_memcpy_to_device": 1, "acc_memcpy_from_device": 0,
}

func hostArgument(routine string) (argument int, ok bool) {
	argument, ok = hostArguments[strings.TrimSuffix(routine, "_async")]
	return argument, ok
}

// ReadRoutines gives the calls of routines about data of the host in a source file, none of one
// that ReadSource does not give.
func ReadRoutines(path string, made time.Time) []*Directive {
	content := ReadSource(path, made)
	if fortran, _ := Fortran(path); fortran || !bytes.Contains(content, []byte("acc_")) {
		return routinesOf(content, path)
	}
	return routinesOf(content, path, headersOf(content, path, made)...)
}

// routinesOf are those of a content; headers are what it includes.
func routinesOf(content []byte, path string, headers ...[]byte) (calls []*Directive) {
	fortran, fixed := Fortran(path)
	switch {
	case !fortran && bytes.Contains(content, []byte("acc_")):
		calls = cRoutines(content, headers)
		parts(calls, strings.Split(string(content), "\n"), false)
	case fortran && bytes.Contains(bytes.ToLower(content), []byte("acc_")):
		calls = fortranRoutines(content, fixed)
		place(calls, content, true, fixed)
	}
	macros := map[string]bool{}
	for _, text := range append([][]byte{content}, headers...) {
		for _, found := range definedName.FindAllSubmatch(text, -1) {
			macros[string(found[1])] = true
		}
	}
	for _, d := range calls {
		d.macros = macros
		d.cut = d.cut || macros[d.Name]
	}
	return calls
}

// Routine says whether it is the call of a routine.
func (d *Directive) Routine() bool { return d != nil && len(d.places) > 0 }

// MadeAt says whether debug information has the call of a routine at a line and column.
func (d *Directive) MadeAt(line, column int) bool {
	for _, at := range d.places {
		if at == (position{line, column}) {
			return true
		}
	}
	return false
}

// HostArgument is the text of a routine's argument that is data of the host; ok is false where
// it is not known.
func (d *Directive) HostArgument() (text string, ok bool) {
	n, ok := hostArgument(d.Name)
	if list := listed(strings.TrimSuffix(strings.TrimPrefix(d.Arguments, "("), ")")); ok && !d.cut && n < len(list) {
		return strings.Join(strings.Fields(list[n]), " "), true
	}
	return "", false
}

// Variable takes apart what names a variable or a component in a routine's argument, as an item
// of a clause does; ok is false where a macro may stand for it.
func (d *Directive) Variable(text string) (i Item, ok bool) {
	i.Steps, ok = d.steps(strings.TrimSpace(text))
	for _, s := range i.Steps {
		ok = ok && !d.macros[s.Name]
	}
	return i, ok
}

// A function-like macro whose body calls a routine.
var callingMacro = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*define[ \t]+(\w+)\(((?:\\\r?\n|.)*\bacc_(?:\\\r?\n|.)*)$`)

var routineName = regexp.MustCompile(`\bacc_\w+`)

// definedName is what a macro is called.
var definedName = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*define[ \t]+(\w+)`)

func cRoutines(content []byte, headers [][]byte) (calls []*Directive) {
	macros := map[string][]string{} // the routines that each calls
	for _, text := range append([][]byte{content}, headers...) {
		for _, found := range callingMacro.FindAllSubmatch(text, -1) {
			for _, name := range routineName.FindAllString(string(found[2]), -1) {
				if _, ok := hostArgument(name); ok {
					macros[string(found[1])] = append(macros[string(found[1])], name)
				}
			}
		}
	}
	o := newOutline()
	statement := 0
	text := string(content)
	before, name, begins := "", "", 0 // of the token read last, and the one before it
	line, behind := 1, 0              // at an offset
	at := func(offset int) position {
		for next := strings.IndexByte(text[behind:offset], '\n'); next >= 0; next = strings.IndexByte(text[behind:offset], '\n') {
			line, behind = line+1, behind+next+1
		}
		return position{line, offset - behind + 1}
	}
	for offset, token := range Tokens(text) {
		_, routine := hostArgument(name)
		routine = routine && !declares(before)
		if token == "(" && (routine || macros[name] != nil) {
			first, opening := at(begins), at(offset)
			inside, rest, has := Parenthesised(text[offset:])
			d := Directive{Sentinel: pragmaSentinel, Name: name, Line: first.line, cut: !has || !routine,
				Last: opening.line + strings.Count(text[offset:len(text)-len(rest)], "\n")}
			d.places = []position{first}
			d.path, d.statement = slices.Clone(o.path), statement
			if routine { // in C the place of the name, in C++ that of the parenthesis
				d.Arguments = "(" + withoutComments(inside) + ")"
				d.places = append(d.places, opening)
				calls = append(calls, &d)
			}
			for _, called := range macros[name] {
				one := d
				one.Name = called
				calls = append(calls, &one)
			}
		}
		if o.take(token, at(offset).line); strings.Contains(";{}", token) {
			statement++
		}
		before, name, begins = name, token, offset
	}
	for _, d := range calls {
		d.jumps = o.jumps
	}
	return calls
}

// declares says whether a name behind a token is being declared rather than called.
func declares(before string) bool {
	switch before {
	case "", "return", "else", "do", "co_return", "co_await", "case":
		return false
	case "*", "&":
		return false // or a factor
	}
	return IsNameByte(before[0])
}

// withoutComments is a text of C or C++ as its tokens have it.
func withoutComments(text string) string {
	var b strings.Builder
	end := 0
	for offset, token := range Tokens(text) {
		if offset > end {
			b.WriteByte(' ')
		}
		b.WriteString(token)
		end = offset + len(token)
	}
	return b.String()
}

var fortranCall = regexp.MustCompile(`(?i)\bcall\s+(acc_\w+)\s*\(`)

func fortranRoutines(content []byte, fixed bool) (calls []*Directive) {
	lines := strings.Split(string(content), "\n")
	for i := range lines {
		if comment(lines[i], fixed) {
			continue
		}
		for _, found := range fortranCall.FindAllStringSubmatchIndex(withoutTexts(lines[i]), -1) {
			name := strings.ToLower(lines[i][found[2]:found[3]])
			if _, ok := hostArgument(name); !ok {
				continue
			}
			inside, end, ok := fortranArguments(lines, position{i + 1, found[1] + 1}, fixed)
			// GCC gives the call the place behind its parenthesis, where the line goes on there.
			d := Directive{Sentinel: "!$acc", Name: name, Arguments: "(" + inside + ")", Line: i + 1, Last: end.line, cut: !ok,
				places: []position{end, {end.line, end.column + 1}}}
			d.statement = len(calls)
			calls = append(calls, &d)
		}
	}
	return calls
}

// withoutTexts is a line of Fortran with blanks in the place of its literals, and without its
// comment.
func withoutTexts(line string) string {
	text := []byte(line)
	var quote byte
	for i, c := range text {
		switch {
		case quote != 0:
			if text[i] = ' '; c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote, text[i] = c, ' '
		case c == '!':
			return string(text[:i])
		}
	}
	return string(text)
}

// fortranArguments is what stands from a position on up to the parenthesis that closes the one
// before it, over the lines that the statement goes on in, and where that is.
func fortranArguments(lines []string, from position, fixed bool) (inside string, end position, ok bool) {
	depth, column := 1, from.column-1
	for i := from.line - 1; i < len(lines); i++ {
		text := withoutTexts(lines[i])
		if i > from.line-1 {
			switch column = 0; {
			case comment(lines[i], fixed):
				continue
			case fixed && len(text) > 5:
				column = 6
			case fixed:
				return "", from, false
			default:
				column = len(text) - len(strings.TrimLeft(text, " \t"))
				column += len(text[column:]) - len(strings.TrimPrefix(text[column:], "&"))
			}
		}
		for ; column < len(text); column++ {
			switch text[column] {
			case '(':
				depth++
			case ')':
				if depth--; depth == 0 {
					return inside, position{i + 1, column + 1}, true
				}
			case '&', '\r':
				continue
			}
			inside += string(text[column])
		}
	}
	return "", from, false
}
