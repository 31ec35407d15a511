package directive

import (
	"regexp"
	"slices"
	"strings"
)

// A region is where a directive stands in its file.
type region struct {
	path      []block // the blocks around it, from the outermost on
	jumps     []jump  // of the file, by their lines
	statement int     // of a routine's call: its number in the file
}

// A block is one of statements, or one arm of those that a statement chooses from.
type block struct {
	number, arm int
	left        bool // break or continue leave it
	single      bool // a statement without braces
}

// A jump is a statement that leaves out what stands behind it.
type jump struct {
	line int
	path []block
	out  int // which of these it leaves
}

// Excludes says whether one of two directives of a function, as far as the text tells, runs in the
// place of the other one: they are in different arms, or what one is in leaves the other out.
func (d *Directive) Excludes(other *Directive) bool {
	early, late := d, other
	if early.Line > late.Line {
		early, late = late, early
	}
	shared := 0
	for shared < min(len(early.path), len(late.path)) && early.path[shared] == late.path[shared] {
		shared++
	}
	if shared < len(late.path) {
		return shared < len(early.path)
	}
	return slices.ContainsFunc(early.jumps, func(j jump) bool {
		return j.line > early.Line && j.line < late.Line && j.out < shared && len(j.path) > shared && len(early.path) > shared && slices.Equal(j.path[:shared+1], early.path[:shared+1])
	})
}

// Apart says whether of two calls the text does not tell that one comes before the other: neither
// is in all of the blocks that the other one is in, or one expression has both.
func (d *Directive) Apart(other *Directive) bool {
	n := min(len(d.path), len(other.path))
	return !slices.Equal(d.path[:n], other.path[:n]) || d.statement == other.statement || d.Excludes(other)
}

// An outline is the blocks of a file as they are read.
type outline struct {
	waiting []*Directive // that stand behind the line read last
	path    []block
	last    int // number of a block
	jumps   []jump

	// Of C.
	left   bool // a loop or switch has begun, whose block is to come
	depth  int  // parentheses
	header int  // how many of these are open before those of a statement that governs another one, -1 outside of such
	begins bool // what comes is a statement that another one governs
}

func newOutline() outline { return outline{path: []block{{}}, header: -1} }

// place notes of each directive of a file where it stands.
func (f found) place(content []byte, fortran, fixed bool) {
	var all []*Directive
	for line, d := range f {
		if d.Line == line {
			all = append(all, d)
		}
	}
	slices.SortFunc(all, func(a, b *Directive) int { return a.Line - b.Line })
	place(all, content, fortran, fixed)
}

// place is the same of directives in the order of their lines.
func place(all []*Directive, content []byte, fortran, fixed bool) {
	if all == nil {
		return
	}
	o := newOutline()
	o.waiting = all
	lines := strings.Split(string(content), "\n")
	parts(all, lines, fortran)
	if fortran {
		o.fortran(lines, fixed)
	} else {
		o.c(content)
	}
	o.reach(len(lines) + 1)
	for _, d := range all {
		d.jumps = o.jumps
	}
}

// reach comes to what stands in a line.
func (o *outline) reach(line int) {
	for len(o.waiting) > 0 && o.waiting[0].Line < line {
		o.waiting[0].path = slices.Clone(o.path)
		o.waiting = o.waiting[1:]
	}
}

func (o *outline) open(left, single bool) {
	o.last++
	o.path = append(o.path, block{number: o.last, left: left, single: single})
}

func (o *outline) arm() { o.path[len(o.path)-1].arm++ }

func (o *outline) close() {
	if last := len(o.path) - 1; last > 0 {
		o.path = o.path[:last]
	}
}

// jump takes in a jump: near ends in the innermost block that it may leave, any other one anywhere.
func (o *outline) jump(line int, near bool) {
	j := jump{line: line, path: slices.Clone(o.path)}
	for at, b := range o.path {
		if near && b.left {
			j.out = at
		}
	}
	o.jumps = append(o.jumps, j)
}

func (o *outline) c(content []byte) {
	s := statement{text: content, line: 1}
	for token := s.next(); token != ""; token = s.next() {
		o.reach(s.at)
		o.take(token, s.at)
	}
}

// take goes on by a token of C that stands in a line.
func (o *outline) take(token string, line int) {
	if o.begins && token != "{" {
		o.open(o.left, true)
		o.left = false
	}
	o.begins = false
	switch token {
	case "(":
		o.depth++
	case ")":
		if o.depth--; o.depth == o.header {
			o.header, o.begins = -1, true
		}
	case "for", "while", "switch":
		o.left, o.depth, o.header = true, 0, 0
	case "if":
		o.left, o.depth, o.header = false, 0, 0
	case "do":
		o.left, o.depth, o.begins = true, 0, true
	case "else":
		o.left, o.begins = false, true
	case ";":
		if o.left = o.left && o.depth > 0; o.depth <= 0 {
			o.ended()
		}
	case "{":
		o.open(o.left, false)
		o.left, o.depth, o.header = false, 0, -1
	case "}":
		o.ended()
		o.close()
		o.ended()
	case "case", "default":
		o.arm()
	case "break", "continue":
		o.jump(line, true)
	case "return", "goto", "throw":
		o.jump(line, false)
	}
}

// ended closes the statements without braces that end with what is in them.
func (o *outline) ended() {
	for o.path[len(o.path)-1].single {
		o.close()
	}
}

var (
	fortranName    = regexp.MustCompile(`^(\d+\s+)?([a-z]\w*\s*:\s*)?`)
	fortranOpening = regexp.MustCompile(`^(if\s*\(.*\)\s*then$|do$|do\s+(while|concurrent)\b|do\s+[a-z]\w*\s*=|select\s*(case|type|rank)\b|block$|associate\s*\(|critical\b)`)
	fortranArm     = regexp.MustCompile(`^(else\b|elseif\b|case\b|(class|type)\s+(is|default)\b|rank\s*(\(|default\b))`)
	fortranClosing = regexp.MustCompile(`^end\s*(if|do|select|block|associate|critical)\b`)
	fortranSingle  = regexp.MustCompile(`^if\s*\(.*\)\s*call\b`)
	fortranJump    = regexp.MustCompile(`\b(return|cycle|exit|go\s*to)\b`)
	fortranNear    = regexp.MustCompile(`\b(cycle|exit)$`)
	procedureEnd   = regexp.MustCompile(`(?i)^\s*(end(\s*(subroutine|function|program|procedure|module|submodule)\b.*)?|contains)\s*(!.*)?$`)
)

func (o *outline) fortran(lines []string, fixed bool) {
	for i := 0; i < len(lines); i++ {
		first := i + 1
		text, _, _ := strings.Cut(lines[i], "!")
		if fixed && text != "" && strings.Contains("cC*", text[:1]) {
			text = ""
		}
		text = strings.TrimSpace(text)
		for i+1 < len(lines) && (strings.HasSuffix(text, "&") || fixed && len(lines[i+1]) > 5 && strings.TrimSpace(lines[i+1][:5]) == "" && !strings.Contains(" 0\t", lines[i+1][5:6])) {
			i++
			more, _, _ := strings.Cut(lines[i], "!")
			if more = strings.TrimSpace(more); fixed && more != "" {
				more = more[1:]
			} else if more == "" && !fixed {
				more = "&" // a comment
			}
			text = strings.TrimSuffix(text, "&") + strings.TrimPrefix(more, "&")
		}
		if text = strings.ToLower(text); text == "" {
			continue
		}
		o.reach(first)
		if procedureEnd.MatchString(text) {
			o.last++
			o.path = []block{{number: o.last}}
			continue
		}
		text = text[len(fortranName.FindString(text)):]
		switch {
		case fortranOpening.MatchString(text):
			o.open(strings.HasPrefix(text, "do"), false)
		case fortranArm.MatchString(text):
			o.arm()
		case fortranClosing.MatchString(text):
			o.close()
		case fortranJump.MatchString(text):
			o.jump(first, fortranNear.MatchString(text))
		case fortranSingle.MatchString(text):
			o.open(false, true)
			o.reach(i + 2)
			o.close()
		}
	}
}

// parts notes how many functions end before directives, and what the preprocessor may leave out
// around them.
func parts(directives []*Directive, lines []string, fortran bool) {
	part := make([]int, len(lines))
	conditional := make([][2]int, len(lines))
	ended := 0
	var begun []int // the lines behind which the conditional parts around a line begin
	for i, line := range lines {
		if fortran && procedureEnd.MatchString(strings.TrimRight(line, "\r")) || !fortran && strings.HasPrefix(line, "}") {
			ended++
		}
		part[i] = ended
		word, ok := strings.CutPrefix(strings.TrimLeft(line, " \t"), "#")
		if !ok {
			continue
		}
		word, _ = Word(word)
		opens, ends := strings.HasPrefix(word, "if"), strings.HasPrefix(word, "el") || word == "endif"
		if last := len(begun) - 1; ends && last >= 0 {
			for within := begun[last]; within < i; within++ {
				if conditional[within] == [2]int{} {
					conditional[within] = [2]int{begun[last] + 1, i}
				}
			}
			begun = begun[:last]
		}
		if opens || ends && word != "endif" {
			begun = append(begun, i+1)
		}
	}
	for _, d := range directives {
		d.Part, d.Conditional = part[d.Line-1], conditional[d.Line-1]
	}
}
