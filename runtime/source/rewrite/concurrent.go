package rewrite

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/accscope/accscope/runtime/source/directive"
)

var (
	doConcurrent   = regexp.MustCompile(`(?i)^(\s*)do\s*,?\s*concurrent\s*(\(.*)$`)
	fixedStatement = regexp.MustCompile(`^ {5}[^ 0]`) // that continues
	locality       = regexp.MustCompile(`(?i)\b(local_init|local|shared|reduce|default)\s*\(([^)]*)\)`)
	indexRange     = regexp.MustCompile(`^(\w+)\s*=(.*)$`)
)

// concurrent has a loop directive's do concurrent, which GCC does not take there, be loops that
// are collapsed (§2.9).
func (t *fortranText) concurrent(c *inFortran) {
	at := c.d.Last // the line behind the directive, from 0
	if !c.loop() || at >= len(t.code) || c.end == 0 {
		return
	}
	statement, last := t.statement(at)
	match := doConcurrent.FindStringSubmatch(statement)
	if match == nil {
		return
	}
	inside, rest, ok := directive.Parenthesised(match[2])
	if !ok {
		c.refuse("", "this do concurrent cannot be had with GCC")
		return
	}
	typename, indices, typed := strings.Cut(inside, "::")
	if !typed {
		indices = inside
	}
	var loops, skips, names []string
	for _, part := range split(indices, ',') {
		header := indexRange.FindStringSubmatch(part)
		if header == nil {
			skips = append(skips, match[1]+"if (.not. ("+part+")) cycle")
			continue
		}
		names = append(names, header[1])
		bounds := split(header[2], ':')
		loops = append(loops, match[1]+"do "+header[1]+" = "+strings.Join(bounds, ", "))
	}
	if typed {
		c.before = append(c.before, "block", typename+" :: "+strings.Join(names, ", "))
		c.last = append(c.last, "end block")
	}
	for _, local := range locality.FindAllStringSubmatch(rest, -1) {
		switch strings.ToLower(local[1]) {
		case "local":
			c.add("private", local[2])
		case "reduce":
			c.add("reduction", local[2])
		case "local_init":
			c.refuse("", "local_init cannot be had with GCC: set the variable in the loop")
			return
		}
	}
	if len(loops) == 0 {
		c.refuse("", "this do concurrent has no index")
		return
	}
	if len(loops) > 1 && c.find("collapse") == nil && c.find("tile") == nil {
		c.add("collapse", fmt.Sprint(len(loops)))
	}
	c.say("", "the do concurrent is loops that are collapsed: GCC takes none behind a loop directive")
	t.replaced[at], t.until[at] = t.placed(append(loops, skips...), at+1), last
	if end := c.end - 1; len(loops) > 1 {
		ends := []string{t.lines[end]}
		for range loops[1:] {
			ends = append(ends, match[1]+"end do")
		}
		t.replaced[end], t.until[end] = t.placed(ends, c.end), end
	}
}

// statement joins the lines of a statement, from 0, and gives the last of them.
func (t *fortranText) statement(line int) (joined string, last int) {
	joined, _, _ = strings.Cut(t.code[line], "!")
	for last = line; last+1 < len(t.code); last++ {
		next, _, _ := strings.Cut(t.code[last+1], "!")
		begin, more := strings.CutSuffix(strings.TrimRight(joined, " \t\r"), "&")
		switch {
		case t.fixed && !fixedStatement.MatchString(next), !t.fixed && !more:
			return joined, last
		case t.fixed:
			joined += next[6:]
		default:
			joined = begin + " " + strings.TrimPrefix(strings.TrimLeft(next, " \t"), "&")
		}
	}
	return joined, last
}

// blockEnd has the end of a block construct be followed by the directive that ends the
// construct, which 3.3 lets programs leave out (§2.5, Fortran).
func (t *fortranText) blockEnd(c *inFortran) {
	if c.structured() && !c.loop() && !c.ended && c.end > 0 && endBlock.MatchString(strings.ToLower(strings.TrimSpace(t.code[c.end-1]))) {
		c.block = true
		c.say("", "the construct ends with its block: GCC wants an end directive")
	}
}
