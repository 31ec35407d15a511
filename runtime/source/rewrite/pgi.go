package rewrite

import (
	"regexp"
	"slices"
	"strings"

	"github.com/accscope/accscope/runtime/source/directive"
)

// pgiNames are the directives of the PGI Accelerator model 1.3 with those of OpenACC that do
// the same. Of the clauses pgiClauses says the same.
var pgiNames = []struct {
	spelling *regexp.Regexp
	name     string
}{
	{regexp.MustCompile(`(?i)^\s*region\s+(for|do)\b`), " kernels loop"},
	{regexp.MustCompile(`(?i)^\s*region\b`), " kernels"},
	{regexp.MustCompile(`(?i)^\s*data\s+region\b`), " data"},
	{regexp.MustCompile(`(?i)^\s*end\s+region\b`), " end kernels"},
	{regexp.MustCompile(`(?i)^\s*end\s+data\s+region\b`), " end data"},
	{regexp.MustCompile(`(?i)^\s*(for|do)\b`), " loop"},
	{regexp.MustCompile(`(?i)^\s*((copy|copyin|copyout|local|deviceptr|device\s+resident|device\s+present|mirror|reflected|function)\s*\()`), " declare $1"},
}

// fromPGI gives a directive of PGI's model the name that OpenACC has for it.
func fromPGI(text string) (translated string, ok bool) {
	for _, n := range pgiNames {
		if n.spelling.MatchString(text) {
			return n.spelling.ReplaceAllString(text, n.name), true
		}
	}
	return text, false
}

var (
	fortranDirective  = regexp.MustCompile(`(?i)^(\s*[!c*]\$acc)([ \t].*)$`)
	fixedContinuation = regexp.MustCompile(`(?i)^[!c*]\$acc[^ 0\t]`)
)

// fromPGILines has the directives of PGI's model in a source of Fortran by OpenACC's names.
// Lines that continue a directive begin none.
func fromPGILines(lines []string, fixed bool) []string {
	translated := append([]string(nil), lines...)
	continued := false
	for i, line := range translated {
		if fixed && fixedContinuation.MatchString(line) {
			continue
		}
		continues := continued
		if fortranDirective.MatchString(line) {
			text, _, _ := strings.Cut(strings.TrimLeft(line, " \t")[1:], "!")
			continued = !fixed && (strings.HasSuffix(strings.TrimRight(text, " \t\r"), "&") || continued && strings.TrimSpace(text[len("$acc"):]) == "")
		} else if text := strings.TrimSpace(line); text != "" && text[0] != '!' {
			continued = false
		}
		if continues {
			continue
		}
		if match := fortranDirective.FindStringSubmatch(line); match != nil {
			if text, ok := fromPGI(match[2]); ok {
				translated[i] = match[1] + text
			}
		}
	}
	return translated
}

// pgiClauses has the clauses of PGI's model as those of OpenACC (1.3, 2.3 to 2.6).
func pgiClauses(c *construct) {
	if c.lengths() {
		c.say("", "subarrays are lower and upper bounds, as PGI's model has them in C")
	}
	if !c.pgi {
		return
	}
	c.say("", "%s is what the directive of PGI's model is in OpenACC", c.name)
	condition := c.condition()
	var kept []directive.Clause
	update := false
	scheduled := false
	for _, clause := range c.clauses {
		scheduled = scheduled || is(clause, "parallel", "vector")
	}
	for i := 0; i < len(c.clauses); i++ {
		clause := c.clauses[i]
		switch {
		case is(clause, "update") && !clause.Has:
			update = true
			continue
		case is(clause, "device") && !clause.Has && i+1 < len(c.clauses) && is(c.clauses[i+1], "present"):
			if c.found = split(c.clauses[i+1].Arguments, ','); len(c.clauses) > 2 {
				c.refuse(clause.Name, "device present of PGI's model cannot be had beside another clause: it is a directive of its own")
			}
			c.dropped = true
			return
		case is(clause, "function"): // what it tells callers, the runtime finds by the address
			if i > 0 || slices.ContainsFunc(c.clauses[1:], func(other directive.Clause) bool { return !is(other, "reflected") }) {
				c.refuse(clause.Name, "function of PGI's model cannot be had but ahead of reflected, which alone concerns callers")
			}
			c.dropped = true
			return
		case is(clause, "device") && !clause.Has:
			continue // resident
		case is(clause, "resident"):
			clause.Name = "device_resident"
		case is(clause, "updatein"), update && is(clause, "device"):
			c.before = append(c.before, c.language.directive("update device("+clause.Arguments+")"+condition))
			update = false
			continue
		case is(clause, "updateout"), update && is(clause, "host"):
			c.last = append([]string{c.language.directive("update self(" + clause.Arguments + ")" + condition)}, c.last...)
			update = false
			continue
		case is(clause, "local"):
			clause.Name = "create"
		case is(clause, "mirror") && c.language.fortran():
			clause.Name = "create" // and allocatables has it follow the variable
		case is(clause, "mirror"):
			c.refuse(clause.Name, "mirror of PGI's model cannot be had in C: use enter data and exit data")
			return
		case is(clause, "reflected"):
			clause.Name = "present"
		case !c.loop():
		case is(clause, "parallel"):
			clause = directive.Clause{Name: "gang"}
		case is(clause, "host", "seq"):
			if scheduled {
				continue // of the strips
			}
			clause, scheduled = directive.Clause{Name: "seq"}, true
		case is(clause, "unroll", "shortloop", "kernel", "cache"):
			continue // hints
		}
		kept = append(kept, clause)
	}
	c.clauses = kept
}

// bounds are the brackets of a subarray.
var bounds = regexp.MustCompile(`\[([^\[\]]*):([^\[\]]*)\]`)

// lengths has subarrays of C by their lengths where they are given by their upper bounds, and
// says whether there were any.
func (c *construct) lengths() (changed bool) {
	if c.language.fortran() || !c.pgi && !c.pgiBounds {
		return false
	}
	for i := range c.clauses {
		clause := &c.clauses[i]
		if !clause.Has || is(*clause, "if", "async") {
			continue
		}
		given := clause.Arguments
		clause.Arguments = bounds.ReplaceAllStringFunc(given, func(section string) string {
			match := bounds.FindStringSubmatch(section)
			low, high := strings.TrimSpace(match[1]), strings.TrimSpace(match[2])
			switch {
			case high == "":
				return section
			case low == "" || low == "0":
				return "[0:(" + high + ") + 1]"
			}
			return "[" + low + ":(" + high + ") - (" + low + ") + 1]"
		})
		changed = changed || clause.Arguments != given
	}
	return changed
}

// mixedBounds warns of updates whose subarrays may be of either kind.
func mixedBounds(all []*placed, options Options) {
	pgi := false
	for _, c := range all {
		pgi = pgi || c.pgi
	}
	for _, c := range all {
		if !pgi || options.PGI || c.pgi || c.name != "update" {
			continue
		}
		for _, clause := range c.clauses {
			if bounds.MatchString(clause.Arguments) {
				c.note(Warning, clause.Name, "the subarrays are taken as begin and length, as OpenACC has them; --accscope-pgi takes them as lower and upper bound")
				break
			}
		}
	}
}

// foundPresent has the compute regions that follow a device present directive in its block, and use
// what it names, name that as present (1.3, 2.7.2).
func foundPresent(c *construct, regions []*construct, uses func(region *construct, name string) bool) {
	for _, item := range c.found {
		name := c.base(item)
		for _, region := range regions {
			if !region.compute() || region.names(name) || !uses(region, name) {
				continue
			}
			if !c.language.fortran() && item == name && (!region.array(name) || region.parameter(name)) {
				region.add("present", name+"[0:1]")
			} else {
				region.add("present", item)
			}
			region.say("", "%s is present, as device present says", name)
		}
	}
}

// foundPresent does so for a text of C.
func (t *text) foundPresent(all []*placed) {
	for i, c := range all {
		if len(c.found) == 0 {
			continue
		}
		end := blockEnd(t.source[c.statement:])
		var regions []*construct
		for _, region := range all[i+1:] {
			if region.statement < c.statement+end {
				regions = append(regions, &region.construct)
			}
		}
		foundPresent(&c.construct, regions, func(region *construct, name string) bool { return wordAt(region.body, name) >= 0 })
	}
}

// foundPresent does so for a text of Fortran, in which the block is a procedure.
func (t *fortranText) foundPresent(all []*inFortran) {
	for i, c := range all {
		if len(c.found) == 0 {
			continue
		}
		_, last := t.unit(c.d.Line - 1)
		var regions []*construct
		for _, region := range all[i+1:] {
			if region.line <= last {
				region.body = strings.ToLower(strings.Join(t.code[region.d.Last:max(region.d.Last, region.end)], "\n"))
				regions = append(regions, &region.construct)
			}
		}
		foundPresent(&c.construct, regions, func(region *construct, name string) bool { return wordAt(region.body, name) >= 0 })
	}
}
