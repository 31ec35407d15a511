package advice

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/accscope/accscope/collector/structure"
)

// types are words of C's types, which casts have, too.
var types = []string{"double", "float", "int", "char", "void", "const", "unsigned", "signed", "long", "short", "size_t", "struct", "union", "restrict", "static", "auto", "bool", "register", "volatile",
	"NULL", "nullptr", "T", "std", "real", "float32_t", "float64_t", "int32_t", "int64_t", "uint8_t"}

// allocating are calls that give memory which nothing else knows.
var allocating = []string{"malloc", "calloc", "realloc", "aligned_alloc", "new", "make_unique", "_mm_malloc", "allocate"}

// findAliases finds what else may stand for the data, by the assignments of the procedure, or of
// the file where the data are not the procedure's own.
func (u *uses) findAliases() {
	if u.procedure.Fortran {
		u.fortranAliases()
		return
	}
	var list [][]structure.Token
	shared := slices.ContainsFunc(u.stays, func(r *resident) bool { return !u.own(r.name) })
	for _, p := range u.text.procedures {
		if p != u.procedure && !shared {
			continue
		}
		structure.All(p.Body, func(s *structure.Statement) bool {
			if s.Kind == structure.Simple && u.passing(s) == nil {
				list = append(list, s.Tokens)
			}
			return s.Kind != structure.Construct || !s.ACC.Compute()
		})
	}
	if shared {
		list = append(list, u.text.fileScope()...)
	}
	for grown := true; grown; {
		grown = false
		for _, tokens := range list {
			for _, part := range structure.Commas(tokens) {
				grown = u.aliases(part) || grown
			}
			grown = u.gives(tokens) || u.makes(tokens) || grown
		}
	}
	for name := range u.same {
		u.foreign = u.foreign || u.parameter[name]
	}
}

// passing is how a statement passes the data to a procedure whose use of them is known; nil where
// it does not.
func (u *uses) passing(s *structure.Statement) *passing {
	if at := slices.IndexFunc(u.passed, func(p *passing) bool { return p.at == s }); at >= 0 {
		return u.passed[at]
	}
	return nil
}

// aliases takes in an assignment of a pointer, and says whether a name has come to stand for the
// data by it.
func (u *uses) aliases(part []structure.Token) (grown bool) {
	at := slices.IndexFunc(part, func(t structure.Token) bool { return t.Text == "=" })
	if at < 1 {
		return false
	}
	to, from := part[at-1].Text, part[at+1:]
	plain := structure.IsName(to) && !structure.Member(part, at-1)
	if plain && u.same[to] && allocates(from) {
		return false
	}
	if plain && u.same[to] && slices.ContainsFunc(structure.Calls(from), func(c structure.Call) bool { return !c.Method }) {
		u.foreign = true
	}
	reference := at > 1 && (part[at-2].Text == "&" || part[at-2].Text == "&&")
	pointer := reference || u.text.pointsOn(part, at-1)
	depth := 0 // of brackets
	for i := range from {
		name := from[i].Text
		switch name {
		case "[":
			depth++
		case "]":
			depth--
		}
		if depth > 0 || !structure.IsName(name) || slices.Contains(types, name) || !u.means(from, i) {
			continue
		}
		element := i+1 < len(from) && (from[i+1].Text == "[" || from[i+1].Text == "(") && (i == 0 || from[i-1].Text != "&") && !pointer
		of := u.same[name] || pointer && i+1 < len(from) && from[i+1].Text == "(" && u.gets(name)
		switch {
		case element || i > 0 && from[i-1].Text == "*" && !pointer && (i < 2 || !structure.IsName(from[i-2].Text) && from[i-2].Text != ")"):
		case !plain && of:
			u.refuse("%s has another name, too: line %d", name, part[at].Line)
		case plain && of && !u.same[to]:
			u.same[to] = true
			grown = true
		case plain && u.same[to] && !of && (!pointer || i+1 >= len(from) || from[i+1].Text != "("):
			u.same[name] = true
			grown = true
		}
	}
	return grown
}

// means says whether the name at an index may be one of the names of data: a member's may where these
// are members of the object that a function of C++ belongs to.
func (u *uses) means(tokens []structure.Token, at int) bool {
	return !structure.Member(tokens, at) || u.member(tokens[at].Text)
}

// names says whether tokens have a name of data, also by a macro.
func (u *uses) names(tokens []structure.Token, name string) bool {
	name = lower(name, u.procedure.Fortran)
	return u.text.names(tokens, name) || u.member(name) && slices.ContainsFunc(tokens, func(t structure.Token) bool { return t.Text == name })
}

// member says whether a name of data may be that of a member of the object that a function of C++ belongs to.
func (u *uses) member(name string) bool {
	return u.same[name] && !u.procedure.Fortran && filepath.Ext(u.text.path) != ".c" && !u.declared[name] && !u.parameter[name] && !u.text.global(name)
}

// gets says whether a function of the file may give the address of the data.
func (u *uses) gets(function string) bool {
	return slices.ContainsFunc(u.text.procedures, func(p *structure.Procedure) bool {
		if p.Name != function || p.Unread != "" {
			return p.Name == function
		}
		names := false
		structure.All(p.Body, func(s *structure.Statement) bool {
			for name := range u.same {
				names = names || u.names(s.Tokens, name) && !declaresName(p, name)
			}
			return !names
		})
		return names
	})
}

// makes takes in an object that a declaration makes of the data, which stands for them from then on.
func (u *uses) makes(tokens []structure.Token) (grown bool) {
	declared := structure.Declared(tokens)
	for at := range tokens {
		name := tokens[at].Text
		if at+1 >= len(tokens) || tokens[at+1].Text != "(" && tokens[at+1].Text != "{" || u.same[name] || !slices.Contains(declared, name) {
			continue
		}
		for _, argument := range structure.Parts(tokens, at+1) {
			if first := slices.IndexFunc(argument, func(t structure.Token) bool { return t.Text != "&" && t.Text != "{" }); first >= 0 && u.same[argument[first].Text] && u.means(argument, first) {
				u.same[name], grown = true, true
			}
		}
	}
	return grown
}

// gives notes whether a statement gives the data to something that may keep them: a function, or
// an object that it makes of them; one whose method they are given to stands for them.
func (u *uses) gives(tokens []structure.Token) (grown bool) {
	for _, call := range structure.Calls(tokens) {
		if u.text.pure(call.Name) || u.text.uninvolved(call.Name) || u.text.keepsNothing(call.Name) {
			continue
		}
		given := false
		for name := range u.same {
			given = given || slices.ContainsFunc(call.Arguments, func(argument []structure.Token) bool {
				return slices.ContainsFunc(structure.Indexes(argument, name), func(at int) bool {
					return at+1 >= len(argument) || argument[at+1].Text != "[" || at > 0 && argument[at-1].Text == "&"
				})
			})
		}
		u.foreign = u.foreign || given
		if object := call.At - 2; given && call.Method && object >= 0 && structure.Member(tokens, call.At) && structure.IsName(tokens[object].Text) && !u.same[tokens[object].Text] {
			u.same[tokens[object].Text], grown = true, true
		}
	}
	return grown
}

// apart says whether a name of the host's code cannot stand for data that came from elsewhere: an
// array of the procedure, or memory that it has taken for this name alone.
func (u *uses) apart(name string) bool {
	if !u.declared[name] || u.same[name] {
		return false
	}
	apart := true
	structure.All(u.procedure.Body, func(s *structure.Statement) bool {
		declares := slices.Contains(declaredIn(s), name)
		for _, at := range structure.Indexes(s.Tokens, name) {
			next := ""
			if at+1 < len(s.Tokens) {
				next = s.Tokens[at+1].Text
			}
			pointer := declares && at > 0 && slices.Contains([]string{"*", "&", "&&", "(", "restrict", "__restrict", "__restrict__"}, s.Tokens[at-1].Text)
			switch {
			case next == "=" && !allocates(s.Tokens[at:]) && (pointer || !declares), declares && pointer && next != "=" && next != ";", address(s.Tokens, at):
				apart = false
			case declares && at > 0 && s.Tokens[at-1].Text == "auto":
				apart = false
			}
		}
		return apart
	})
	return apart
}

func allocates(tokens []structure.Token) bool {
	return slices.ContainsFunc(tokens, func(t structure.Token) bool { return slices.Contains(allocating, t.Text) })
}

var otherNames = regexp.MustCompile(`(?i)^\s*(common|equivalence|namelist)\b|\b(pointer|target)\b.*::|^\s*(pointer|target)\b|^\s*use\b.*=>`)

func (u *uses) fortranAliases() {
	for number, line := range u.text.lines {
		if !otherNames.MatchString(line) {
			continue
		}
		for name := range u.same {
			if structure.Mentions(structure.Tokens(strings.ToLower(line)), strings.ToLower(name)) {
				u.refuse("%s may have another name: line %d", name, number+1)
			}
		}
	}
}
