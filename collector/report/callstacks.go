package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/accscope/accscope/collector/model"
)

// called is a function in a call tree, or the construct or call of MPI that is at the end.
type called struct {
	name, file string
	line       int64 // of a construct or call of MPI; of a function that of the first call seen
	end        bool  // no function
	count      int64 // of events
	inclusive  int64 // ns of the host in OpenACC and MPI, with what is below
	self       int64 // ns without
	device     int64 // ns of what was enqueued, with what is below
	cut        int64 // spans without an end, with those below
	inner      []*called
}

// child finds or makes what is called below. Lines tell constructs apart, and functions
// not: one calls from several.
func (c *called) child(name, file string, line int64, end bool) *called {
	for _, x := range c.inner {
		if x.name == name && x.file == file && x.end == end && (!end || x.line == line) {
			return x
		}
	}
	x := &called{name: name, file: file, line: line, end: end}
	c.inner = append(c.inner, x)
	return x
}

// sort puts the most time first.
func (c *called) sort() {
	slices.SortFunc(c.inner, func(a, b *called) int {
		return cmp.Or(cmp.Compare(b.inclusive, a.inclusive), cmp.Compare(b.device, a.device), cmp.Compare(a.name, b.name), cmp.Compare(a.file, b.file), cmp.Compare(a.line, b.line))
	})
	for _, x := range c.inner {
		x.sort()
	}
}

const (
	callStacksKey   = "call_stacks"
	callStacksTitle = "Host time by call stack"
)

// noCallStacks says how to get what a trace has not.
const noCallStacks = "the trace has no host call stacks: accscope run --callstack full records them"

// callStacks is the host's time as a tree of who called whom, of which the rows with the
// most time are shown: top of them, or all where that is 0. nil: there are no call stacks.
func (f *facts) callStacks(top int) (*Table, error) {
	if has, err := f.trace.HasHostStacks(); err != nil || !has {
		return nil, err
	}
	table := &Table{Key: callStacksKey, Title: callStacksTitle,
		Note:  "of its time in OpenACC and MPI: functions call what stands below them; device time is of what was enqueued there",
		Empty: "nothing was recorded",
		Columns: []Column{{"function", "", Text}, {"", "function", Text}, {"", "depth", Count}, {"", "stack", Text}, {"source", "source", Text}, {"count", "count", Count},
			{"inclusive", "inclusive_ns", Nanoseconds}, {"share", "inclusive_share", Fraction}, {"self", "self_ns", Nanoseconds}, {"device time", "device_ns", Nanoseconds}, cutOff}}
	root := &called{}
	// What has its own calls comes behind what the runtime says, as rows of one time do then.
	for _, own := range []bool{false, true} {
		if err := f.each(0, func(t *total) error {
			if t.site.Own() != own || own && t.site.KindCode != model.MPIStart {
				return nil
			}
			return f.addCalls(root, t)
		}); err != nil {
			return nil, err
		}
	}
	root.sort()
	ranks := rankCalls(root)
	var rows func(c *called, depth int64, stack []string)
	rows = func(c *called, depth int64, stack []string) {
		for _, x := range c.inner {
			if top > 0 && ranks[x] >= top {
				table.Omitted++
				rows(x, depth+1, nil)
				continue
			}
			path := append(slices.Clip(stack), x.name)
			place := name(ShowPlace(x.file, x.line, ""))
			table.Rows = append(table.Rows, []any{strings.Repeat("  ", int(depth)) + x.name, x.name, depth, strings.Join(path, ";"), place, x.count,
				x.inclusive, share(x.inclusive, root.inclusive), x.self, x.device, x.cut})
			rows(x, depth+1, path)
		}
	}
	rows(root, 0, nil)
	return table.marked(), nil
}

// rankCalls ranks what was called by its time: what stands below something else comes
// behind it, so that the first of them are a tree, too.
func rankCalls(root *called) map[*called]int {
	var list []*called
	var collect func(*called)
	collect = func(c *called) {
		for _, x := range c.inner {
			list = append(list, x)
			collect(x)
		}
	}
	collect(root)
	slices.SortStableFunc(list, func(a, b *called) int {
		return cmp.Or(cmp.Compare(b.inclusive, a.inclusive), cmp.Compare(b.device, a.device))
	})
	ranks := make(map[*called]int, len(list))
	for i, x := range list {
		ranks[x] = i
	}
	return ranks
}

// addCalls adds what records of a site took to their functions.
func (f *facts) addCalls(root *called, t *total) error {
	stack, err := f.trace.HostStack(t.site.Site)
	if err != nil {
		return err
	}
	add := func(c *called) *called {
		c.count += t.Count
		c.inclusive += t.Exclusive()
		c.device += t.device.Time
		c.cut += t.Cut
		return c
	}
	at := add(root)
	if len(stack) == 0 {
		at = add(at.child("(no call stack)", "", 0, false))
	}
	for _, frame := range stack {
		at = add(at.child(cmp.Or(frame.Label(), "(unknown)"), frame.File, int64(frame.Line), false))
	}
	name := cmp.Or(t.site.Construct, t.site.Kind)
	if t.site.Own() {
		name = t.site.Name
	}
	at = add(at.child(name, t.site.File, int64(t.site.Line), true))
	at.self += t.Exclusive()
	return nil
}
