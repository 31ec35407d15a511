package directive

import (
	"bytes"
	"regexp"
	"strings"
)

// A macro writes a directive by the operator _Pragma, which GCC gives the line where the macro
// is used.
type macro struct {
	parameters []string // nil of one that is used without parentheses
	text       string   // behind "acc"; the one parameter's text if stringized
	stringized bool
}

var (
	definition   = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*define[ \t]+(\w+)(\([\w, \t]*\))?[ \t]+((?:\\\r?\n|.)*_Pragma(?:\\\r?\n|.)*)$`)
	stringizing  = regexp.MustCompile(`^_Pragma\s*\(\s*#\s*(\w+)\s*\)$`)
	continuation = regexp.MustCompile(`\\\r?\n`)
)

// macrosOf are the macros of a file whose body is one directive, and what finds their uses in a
// line; nil where there are none.
func macrosOf(content []byte) (macros map[string]macro, uses *regexp.Regexp) {
	if !bytes.Contains(content, []byte("_Pragma")) {
		return nil, nil
	}
	var names []string
	for _, found := range definition.FindAllSubmatch(content, -1) {
		name, body := string(found[1]), strings.TrimSpace(continuation.ReplaceAllString(string(found[3]), " "))
		m := macro{}
		if found[2] != nil {
			m.parameters = strings.FieldsFunc(string(found[2]), func(c rune) bool { return strings.ContainsRune("(, \t)", c) })
		}
		operator, of := pragmaOperator.FindStringSubmatchIndex(body), stringizing.FindStringSubmatch(body)
		switch {
		case operator != nil && operator[0] == 0 && operator[1] == len(body):
			m.text = body[operator[2]:operator[3]]
		case of != nil && len(m.parameters) == 1 && of[1] == m.parameters[0]:
			m.stringized = true
		default:
			continue
		}
		if macros == nil {
			macros = map[string]macro{}
		}
		macros[name] = m
		names = append(names, regexp.QuoteMeta(name))
	}
	if macros == nil {
		return nil, nil
	}
	return macros, regexp.MustCompile(`\b(?:` + strings.Join(names, "|") + `)\b`)
}

// used is the text of the directive that a macro writes where behind follows its name, and how
// many bytes of that are its arguments; false where it writes none.
func (m *macro) used(behind string) (text string, length int, ok bool) {
	if m.parameters == nil {
		return m.text, 0, true
	}
	inside, rest, has := Parenthesised(behind)
	if !has {
		return "", 0, false
	}
	length = len(behind) - len(rest)
	if m.stringized {
		text, ok = strings.CutPrefix(strings.Join(strings.Fields(continuation.ReplaceAllString(inside, " ")), " "), "acc ")
		return text, length, ok
	}
	// The text is a string: what the parameters stand for is not put into it.
	return m.text, length, true
}
