package rewrite

import (
	"slices"
	"strings"

	"github.com/accscope/accscope/runtime/source/directive"
)

// functions says how many functions of a name the text declares, by their parameters, outside of classes
// and of functions, and whether one is a template.
func (s *scope) functions(name string) (number int, template bool) {
	kinds := map[string]bool{}
	var open []bool // blocks; whether they are namespaces
	var stated []string
	for _, token := range directive.Tokens(s.text) {
		if token != "{" && token != "}" && token != ";" {
			stated = append(stated, token)
			continue
		}
		if at := slices.Index(stated, name); at > 0 && at+1 < len(stated) && stated[at+1] == "(" && !slices.Contains(open, false) {
			if declared, _, _ := declaration(stated[:at], false); declared {
				kinds[parameterTypes(stated[at+2:])] = true
				template = template || slices.Contains(stated[:at], "template")
			}
		}
		switch {
		case token == "{":
			open = append(open, slices.Contains(stated, "namespace") || len(stated) == 2 && stated[0] == "extern")
		case token == "}" && len(open) > 0:
			open = open[:len(open)-1]
		}
		stated = nil
	}
	return len(kinds), template
}

// parameterTypes are those of the parameters that tokens are, up to the parenthesis behind them, without
// names and values.
func parameterTypes(tokens []string) string {
	var types []string
	depth, value, from := 0, false, 0
	end := func() {
		name := len(types) - 1
		if array := slices.Index(types[from:], "["); array > 0 {
			name = from + array - 1
		}
		if name > from && directive.IsNameByte(types[name][0]) && !builtin[types[name]] && types[name-1] != ":" {
			types = slices.Delete(types, name, name+1)
		}
	}
	for _, token := range tokens {
		switch token {
		case "(", "[", "<":
			depth++
		case ")", "]", ">":
			depth--
		}
		switch {
		case depth < 0:
			end()
			if slices.Equal(types, []string{"void"}) {
				return ""
			}
			return strings.Join(types, " ")
		case token == "," && depth == 0:
			end()
			types, value, from = append(types, ","), false, len(types)+1
		case token == "=" && depth == 0:
			value = true
		case !value && !slices.Contains([]string{"const", "volatile", "__restrict", "__restrict__", "struct", "class", "union", "enum"}, token):
			types = append(types, token)
		}
	}
	return strings.Join(types, " ")
}

// builtin are the words of types that are no names.
var builtin = map[string]bool{"void": true, "bool": true, "char": true, "short": true, "int": true, "long": true, "float": true, "double": true, "signed": true, "unsigned": true}
