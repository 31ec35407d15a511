package advice

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/accscope/accscope/collector/patch"
	"github.com/accscope/accscope/collector/structure"
)

// write has the finding put the constructs of a row onto its queue, with waits where the thread
// goes on with something else.
func (r *kernelRow) write(f *Finding) {
	if why := r.missed(); why != "" {
		f.refuse(why)
		return
	}
	ends := map[rowEnd]bool{}
	waited := 0
	for _, c := range r.constructs {
		if c.waits {
			waited++
			c.directive.write(f, c.behindQueue(r.queue))
			continue
		}
		c.directive.write(f, c.onQueue(r.queue))
		for e := range c.ends {
			if !e.own {
				ends[e] = true
			}
		}
	}
	if len(ends) == 0 && waited == 0 {
		f.refuse("what comes behind the kernels is not known")
	}
	done := map[constructPlace]string{}
	for _, e := range slices.SortedFunc(maps.Keys(ends), func(a, b rowEnd) int {
		return cmp.Or(cmp.Compare(a.at.file, b.at.file), cmp.Compare(a.at.line, b.at.line))
	}) {
		if what, is := done[e.at]; is && what == e.what {
			continue
		}
		done[e.at] = e.what
		r.wait(f, e)
	}
}

// wait adds a wait for the row's queue before what ends it.
func (r *kernelRow) wait(f *Finding, e rowEnd) {
	t := textAt(r.sources, e.at.file, e.at.line)
	if t == nil {
		f.refuse("where to wait is not in a source that is at hand")
		return
	}
	line := int(e.at.line)
	if t.directive != nil {
		line = t.directive.Line
	}
	p := structure.At(t.procedures, line)
	if p == nil || p.Unread != "" {
		f.refuse(fmt.Sprintf("the procedure around line %d is not read", line))
		return
	}
	path := p.Path(line)
	if len(path) == 0 {
		f.refuse(fmt.Sprintf("nothing is found at line %d", line))
		return
	}
	s, outside := path[len(path)-1], path[:len(path)-1]
	lines, err := t.layout(&written{sentinel: r.sentinel(t), name: fmt.Sprintf("wait(%d)", r.queue)}, t.indentAt(s.First))
	if err != nil {
		f.refuse(err.Error())
		return
	}
	if e.what == endOfData {
		if s.Kind != structure.Construct || s.ACC.Construct() != "data" {
			f.refuse(fmt.Sprintf("no data region is at line %d", line))
			return
		}
		t.atEnd(f, s, lines)
		return
	}
	if why := placeable(p, outside, s); why != "" {
		f.refuse(strings.Replace(why, "the loop", "the statement", 1))
		return
	}
	f.Edits = append(f.Edits, t.frame(outside, s, lines, nil)...)
}

// sentinel is that of a row's directives.
func (r *kernelRow) sentinel(t *text) string {
	switch {
	case t.directive != nil:
		return t.directive.Sentinel
	case t.fortran:
		return "!$acc"
	}
	return "#pragma acc"
}

// atEnd adds lines at the end of a data region.
func (t *text) atEnd(f *Finding, region *structure.Statement, lines []string) {
	last := region.Body[len(region.Body)-1]
	switch {
	case t.fortran:
		f.Edits = append(f.Edits, patch.Edit{File: t.path, First: region.Last, Last: region.Last - 1, Text: lines})
	case last.Kind != structure.Block:
		indent := t.indent(last.First)
		if !last.Alone {
			f.refuse(fmt.Sprintf("line %d holds several statements", last.First))
			return
		}
		f.Edits = append(f.Edits, patch.Edit{File: t.path, First: last.First, Last: last.First - 1, Text: []string{indent + "{"}},
			patch.Edit{File: t.path, First: last.Last + 1, Last: last.Last, Text: append(slices.Clone(lines), indent+"}")})
	case strings.TrimSpace(t.lines[last.Last-1]) != "}":
		f.refuse(fmt.Sprintf("line %d holds more than a brace", last.Last))
	default:
		f.Edits = append(f.Edits, patch.Edit{File: t.path, First: last.Last, Last: last.Last - 1, Text: lines})
	}
}
