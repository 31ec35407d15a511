package rewrite

import (
	"regexp"
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
	routine := strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(c.arguments, "("), ")"))
	if routine == "" {
		routine = c.language.routine(c.body)
	}
	if found, rest := directive.Word(name); routine == "" || found == "" || rest != "" {
		c.refuse("bind", "bind cannot be had with GCC here: name the routine behind routine, and in bind")
		return
	}
	c.take("bind")
	c.binds = append(c.binds, bound{routine, name})
	c.say("bind", "compute constructs of this file call %s in place of %s: GCC knows no bind", name, routine)
}

var (
	cFunction       = regexp.MustCompile(`([A-Za-z_]\w*)\s*\(`)
	fortranFunction = regexp.MustCompile(`(?i)\b(?:subroutine|function)\s+(\w+)`)
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

// call is how a name is called in C and C++.
func callOf(name string) *regexp.Regexp {
	return regexp.MustCompile(`(^|[^\w.>"])(` + regexp.QuoteMeta(name) + `)(\s*\()`)
}

// bind has the calls in compute constructs be by the names that routines are bound to.
func (t *text) bind(all []*placed) {
	for _, c := range all {
		for _, b := range c.binds {
			for _, region := range all {
				if !region.compute() || region.statementEnd == 0 || region.parent.region() != nil {
					continue
				}
				body := t.source[region.statement:region.statementEnd]
				for _, at := range callOf(b.routine).FindAllStringSubmatchIndex(body, -1) {
					t.replace(region.statement+at[4], region.statement+at[5], b.name)
				}
			}
			for _, other := range all {
				if other.name == "routine" && callOf(b.routine).MatchString(other.functionBody()) {
					c.refuse("bind", "bind of %s cannot be had with GCC: the routine in line %d calls it, on the host and on the device", b.routine, other.following.line)
				}
			}
		}
	}
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

// bind does so in Fortran, where a subroutine's call may be without parentheses.
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
					if line := strings.TrimSpace(t.lines[i]); line != "" && line[0] != '!' {
						t.lines[i] = called.ReplaceAllString(t.lines[i], "${1}${2}"+b.name+"${3}")
					}
				}
			}
		}
	}
}

var endProcedure = regexp.MustCompile(`(?i)^\s*end\s*(?:subroutine|function|program|module|$)`)

// calls says whether the procedure that a line is in calls what a pattern finds.
func (t *fortranText) calls(line int, called *regexp.Regexp) bool {
	for ; line < len(t.lines) && !endProcedure.MatchString(t.lines[line]); line++ {
		if text, _, _ := strings.Cut(t.lines[line], "!"); called.MatchString(text) {
			return true
		}
	}
	return false
}
