package rewrite

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/accscope/accscope/runtime/source/directive"
)

// bound is a routine with the name that compute constructs call it by (§2.15.1).
type bound struct{ routine, name string }

// bindClause leaves out the clause; calls in compute constructs are what it changes.
func bindClause(c *construct) {
	if c.name != "routine" {
		return
	}
	bind := c.find("bind")
	if bind == nil {
		return
	}
	name := strings.Trim(strings.TrimSpace(bind.Arguments), `"'`)
	routine := c.routine()
	if found, rest := directive.Word(name); routine == "" || found == "" || rest != "" {
		c.refuse("bind", "bind cannot be had with GCC here: name the routine behind routine, and in bind")
		return
	}
	c.take("bind")
	c.binds = append(c.binds, bound{routine, name})
	c.say("bind", "compute constructs of this file call %s in place of %s: GCC knows no bind", name, routine)
}

// routine is the procedure that a routine directive is about; "" where the text does not tell.
func (c *construct) routine() string {
	if named := strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(c.arguments, "("), ")")); named != "" {
		return named
	}
	return c.language.routine(c.body)
}

var (
	cFunction       = regexp.MustCompile(`([A-Za-z_]\w*)\s*\(`)
	fortranFunction = regexp.MustCompile(`(?i)\b(?:subroutine|function)[ \t]+(\w+)`)
)

// routine is the function that a text of C or C++ begins to declare.
func (cLanguage) routine(text string) string {
	if match := cFunction.FindStringSubmatch(text); match != nil {
		return match[1]
	}
	return ""
}

// routine is the procedure that a text of Fortran ends in.
func (fortranLanguage) routine(text string) string {
	if all := fortranFunction.FindAllStringSubmatch(text, -1); len(all) > 0 {
		return all[len(all)-1][1]
	}
	return ""
}

// onHost says in a compute construct of C whether it runs on the host, where the bind clause does not
// hold: a constant in a GPU's code, the runtime's answer in the host's, which a device in software runs, too.
var onHost = "({ " + declared("acc_on_device") + " __builtin_acc_on_device (2) && accscope_acc_on_device (2); })"

// uses are the offsets where a text of C or C++ names a function, and those of them where it calls it.
func uses(text, function string) (named, called []int) {
	var before [2]string
	at := -1
	for offset, token := range directive.Tokens(text) {
		if token == "(" && at >= 0 {
			called = append(called, at)
		}
		at = -1
		if token == function && before[1] != "." && before != [2]string{"-", ">"} {
			at = offset
			named = append(named, at)
		}
		before[0], before[1] = before[1], token
	}
	return named, called
}

// calls says how often a text calls a function.
func calls(text, function string) int {
	_, called := uses(text, function)
	return len(called)
}

// bind has the calls in compute constructs be by the names that routines are bound to.
func (t *text) bind(all []*placed, p *Preprocessed) {
	names := map[string][]string{} // for each directive, by routine
	for _, c := range all {
		for _, b := range c.binds {
			names[b.routine] = append(names[b.routine], b.name)
		}
	}
	done := map[string]bool{}
	for _, c := range all {
		for _, b := range c.binds {
			if done[b.routine] {
				continue
			}
			done[b.routine] = true
			several, decided := false, true
			if c.cxx {
				functions, template := p.scope.functions(b.routine)
				several = template || functions > 1
				decided = len(names[b.routine]) >= functions && !slices.ContainsFunc(names[b.routine], func(name string) bool { return name != b.name })
			}
			onDevice := fmt.Sprintf("(%s ? %s : %s)", onHost, b.routine, b.name)
			if slices.ContainsFunc(all, func(other *placed) bool {
				return other.name == "routine" && other.find("nohost") != nil && other.routine() == b.name
			}) {
				onDevice = fmt.Sprintf("(__builtin_acc_on_device (2) ? %s : %s)", b.routine, b.name) // the host's code has no such routine
			}
			for _, region := range all {
				if !region.compute() || region.statementEnd == 0 || region.parent.region() != nil {
					continue
				}
				body := t.source[region.statement:region.statementEnd]
				named, called := uses(body, b.routine)
				if several && len(named) > 0 && (!decided || len(named) > len(called)) {
					region.note(Warning, "", b.routine+" is called as it is written, and not "+b.name+": which of the functions of that name it is cannot be told")
					continue
				}
				for _, at := range called {
					with, why := onDevice, ""
					if several {
						with, why = b.name, "there are several functions of that name"
					} else if strings.HasSuffix(strings.TrimSpace(body[:at]), "::") {
						with, why = b.name, "the name is qualified"
					}
					if why != "" {
						region.note(Warning, "", b.name+" is called in place of "+b.routine+" also where the construct runs on the host: "+why)
					}
					t.replace(region.statement+at, region.statement+at+len(b.routine), with)
				}
				if t.calledByMacro(region, b.routine, p) {
					c.refuse("bind", "bind of %s cannot be had with GCC: a macro calls it in the compute construct of line %d", b.routine, region.line)
				}
			}
			for _, other := range all {
				if other.name == "routine" && calls(other.functionBody(), b.routine) > 0 {
					c.refuse("bind", "bind of %s cannot be had with GCC: the routine in line %d calls it, on the host and on the device", b.routine, other.following.line)
				}
			}
		}
	}
}

// calledByMacro says whether the preprocessor makes calls in the lines of a construct.
func (t *text) calledByMacro(region *placed, function string, p *Preprocessed) bool {
	var written, made strings.Builder
	for i := t.index(region.statement); i <= t.index(region.statementEnd-1); i++ {
		if chunk := p.chunks[t.places[i]]; chunk != "" {
			written.WriteString(t.line(i) + "\n")
			made.WriteString(chunk + "\n")
		}
	}
	return calls(made.String(), function) > calls(written.String(), function)
}

// functionBody is the body of the function that a routine directive is ahead of; "" of a
// declaration.
func (c *placed) functionBody() string {
	begin := strings.IndexAny(c.followingText, ";{")
	if begin < 0 || c.followingText[begin] == ';' || c.arguments != "" {
		return ""
	}
	end, _ := directive.StatementEnd([]byte(c.followingText[begin:]))
	return c.followingText[begin : begin+end]
}

// bind does so in Fortran, where a subroutine's call may be without parentheses, and no expression
// calls one of two functions.
func (t *fortranText) bind(all []*inFortran) {
	for _, c := range all {
		for _, b := range c.binds {
			called := regexp.MustCompile(`(?i)(\bcall\s+)` + regexp.QuoteMeta(b.routine) + `\b|((?:^|[^\w%]))` + regexp.QuoteMeta(b.routine) + `(\s*\()`)
			for _, region := range all {
				if region.name == "routine" && t.calls(region.d.Last, called) {
					c.refuse("bind", "bind of %s cannot be had with GCC: the routine of line %d calls it, on the host and on the device", b.routine, region.line)
				}
				if !region.compute() {
					continue
				}
				for i := region.d.Last; i < region.end; i++ {
					if t.comment(i) {
						continue
					}
					line := inCode(t.code[i], func(code string) string { return called.ReplaceAllString(code, "${1}${2}"+b.name+"${3}") })
					if line != t.code[i] {
						t.code[i], t.lines[i] = line, line
						region.note(Warning, "", b.name+" is called in place of "+b.routine+" also where the construct runs on the host")
					}
				}
			}
		}
	}
}

var endProcedure = regexp.MustCompile(`(?i)^\s*end\s*(?:subroutine|function|program|module|$)`)

// calls says whether the procedure that a line is in calls what a pattern finds.
func (t *fortranText) calls(line int, called *regexp.Regexp) bool {
	for ; line < len(t.code) && !endProcedure.MatchString(t.code[line]); line++ {
		if t.comment(line) {
			continue
		}
		found := false
		inCode(t.code[line], func(code string) string { found = found || called.MatchString(code); return code })
		if found {
			return true
		}
	}
	return false
}

// comment says whether a line, from 0, is a comment by fixed form's first column.
func (t *fortranText) comment(line int) bool {
	return t.fixed && t.code[line] != "" && strings.Contains("cC*", t.code[line][:1])
}

// inCode changes a line of Fortran outside of literals and of its comment.
func inCode(line string, change func(code string) string) string {
	var b strings.Builder
	for line != "" {
		at := strings.IndexAny(line, "!'\"")
		if at < 0 {
			at = len(line)
		}
		b.WriteString(change(line[:at]))
		if line = line[at:]; line == "" || line[0] == '!' {
			break
		}
		end := strings.IndexByte(line[1:], line[0]) + 2
		if end == 1 {
			break
		}
		b.WriteString(line[:end])
		line = line[end:]
	}
	return b.String() + line
}
