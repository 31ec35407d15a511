package rewrite

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/accscope/accscope/runtime/source/directive"
)

var (
	doConcurrent = regexp.MustCompile(`(?i)^(\s*)do\s+concurrent\s*(\(.*)$`)
	locality     = regexp.MustCompile(`(?i)\b(local_init|local|shared|reduce|default)\s*\(([^)]*)\)`)
	indexRange   = regexp.MustCompile(`^(\w+)\s*=(.*)$`)
)

// concurrent has a loop directive's do concurrent, which GCC does not take there, be loops that
// are collapsed (§2.9).
func (t *fortranText) concurrent(c *inFortran) {
	at := c.d.Last // the line behind the directive, from 0
	if !c.loop() || at >= len(t.code) || c.end == 0 {
		return
	}
	statement, _, _ := strings.Cut(t.code[at], "!")
	match := doConcurrent.FindStringSubmatch(statement)
	if match == nil {
		return
	}
	inside, rest, ok := directive.Parenthesised(match[2])
	if !ok || strings.Contains(inside, "::") || strings.Contains(statement, "&") {
		c.refuse("", "this do concurrent cannot be had with GCC: write it on one line, without types")
		return
	}
	var loops, skips []string
	for _, part := range split(inside, ',') {
		header := indexRange.FindStringSubmatch(part)
		if header == nil {
			skips = append(skips, match[1]+"if (.not. ("+part+")) cycle")
			continue
		}
		bounds := split(header[2], ':')
		loops = append(loops, match[1]+"do "+header[1]+" = "+strings.Join(bounds, ", "))
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
	t.replaced[at], t.until[at] = t.placed(append(loops, skips...), at+1), at
	var ends []string
	for range loops[1:] {
		ends = append(ends, match[1]+"end do")
	}
	if len(ends) > 0 {
		t.ahead[c.end] = append(t.ahead[c.end], t.placed(ends, c.end)...)
	}
}

// blockEnd has the end of a block construct be followed by the directive that ends the
// construct, which 3.3 lets programs leave out (§2.5, Fortran).
func (t *fortranText) blockEnd(c *inFortran) {
	if c.structured() && !c.loop() && !c.ended && c.end > 0 && endBlock.MatchString(strings.ToLower(strings.TrimSpace(t.code[c.end-1]))) {
		c.block = true
		c.say("", "the construct ends with its block: GCC wants an end directive")
	}
}
