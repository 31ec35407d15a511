package rewrite

import (
	"regexp"
	"slices"
	"strings"

	"github.com/accscope/accscope/runtime/source/directive"
)

// scope is a text of C or C++ up to an offset, without what cannot be seen from there.
type scope struct {
	text   string
	offset int
	tokens []string // a block that is closed is one, {}
	opened []int    // where in tokens the open blocks begin; -1 of extern "C"
}

// at is the scope at an offset.
func (s *scope) at(offset int) *scope {
	if offset < s.offset {
		*s = scope{text: s.text}
	}
	for _, token := range directive.Tokens(s.text[s.offset:offset]) {
		n := len(s.tokens)
		switch token {
		case "{":
			if n > 1 && s.tokens[n-2] == "extern" && s.tokens[n-1][0] == '"' {
				s.opened = append(s.opened, -1)
				s.tokens[n-2], s.tokens[n-1] = ";", ";"
				continue
			}
			s.opened = append(s.opened, n)
		case "}":
			if last := len(s.opened) - 1; last >= 0 {
				if s.opened[last] >= 0 {
					s.tokens = append(s.tokens[:s.opened[last]], "{}")
				}
				s.opened = s.opened[:last]
				continue
			}
		}
		s.tokens = append(s.tokens, token)
	}
	s.offset = offset
	return s
}

// seen is a declaration that a scope has of a name.
type seen struct {
	begin, at        int    // its tokens, from that of its statement or parameter to the name
	typename         string // the last word of its type
	array, pointer   bool
	parameter, using bool
}

// last is the last declaration of a name that can be seen; nil where there is none.
func (s *scope) last(name string) *seen {
	for i := len(s.tokens) - 1; i >= 0; i-- {
		if s.tokens[i] != name {
			continue
		}
		next := ";"
		if i+1 < len(s.tokens) {
			next = s.tokens[i+1]
		}
		begin := s.statement(i)
		opened := begin > 0 && s.tokens[begin-1] == "("
		ahead := ""
		if opened && begin > 1 {
			ahead = s.tokens[begin-2]
		}
		parameter := opened && ahead != "for"
		stated, typename, stars := declaration(s.tokens[begin:i], parameter)
		d := &seen{begin: begin, at: i, typename: typename, array: next == "[", pointer: stars, parameter: parameter}
		switch {
		case stated && typename == "using" && next == "=":
			end := i + slices.Index(s.tokens[i:], ";")
			d.array, d.using, d.parameter = end > i && s.tokens[end-1] == "]", true, false
			return d
		case !stated || slices.Contains([]string{"if", "while", "switch"}, ahead) || !strings.Contains("[;,=)", next) && next != "{}" || opened && !s.sees(i):
			continue
		}
		return d
	}
	return nil
}

// outside is the scope ahead of a declaration.
func (s *scope) outside(d *seen) *scope { return &scope{tokens: s.tokens[:d.begin]} }

// declares says whether the last declaration of a name that can be seen is that of an array, and
// whether that of a parameter.
func (s *scope) declares(name string) (array, parameter bool) {
	d := s.last(name)
	if d == nil {
		return false, false
	}
	if !d.array && !d.pointer && !d.using {
		d.array, _ = s.outside(d).declares(d.typename) // by typedef
	}
	return d.array, d.parameter
}

// local says whether the last declaration of a name is in a block, and whether it gives a value.
func (s *scope) local(name string) (local, initialised bool) {
	d := s.last(name)
	if d == nil {
		return false, true
	}
	for _, token := range s.tokens[d.at:] {
		if token == ";" || token == "," {
			break
		}
		initialised = initialised || token == "=" || token == "{}"
	}
	for _, opened := range s.opened {
		local = local || opened >= 0 && opened < d.at
	}
	return local, initialised
}

// inClass says whether a block that is open holds the members of a class: the innermost one, or any.
func (s *scope) inClass(innermost bool) bool {
	for k := len(s.opened) - 1; k >= 0 && s.opened[k] >= 0; k-- {
		head := s.tokens[:s.opened[k]]
		begin := len(head)
		for begin > 0 && !slices.Contains([]string{";", "{", "}", "{}", ")", "enum"}, head[begin-1]) {
			begin--
		}
		if slices.ContainsFunc(head[begin:], func(token string) bool { return token == "class" || token == "struct" || token == "union" }) {
			return true
		}
		if innermost {
			return false
		}
	}
	return false
}

// inFunction says whether a block that is open is that of a function.
func (s *scope) inFunction() bool {
	for _, opened := range s.opened {
		if opened > 0 && slices.Contains(bodied, s.tokens[opened-1]) {
			return true
		}
	}
	return false
}

// composite says whether that is the declaration of a structure.
func (s *scope) composite(name string) bool {
	d := s.last(name)
	if d == nil || d.array || d.pointer || d.using {
		return false
	}
	for _, token := range s.tokens[d.begin:d.at] {
		if token == "struct" || token == "union" || token == "class" {
			return true
		}
	}
	for i := 1; i < d.begin; i++ { // C++ names them by the name alone
		if s.tokens[i] == d.typename && (s.tokens[i-1] == "struct" || s.tokens[i-1] == "class") {
			return true
		}
	}
	return s.outside(d).composite(d.typename) // by typedef
}

// bodied are what a body follows that ends a statement: of a function, a loop or a branch.
var bodied = []string{")", "else", "const", "noexcept"}

// statement is where the statement or parameter begins that a token is in.
func (s *scope) statement(i int) int {
	depth := 0
	for i--; i >= 0; i-- {
		switch s.tokens[i] {
		case ")", "]":
			depth++
		case "(", "[":
			if depth--; depth < 0 {
				return i + 1
			}
		case ";", "{", "}":
			if depth == 0 {
				return i + 1
			}
		case "{}":
			if depth == 0 && i > 0 && slices.Contains(bodied, s.tokens[i-1]) {
				return i + 1
			}
		}
	}
	return 0
}

// sees says whether parentheses around a token are those of what is still open.
func (s *scope) sees(i int) bool {
	depth := 1
	for ; i < len(s.tokens); i++ {
		switch s.tokens[i] {
		case "(":
			depth++
		case ")":
			depth--
		case "{":
			return true
		case ";", "{}":
			if depth <= 0 {
				return false
			}
		}
	}
	return true
}

// keywords begin statements that are no declarations.
var keywords = []string{"return", "else", "case", "goto", "sizeof", "delete", "new", "throw", "do", "in", "typename"}

// declaration says whether what stands ahead of a name in its statement declares it, and by which
// type, or as a pointer. The type is using of one that is named by using.
func declaration(ahead []string, parameter bool) (stated bool, typename string, stars bool) {
	var parts [][]string
	depth, from := 0, 0
	for i, token := range ahead {
		switch token {
		case "(", "[", "<":
			depth++
		case ")", "]", ">":
			depth--
		case ",":
			if depth == 0 {
				parts, from = append(parts, ahead[from:i]), i+1
			}
		}
	}
	parts = append(parts, ahead[from:])
	last := parts[len(parts)-1]
	stars = slices.Contains(last, "*") || slices.Contains(last, "&")
	if words := typed(last); len(words) > 0 { // it has a type of its own
		return !slices.Contains(keywords, words[0]), words[len(words)-1], stars
	}
	if parameter || len(parts) == 1 || strings.Trim(strings.Join(last, ""), "*&") != "" {
		return false, "", false
	}
	first := parts[0]
	for i, token := range first {
		if token == "=" || token == "[" {
			first = first[:i]
			break
		}
	}
	words := typed(first) // with the first name
	if len(words) < 2 || slices.Contains(keywords, words[0]) {
		return false, "", false
	}
	return true, words[len(words)-2], stars
}

// typed are the words of a type; none of what is no type.
func typed(tokens []string) (words []string) {
	angles := 0
	for i := 0; i < len(tokens); i++ {
		switch token := tokens[i]; {
		case strings.HasPrefix(token, "__attribute") || token == "_Alignas" || token == "alignas" || token == "__typeof__" || token == "decltype":
			words = append(words, token)
			for depth := 0; i+1 < len(tokens); {
				i++
				if depth += strings.Count(tokens[i], "(") - strings.Count(tokens[i], ")"); depth <= 0 {
					break
				}
			}
		case directive.IsNameByte(token[0]):
			words = append(words, token)
		case !slices.Contains([]string{"*", "&", ":", "<", ">", "{}"}, token) && token[0] != '"' && (token != "," || angles == 0):
			return nil
		default:
			angles += strings.Count(token, "<") - strings.Count(token, ">")
		}
	}
	if angles != 0 { // it compares
		return nil
	}
	return words
}

var procedure = regexp.MustCompile(`(?im)^[^!\n'"]*\b(?:subroutine|function|program)\s+\w+`)

// declaresDerivedType says whether a text of Fortran declares a name as a variable of a derived
// type.
func declaresDerivedType(text, name string) bool {
	return regexp.MustCompile(`(?im)^\s*(?:type|class)\s*\([^\n!]*::[^\n!]*\b` + regexp.QuoteMeta(name) + `\b`).MatchString(text)
}

// declaresFortranPointer says whether a text of Fortran declares a name as a pointer.
func declaresFortranPointer(text, name string) bool {
	return regexp.MustCompile(`(?im)^[^!\n'"]*\bpointer\b[^!\n]*::[^!\n]*\b` + regexp.QuoteMeta(name) + `\b`).MatchString(text)
}

// declaresFortranArray says whether a text of Fortran declares a name as an array: its last
// procedure, or where that does not declare it, what is around it.
func declaresFortranArray(text, name string) bool {
	text = strings.ToLower(text)
	quoted := regexp.QuoteMeta(strings.ToLower(name))
	begins := procedure.FindAllStringIndex(text, -1)
	if len(begins) > 0 {
		last := text[begins[len(begins)-1][0]:]
		if regexp.MustCompile(`(?m)^[^!\n]*::[^!\n]*\b` + quoted + `\b`).MatchString(last) {
			text = last
		}
	}
	return regexp.MustCompile(`(?m)(::[^\n!]*|^\s*(dimension|integer|real|double precision|complex|logical)\b[^\n!]*)\b`+quoted+`\s*\(`).MatchString(text) ||
		regexp.MustCompile(`(?m)\bdimension\s*\([^\n!]*::[^\n!]*\b`+quoted+`\b`).MatchString(text)
}
