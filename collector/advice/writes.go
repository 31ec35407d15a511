package advice

import (
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/accscope/accscope/collector/structure"
)

var (
	macroLine   = regexp.MustCompile(`^\s*#\s*define\s+(\w+)(\([^)]*\))?(.*)`)
	includeLine = regexp.MustCompile(`^\s*#\s*include\s*"([^"]+)"`)
)

// macros are those of the file and of the files beside it that it includes: the tokens that each
// stands for, its parameters by their number.
func (t *text) macros() map[string][]structure.Token {
	if t.defined == nil {
		t.defined = map[string][]structure.Token{}
		t.define(t.path, t.lines, map[string]bool{})
	}
	return t.defined
}

// parameter is what stands for a macro's parameter, which no name is like.
func parameter(number int) string { return "#" + strconv.Itoa(number) }

func (t *text) define(path string, lines []string, read map[string]bool) {
	read[path] = true
	for i := 0; i < len(lines); i++ {
		line := strings.TrimRight(lines[i], "\r")
		for strings.HasSuffix(line, `\`) && i+1 < len(lines) {
			i++
			line = strings.TrimSuffix(line, `\`) + " " + strings.TrimRight(lines[i], "\r")
		}
		if m := macroLine.FindStringSubmatch(line); m != nil {
			parameters := structure.Parts(structure.Tokens(lower(m[2], t.fortran)), 0)
			for _, token := range structure.Tokens(lower(m[3], t.fortran)) {
				if at := slices.IndexFunc(parameters, func(p []structure.Token) bool { return len(p) == 1 && p[0].Text == token.Text }); at >= 0 {
					token.Text = parameter(at)
				}
				t.defined[lower(m[1], t.fortran)] = append(t.defined[lower(m[1], t.fortran)], token)
			}
		} else if m := includeLine.FindStringSubmatch(line); m != nil {
			if other := filepath.Join(filepath.Dir(path), m[1]); !read[other] {
				t.define(other, t.sources.Lines(other), read)
			}
		}
	}
}

// expanded is what a macro stands for, with the macros in it; nothing of what is none.
func (t *text) expanded(name string) []structure.Token {
	tokens := slices.Clone(t.macros()[name])
	for known, at := map[string]bool{name: true}, 0; at < len(tokens); at++ {
		if inner := tokens[at].Text; !known[inner] {
			known[inner] = true
			tokens = append(tokens, t.macros()[inner]...)
		}
	}
	return tokens
}

// names says whether tokens have a name that is not a member's, also by a macro.
func (t *text) names(tokens []structure.Token, name string) bool {
	return structure.Mentions(tokens, name) || slices.ContainsFunc(tokens, func(token structure.Token) bool {
		return structure.Mentions(t.expanded(token.Text), name)
	})
}

// target is a variable whose writes are looked for.
type target struct {
	name   string // in Fortran in small letters
	scalar bool   // its own value counts, which a call in C does not change
	local  bool   // to a procedure: others do not know it by this name
}

// mayWrite says whether tokens change a variable or an element of it, or may: by an assignment, by
// its address, by a macro, or in a procedure that they call.
func (t *text) mayWrite(tokens []structure.Token, of target) bool {
	return t.writes(tokens, of, map[string]bool{})
}

func (t *text) writes(tokens []structure.Token, of target, called map[string]bool) bool {
	for at := range tokens {
		own := tokens[at].Text == of.name && !structure.Member(tokens, at)
		if !own {
			stands := t.expanded(tokens[at].Text)
			if !structure.Mentions(stands, of.name) {
				continue
			}
			if t.writes(stands, of, called) {
				return true
			}
		}
		bare := at+1 >= len(tokens) || tokens[at+1].Text != "[" && tokens[at+1].Text != "("
		if structure.Writes(tokens, at) || address(tokens, at) || referred(tokens, at) || own && bare && !t.fortran && !of.scalar {
			return true
		}
	}
	for _, call := range structure.Calls(tokens) {
		given := slices.ContainsFunc(call.Arguments, func(argument []structure.Token) bool { return t.names(argument, of.name) })
		if t.callWrites(call, of, given, called) {
			return true
		}
	}
	return false
}

// address says whether the address of the name at an index is taken there.
func address(tokens []structure.Token, at int) bool {
	return at > 0 && tokens[at-1].Text == "&" && (at < 2 || !structure.IsName(tokens[at-2].Text) && tokens[at-2].Text != ")" && tokens[at-2].Text != "]")
}

// referred says whether the name at an index is what a reference of C++ is made of.
func referred(tokens []structure.Token, at int) bool {
	for ; at > 2 && tokens[at].Text != ";"; at-- {
		if tokens[at].Text == "=" && (tokens[at-2].Text == "&" || tokens[at-2].Text == "&&") {
			return true
		}
	}
	return false
}

// callWrites says whether a call may change a variable, which it is given or not.
func (t *text) callWrites(call structure.Call, of target, given bool, called map[string]bool) bool {
	switch macro := t.expanded(call.Name); {
	case !call.Method && (t.pure(call.Name) || t.uninvolved(call.Name) && !(given && t.fortran) ||
		t.keepsNothing(call.Name) && !given), t.array(call.Name), call.Name == "write" && !t.defines("write"):
		return false
	case len(macro) > 0:
		for i, argument := range call.Arguments {
			within := target{name: parameter(i), scalar: of.scalar || len(argument) > 1, local: true}
			if key := call.Name + within.name; t.names(argument, of.name) && !called[key] {
				called[key] = true
				if t.writes(t.macros()[call.Name], within, called) {
					return true
				}
			}
		}
		return false
	case given && !(of.scalar && filepath.Ext(t.path) == ".c"):
		return true
	case call.Method:
		return !of.local
	case called[call.Name]:
		return false
	}
	called[call.Name] = true
	known := false
	for _, p := range t.procedures {
		if p.Name != call.Name {
			continue
		}
		known = true
		if p.Unread != "" {
			return true
		}
		if declaresName(p, of.name) || of.local && !p.Fortran {
			continue
		}
		changed := false
		structure.All(p.Body, func(s *structure.Statement) bool {
			changed = changed || t.writes(s.Tokens, of, called)
			return !changed
		})
		if changed {
			return true
		}
	}
	return !known && !of.local
}

// array says whether a name that parentheses follow is one of Fortran's arrays.
func (t *text) array(name string) bool {
	if !t.fortran {
		return false
	}
	if t.arrays == nil {
		t.arrays = declaredArrays(t.lines)
	}
	return t.arrays[name]
}

var (
	arrayDeclaration = regexp.MustCompile(`(?i)::|^\s*(dimension|real|integer|double\s+precision|complex|logical|character)\b`)
	allArrays        = regexp.MustCompile(`(?i)\b(dimension|allocatable)\b.*::`)
	subscribed       = regexp.MustCompile(`\b([a-z]\w*)\s*\(`)
	anyName          = regexp.MustCompile(`\b[a-z]\w*`)
)

// declaredArrays are the names that a file's lines declare as arrays.
func declaredArrays(lines []string) map[string]bool {
	names := map[string]bool{}
	for _, line := range lines {
		line = strings.ToLower(line)
		if !arrayDeclaration.MatchString(line) {
			continue
		}
		_, behind, typed := strings.Cut(line, "::")
		if !typed {
			behind = line
		}
		if typed && allArrays.MatchString(line) {
			for _, name := range anyName.FindAllString(behind, -1) {
				names[name] = true
			}
		}
		if !strings.Contains(line, "function") {
			for _, m := range subscribed.FindAllStringSubmatch(behind, -1) {
				names[m[1]] = true
			}
		}
	}
	return names
}
