package directive

import (
	"bytes"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// A macro writes a directive by the operator _Pragma, which GCC gives the line where the macro
// is used.
type macro struct {
	parameters []string // nil of one that is used without parentheses
	text       string   // behind "acc"; the one parameter's text if stringized
	stringized bool
	unsure     bool // another file may have given it another body
}

var (
	definition   = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*define[ \t]+(\w+)(\([\w, \t]*\))?[ \t]+((?:\\\r?\n|.)*_Pragma(?:\\\r?\n|.)*)$`)
	stringizing  = regexp.MustCompile(`^_Pragma\s*\(\s*#\s*(\w+)\s*\)$`)
	continuation = regexp.MustCompile(`\\\r?\n`)
)

// macrosOf are the macros of a file, and of the headers that it includes, whose body is one
// directive, and what finds their uses in a line; nil where there are none. What two files define
// in different ways may be either.
func macrosOf(content []byte, headers [][]byte) (macros map[string]macro, uses *regexp.Regexp) {
	macros = map[string]macro{}
	for i, text := range append([][]byte{content}, headers...) {
		for name, m := range macrosIn(text) {
			if before, known := macros[name]; i > 0 && known && !before.same(m) {
				m = macro{unsure: true}
			}
			macros[name] = m
		}
	}
	var names []string
	for name, m := range macros {
		if m.unsure {
			delete(macros, name)
			continue
		}
		names = append(names, regexp.QuoteMeta(name))
	}
	if names == nil {
		return nil, nil
	}
	return macros, regexp.MustCompile(`\b(?:` + strings.Join(names, "|") + `)\b`)
}

func (m macro) same(other macro) bool {
	return m.text == other.text && m.stringized == other.stringized && m.unsure == other.unsure && (m.parameters == nil) == (other.parameters == nil)
}

// macrosIn are those of one text.
func macrosIn(content []byte) map[string]macro {
	macros := map[string]macro{}
	if !bytes.Contains(content, []byte("_Pragma")) {
		return macros
	}
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
		macros[name] = m
	}
	return macros
}

// A file's headers are followed so deep, and so many of them.
const (
	deepestHeader = 8
	mostHeaders   = 200
)

var included = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"`)

// headersOf are the texts of the headers that a file of C or C++ includes by a path from its own
// folder, and those that these include, as far as they are at hand and no newer than what was made.
func headersOf(content []byte, path string, made time.Time) (texts [][]byte) {
	seen := map[string]bool{filepath.Clean(path): true}
	var follow func(content []byte, folder string, depth int)
	follow = func(content []byte, folder string, depth int) {
		for _, found := range included.FindAllSubmatch(content, -1) {
			header := filepath.Join(folder, string(found[1]))
			if seen[header] || depth > deepestHeader || len(seen) > mostHeaders {
				continue
			}
			seen[header] = true
			if text := ReadSource(header, made); text != nil {
				texts = append(texts, text)
				follow(text, filepath.Dir(header), depth+1)
			}
		}
	}
	follow(content, filepath.Dir(path), 1)
	return texts
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
