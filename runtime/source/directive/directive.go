// Package directive reads OpenACC directives from the source of programs in C, C++ and
// Fortran: their names, clauses and lines. The runtime takes from it what does not reach a
// program's code, reports show it, and advice rewrites it.
package directive

import (
	"slices"
	"strings"
)

// A Directive is an OpenACC directive as the program's source has it. Nil is a directive
// whose text is not known.
type Directive struct {
	Sentinel  string // "#pragma acc", or as Fortran's source has it: "!$ACC"
	Name      string // "parallel loop", "enter data": the words before its clauses, in small letters
	Arguments string // what stands in parentheses behind the name, with these: "(1)" of wait(1)
	Clauses   []Clause
	Line      int // of the source, where it begins; 0 of a text without a file
	Last      int // the last of the lines that the directive itself stands on
	End       int // the last line of the construct that it begins, or of itself where it stands alone; 0 where the text does not tell

	Part        int    // how many functions of its file end before it, as far as the text tells
	Conditional [2]int // the lines of the innermost part that the preprocessor may leave out; 0 where there is none
	region

	places []position      // of a routine's call, which stands for a directive
	macros map[string]bool // of its file, likewise

	text string   // behind the sentinel
	data []string // plain names of what its data clauses list
	cut  bool     // a line that it goes on in was not found
}

// A Clause is one clause, such as copy(a[0:n], b).
type Clause struct {
	Name      string // as the source has it
	Arguments string // what stands between the parentheses
	Has       bool   // it has parentheses
}

// Items are the arguments of a clause: "a[0:n]" and "b" of copy(a[0:n], b). A modifier
// before a colon stays with the first.
func (c *Clause) Items() []string {
	items := listed(c.Arguments)
	for i := range items {
		items[i] = strings.TrimSpace(items[i])
	}
	return items
}

// Text is the whole directive on one line, without comments.
func (d *Directive) Text() string {
	return d.Sentinel + " " + strings.Join(strings.Fields(d.text), " ")
}

// Compute says whether the directive begins a compute construct (OpenACC 3.3 §2.5).
func (d *Directive) Compute() bool {
	switch d.Construct() {
	case "parallel", "kernels", "serial":
		return true
	}
	return false
}

// structured says whether the directive begins a construct with calls of its own.
func (d *Directive) structured() bool {
	return d.Compute() || d.Name == "data" || d.Name == "host_data"
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
	case d == nil, d.Name == "declare" && (line < d.Line || line > d.End): // of other calls in its procedure, too
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

// Item is what a clause of the directive that names data says of a variable, under the name
// that debug information gives it: the clause and, as it is written, the item; "" where
// none names it, or two do.
func (d *Directive) Item(variable string) (clause, item string) {
	if d == nil || variable == "" {
		return "", ""
	}
	fortran := d.Sentinel != pragmaSentinel
	for in, text := range d.items {
		switch {
		case plainName(text, fortran) != plainName(variable, fortran):
		case item != "":
			return "", ""
		default:
			clause, item = in, strings.TrimSpace(text)
		}
	}
	return clause, item
}

// Components are the items, as they are written, that are components of a variable; none where
// the variable itself is an item.
func (d *Directive) Components(variable string) (components []string) {
	if d == nil || variable == "" {
		return nil
	}
	fortran := d.Fortran()
	name := plainName(variable, fortran)
	for _, text := range d.items {
		switch of := plainName(text, fortran); {
		case of == name:
			return nil
		case strings.HasPrefix(of, name+"."):
			components = append(components, strings.TrimSpace(text))
		}
	}
	return components
}

// Remaining is the item that entry i can only be: the clauses that name data list as many
// items as there are entries, and every other one of both is known by its name; "" where it
// may be another.
func (d *Directive) Remaining(names []string, entries []int, i int) string {
	if d == nil || d.Variables() != len(entries) || !slices.Contains(entries, i) {
		return ""
	}
	fortran := d.Sentinel != pragmaSentinel
	var left, texts []string
	for _, text := range d.items {
		left, texts = append(left, plainName(text, fortran)), append(texts, text)
	}
	for _, k := range entries {
		if k == i {
			continue
		}
		at := slices.Index(left, plainName(names[k], fortran))
		if at < 0 {
			return ""
		}
		left, texts = slices.Delete(left, at, at+1), slices.Delete(texts, at, at+1)
	}
	steps, ok := d.steps(strings.TrimSpace(texts[0]))
	if !ok {
		return left[0]
	}
	name, _ := (&Item{Steps: steps}).Written()
	return name
}

// Variables is how many items the clauses have that name data.
func (d *Directive) Variables() (n int) {
	for range d.items {
		n++
	}
	return n
}

// items are the clauses' names, in small letters, and items that name data.
func (d *Directive) items(yield func(clause, item string) bool) {
	for i := range d.Clauses {
		c := &d.Clauses[i]
		name := strings.ToLower(c.Name)
		if !c.Has || !dataClauses[name] && !otherDataClauses[name] {
			continue
		}
		for _, text := range listed(withoutModifier(c.Arguments)) {
			if !yield(name, text) {
				return
			}
		}
	}
}

// Short is the directive without its sentinel and, of several clauses, with the one that
// names a variable, for a sentence.
func (d *Directive) Short(variable string) string {
	clause, _ := d.Item(variable)
	short := d.Name + d.Arguments
	for i := range d.Clauses {
		if c := &d.Clauses[i]; clause == strings.ToLower(c.Name) || clause == "" && c.Has && len(d.Clauses) == 1 {
			return short + " " + c.Name + "(" + strings.Join(strings.Fields(c.Arguments), " ") + ")"
		}
	}
	return short
}

// names are the directives of OpenACC 3.3, but for those that end one.
var names = map[string]bool{
	"parallel": true, "kernels": true, "serial": true, "parallel loop": true, "kernels loop": true, "serial loop": true,
	"data": true, "enter data": true, "exit data": true, "host_data": true, "loop": true, "cache": true, "atomic": true,
	"declare": true, "init": true, "shutdown": true, "set": true, "update": true, "wait": true, "routine": true,
}

// standalone are the directives that do something by themselves, without a statement.
var standalone = map[string]bool{
	"enter data": true, "exit data": true, "declare": true, "init": true, "shutdown": true, "set": true, "update": true, "wait": true,
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

// otherDataClauses are the clauses of other directives, or without an effect on a data
// lifetime, that name variables.
var otherDataClauses = map[string]bool{
	"delete": true, "detach": true, "attach": true, "deviceptr": true, "use_device": true, "device_resident": true, "link": true,
	"self": true, "host": true, "device": true,
}

// Parse reads a directive that is a text on one line, with its sentinel; nil where the
// text is none.
func Parse(text string) *Directive {
	if behind, ok := Pragma(text); ok {
		return parse(pragmaSentinel, behind)
	}
	for _, fixed := range []bool{false, true} {
		if sentinel, behind, _, ok := fortranSentinel(text, fixed); ok {
			return parse(sentinel, behind)
		}
	}
	return nil
}

// parse reads a directive's text behind the sentinel, its lines joined; nil where it
// names none. A clause whose parentheses are not closed ends it.
func parse(sentinel, text string) *Directive {
	fortran := sentinel != pragmaSentinel
	d := &Directive{Sentinel: sentinel, text: text}
	first, rest := name(text, fortran)
	if fortran && len(first) > 3 && strings.HasPrefix(first, "end") { // enddata
		first, rest = "end", first[3:]+rest
	}
	d.Name = first
	second, behind := name(rest, fortran)
	if first == "end" {
		for second != "" {
			d.Name += " " + second
			second, behind = name(behind, fortran)
		}
		return d
	}
	if names[first+" "+second] {
		d.Name, rest = first+" "+second, behind
	}
	if !names[d.Name] {
		return nil
	}
	if inside, behind, has := Parenthesised(rest); has {
		d.Arguments, rest = "("+inside+")", behind
	}
	for {
		clause, behind := Word(rest)
		if behind == "" && clause == "" {
			return d
		}
		if rest = behind; clause == "" {
			rest = rest[1:] // a comma, or what is no OpenACC
			continue
		}
		c := Clause{Name: clause}
		if c.Arguments, behind, c.Has = Parenthesised(rest); c.Has {
			rest = behind
		} else if strings.HasPrefix(strings.TrimLeft(rest, " \t"), "(") {
			return d
		}
		d.Clauses = append(d.Clauses, c)
		if !c.Has || !dataClauses[clause] && !(fortran && dataClauses[strings.ToLower(clause)]) {
			continue
		}
		for _, variable := range listed(withoutModifier(c.Arguments)) {
			if name := plainName(variable, fortran); name != "" {
				d.data = append(d.data, name)
			}
		}
	}
}

// Parenthesised is what stands in the parentheses that a text begins with, behind
// blanks, and what comes after them.
func Parenthesised(text string) (inside, rest string, has bool) {
	text = strings.TrimLeft(text, " \t")
	if !strings.HasPrefix(text, "(") {
		return "", text, false
	}
	end := closing(text)
	if end == len(text) {
		return "", text, false
	}
	return text[1:end], text[end+1:], true
}

// name takes the word that a text begins with, as names have it.
func name(text string, fortran bool) (name, rest string) {
	name, rest = Word(text)
	if fortran {
		name = strings.ToLower(name)
	}
	return name, rest
}

// Word takes the word that a text begins with, behind blanks.
func Word(text string) (name, rest string) {
	text = strings.TrimLeft(text, " \t")
	n := 0
	for n < len(text) && IsNameByte(text[n]) {
		n++
	}
	return text[:n], text[n:]
}

// IsNameByte says whether a name of C or Fortran may have the byte.
func IsNameByte(c byte) bool {
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
	name, rest := Word(text)
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
