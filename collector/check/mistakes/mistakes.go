// Package mistakes makes mistakes in right OpenACC programs, one at a time, of which it is known
// what they do: a clause that is removed, weakened, shortened or moved, a wait or an atomic that is
// dropped, an index that is shifted.
package mistakes

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// A Mistake is a function with one.
type Mistake struct {
	Function string   // it was made in
	What     string   // was done
	Text     string   // of the function; its name has Placeholder in it
	Variable string   // that it is about
	Kinds    []string // of the findings that tell of it
	Host     bool     // only the host's reads show it
	Certain  bool     // it matters whatever the result is
}

// Placeholder is where a number is to be in a function's name.
const Placeholder = "_NUMBER"

// Language is how a program is written.
type Language struct {
	function  *regexp.Regexp // 1: the name
	directive string
	halved    func(section string) string
	loop      string // the header of a loop over all elements
	fortran   bool
}

// C and Fortran are the languages.
var (
	C = Language{
		function:  regexp.MustCompile(`(?sm)^double\n(\w+) \(void\)\n\{.*?^\}\n`),
		directive: "#pragma acc ", loop: "i < N;",
		halved: func(section string) string {
			return regexp.MustCompile(`:([^\]]+)\]`).ReplaceAllString(section, ":($1)/2]")
		},
	}
	Fortran = Language{
		function:  regexp.MustCompile(`(?sm)^function (\w+)\(\).*?^end function\n`),
		directive: "!$acc ", loop: "do i = 1, n\n", fortran: true,
		halved: func(section string) string {
			return regexp.MustCompile(`:(\w+)\)`).ReplaceAllString(section, ":($1)/2)")
		},
	}
)

// Functions are the right ones of a program, with the place of a number in their names.
func (l *Language) Functions(program string) (texts []string) {
	for _, f := range l.function.FindAllStringSubmatch(program, -1) {
		texts = append(texts, regexp.MustCompile(`\b`+f[1]+`\b`).ReplaceAllString(f[0], f[1]+Placeholder))
	}
	return texts
}

// Of gives the mistakes of a function, in the order of its lines.
func (l *Language) Of(text string) (all []Mistake) {
	name := strings.TrimSuffix(regexp.MustCompile(`\w+`+Placeholder).FindString(text), Placeholder)
	lines := strings.SplitAfter(text, "\n")
	for n, line := range lines {
		add := func(variable, what, changed string, kinds ...string) *Mistake {
			made := slices.Clone(lines)
			made[n] = changed
			all = append(all, Mistake{Function: name, What: fmt.Sprintf("line %d: %s", n+1, what), Text: strings.Join(made, ""), Variable: variable, Kinds: kinds})
			return &all[len(all)-1]
		}
		if directive, is := strings.CutPrefix(strings.TrimSpace(line), strings.TrimSpace(l.directive)); is {
			l.ofDirective(lines, n, strings.TrimSpace(directive), add)
		} else {
			l.ofStatement(lines, n, add)
		}
	}
	return all
}

type adder func(variable, what, changed string, kinds ...string) *Mistake

var clause = regexp.MustCompile(`(\w+)\(((?:[^()]|\([^()]*\))*)\)`)

const (
	staleOnHost   = "stale-on-host"
	staleOnDevice = "stale-on-device"
	uninitialised = "uninitialised"
	outOfBounds   = "out-of-bounds"
	race          = "race"
	queueRace     = "queue-race"
)

// weaker are the clauses to put in place of another one.
var weaker = map[string][]struct {
	clause string
	host   bool
	kinds  []string
}{
	"copy": {
		{"copyin", true, []string{staleOnHost}},
		{"create", false, []string{uninitialised, staleOnHost}},
		{"copyout", false, []string{uninitialised}},
	},
	"copyin":  {{"create", false, []string{uninitialised}}, {"copyout", false, []string{uninitialised}}},
	"copyout": {{"create", true, []string{staleOnHost}}, {"copyin", true, []string{staleOnHost}}},
}

func (l *Language) ofDirective(lines []string, n int, directive string, add adder) {
	line, text := lines[n], strings.Join(lines, "")
	word := strings.Fields(directive)[0]
	structured := strings.HasPrefix(directive, "parallel") || strings.HasPrefix(directive, "data")
	for _, at := range clause.FindAllStringSubmatchIndex(line, -1) {
		name, list := line[at[2]:at[3]], line[at[4]:at[5]]
		without := func(more string) string {
			return strings.TrimRight(line[:at[0]], " ") + more + line[at[1]:]
		}
		items := split(list)
		for n, item := range items {
			variable := regexp.MustCompile(`^\w+`).FindString(strings.TrimPrefix(item, "+:"))
			others := strings.Join(slices.Delete(slices.Clone(items), n, n+1), ", ")
			if others != "" {
				others = " " + name + "(" + others + ")"
			}
			if word == "exit" && name == "copyout" {
				add(variable, "copyout -> delete of "+item, without(others+" delete("+item+")"), staleOnHost).Host = true
			}
			for _, w := range weaker[name] {
				if word == "exit" || w.clause == "copyout" && !structured {
					continue
				}
				made := add(variable, name+" -> "+w.clause+" of "+item, without(others+" "+w.clause+"("+item+")"), w.kinds...)
				made.Host = w.host
			}
			// An update of more than there is ends the program, and so does another size in Fortran.
			whole := weaker[name] != nil && !(l.fortran && word != "parallel") && !regexp.MustCompile(`update [^\n]*\b`+variable+`\b`).MatchString(text)
			if half := l.halved(item); half != item && (whole || name == "self" || name == "device") {
				changed := strings.Replace(line, item, half, 1)
				switch {
				case name == "self":
					add(variable, "half of "+item, changed, staleOnHost).Host = true
				case name == "device":
					add(variable, "half of "+item, changed, staleOnDevice, uninitialised)
				default:
					add(variable, "half of "+item, changed, outOfBounds)
				}
			}
		}
		switch name {
		case "private":
			add(list, "private dropped", without(""), race).Certain = true
		case "reduction":
			add(list[strings.Index(list, ":")+1:], "reduction dropped", without(""), race).Certain = true
		case "async":
			if word == "parallel" || word == "update" {
				add("", "another queue", without(" async(7)"), queueRace).Certain = true
			}
		}
	}
	if moved, is := l.behind(lines, n); is && word == "update" {
		m := clause.FindStringSubmatch(directive)
		variable := regexp.MustCompile(`^\w+`).FindString(m[2])
		made := add(variable, "update moved behind what follows", "", staleOnDevice, uninitialised)
		if made.Text = moved; m[1] == "self" {
			made.Kinds, made.Host = []string{staleOnHost}, true
		}
	}
	switch {
	case word == "atomic":
		add("", "atomic dropped", "", race).Certain = true
	case word == "wait":
		add("", "wait dropped", "", queueRace).Certain = true
	case word == "update":
		m := clause.FindStringSubmatch(directive)
		variable := regexp.MustCompile(`^\w+`).FindString(m[2])
		if m[1] == "self" {
			add(variable, "update self dropped", "", staleOnHost).Host = true
		} else {
			add(variable, "update device dropped", "", staleOnDevice, uninitialised)
		}
	}
}

// behind is a function with a line moved behind the statement that follows.
func (l *Language) behind(lines []string, n int) (string, bool) {
	depth, k := 0, n+1
	for ; k < len(lines)-1; k++ {
		text := strings.TrimSpace(lines[k])
		opens := strings.HasPrefix(text, "for (") || strings.HasPrefix(text, "do ")
		switch {
		case strings.HasPrefix(text, strings.TrimSpace(l.directive)+" end") || strings.HasPrefix(text, strings.TrimSpace(l.directive)+" exit"):
			return "", false
		case strings.HasPrefix(text, strings.TrimSpace(l.directive)) || strings.HasPrefix(text, "return") || strings.HasPrefix(text, "}"):
			if depth == 0 && k > n+1 || !strings.HasPrefix(text, strings.TrimSpace(l.directive)) {
				return "", false
			}
			continue
		case l.fortran && opens:
			depth++
			continue
		case l.fortran && strings.HasPrefix(text, "end do") && depth > 0:
			depth--
		case l.fortran && strings.HasPrefix(text, "end "):
			return "", false
		case opens:
			continue
		}
		if depth == 0 {
			break
		}
	}
	if k >= len(lines)-1 {
		return "", false
	}
	moved := slices.Insert(slices.Clone(lines), k+1, lines[n])
	return strings.Join(slices.Delete(moved, n, n+1), ""), true
}

// ofStatement shifts indices in loops over all elements of constructs.
func (l *Language) ofStatement(lines []string, n int, add adder) {
	before := ""
	for k := n - 1; k >= max(0, n-4); k-- {
		before = lines[k] + before
	}
	at := strings.LastIndex(before, l.loop)
	if at < 0 || !regexp.MustCompile(`(?s)parallel loop[^\n]*\n[^\n]*$`).MatchString(before[:at]) {
		return
	}
	index := regexp.MustCompile(`(\w+)\[i\]`)
	shifted := "[i + 1]"
	if l.fortran {
		index, shifted = regexp.MustCompile(`(\w+)\(i\)`), "(i + 1)"
	}
	for k, m := range index.FindAllStringSubmatchIndex(lines[n], -1) {
		if k > 0 && strings.Contains(lines[n-1], "atomic") {
			break // the compiler takes the place from the first one
		}
		variable := lines[n][m[2]:m[3]]
		add(variable, "index of "+variable+" shifted", lines[n][:m[3]]+shifted+lines[n][m[1]:], outOfBounds).Certain = true
	}
}

// split gives the items of a list.
func split(list string) (items []string) {
	depth, begin := 0, 0
	for i, r := range list {
		switch r {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		case ',':
			if depth == 0 {
				items = append(items, strings.TrimSpace(list[begin:i]))
				begin = i + 1
			}
		}
	}
	return append(items, strings.TrimSpace(list[begin:]))
}
