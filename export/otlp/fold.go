package otlp

import (
	"cmp"
	"maps"
	"math"
	"slices"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"github.com/accscope/accscope/collector/lookup"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/export"
)

const (
	// firstWindow is the width of the windows, ns, in which spans that repeat
	// become one when folding begins; it doubles until few enough are left.
	firstWindow = 10 // 2^10
	lastWindow  = 62
	// eventsInFold is how many events a span keeps where spans are folded;
	// errors are always kept.
	eventsInFold = 32
)

// node is a span to be: of one record or activity, or of all that a site had
// within a window of time and one parent.
type node struct {
	parent   *node // nil for a process
	merged   *node // what has taken its place
	key      nodeKey
	children map[nodeKey]*node

	count          int64
	first, last    int64 // of all, ns since the origin
	time           int64 // sum of durations
	least, longest int64
	bytes          int64
	record         store.Record   // the first one's
	activity       store.Activity // the first one's
	ending         ending
	omitted        int64 // spans below that are in no node
	omittedTime    int64
}

// nodeKey tells the children of a node apart. While nothing is folded, number
// does, else window.
type nodeKey struct {
	thread model.ThreadID
	site   int64
	work   *store.Work
	window int64
	number int64
}

// folder holds the nodes, never more than limit of them.
type folder struct {
	*builder
	limit int
	nodes int
	shift int // -1: nothing is folded
	roots map[model.ProcessID]*node
}

// folded makes at most limit spans: where there are more records, those of one
// site in the same place become one span in each window of time, with their
// count. One pass, memory in proportion to limit.
func (b *builder) folded(limit int) error {
	if _, has := b.run(); has {
		limit-- // the span around them
	}
	f := &folder{builder: b, limit: max(limit, 2*len(b.processes)), shift: -1, roots: map[model.ProcessID]*node{}}
	for i := range b.processes {
		p := &b.processes[i]
		f.roots[p.ID] = &node{first: p.Start, count: 1, children: map[nodeKey]*node{}}
		f.nodes++
	}
	b.result.Recorded += int64(len(b.processes))
	if err := f.records(); err != nil {
		return err
	}
	for x, err := range b.options.Activities(b.trace) {
		if err != nil {
			return err
		}
		root := f.roots[x.Work.Process]
		if _, known := b.ofDevice[x.Work.Device]; !known || root == nil {
			continue
		}
		f.cover(x.Work.Process, x.Start, x.End())
		b.result.Recorded++
		n := f.child(root, nodeKey{work: x.Work, window: f.window(x.Start), number: f.number(x.ID)}, x.Start)
		if n.count == 0 {
			n.activity = *x
		}
		n.add(x.Start, x.End(), x.Duration, model.Size(x.Bytes))
	}
	for i := range b.processes {
		if err := f.emitProcess(&b.processes[i]); err != nil {
			return err
		}
	}
	return f.sendRun()
}

// foldedStack is what a thread is in.
type foldedStack struct {
	export.Stack
	nodes []*node // of the spans of the stack
}

// ended notes the end of the innermost span.
func (f *folder) ended(s *foldedStack, span *export.OpenSpan, at int64) {
	n := s.nodes[len(s.nodes)-1].resolve()
	s.nodes = s.nodes[:len(s.nodes)-1]
	if span.Unended {
		n.last = max(n.last, at)
	}
}

func (f *folder) records() error {
	stacks := map[model.ThreadID]*foldedStack{}
	for r, err := range f.options.Records(f.trace) {
		if err != nil {
			return err
		}
		root := f.roots[r.Site.Process]
		if root == nil {
			continue
		}
		f.cover(r.Site.Process, r.Start, r.End())
		stack := lookup.New(stacks, r.Thread)
		stack.Leave(r, func(span *export.OpenSpan, at int64) { f.ended(stack, span, at) })
		around := root
		if n := len(stack.nodes); n > 0 {
			around = stack.nodes[n-1].resolve()
		}
		if !r.Span || r.Site.Kind == "wait" {
			f.event(around, r)
		}
		if r.Span {
			f.result.Recorded++
			n := f.child(around, nodeKey{thread: r.Thread, site: r.Site.ID, window: f.window(r.Start), number: f.number(r.ID)}, r.Start)
			if n.count == 0 {
				n.record = *r
			}
			n.add(r.Start, r.End(), r.Duration, model.Size(r.Bytes))
			stack.Enter(r)
			stack.nodes = append(stack.nodes, n)
		}
	}
	for _, stack := range stacks {
		stack.Finish(func(span *export.OpenSpan, at int64) { f.ended(stack, span, at) })
	}
	return nil
}

func (f *folder) window(time int64) int64 {
	if f.shift < 0 {
		return 0
	}
	return time >> f.shift
}

func (f *folder) number(id int64) int64 {
	if f.shift < 0 {
		return id
	}
	return 0
}

// child finds or makes a node below another; a new one may make all coarser.
func (f *folder) child(of *node, key nodeKey, time int64) *node {
	if n := of.children[key]; n != nil {
		return n
	}
	if f.nodes >= f.limit {
		f.reduce()
		of = of.resolve()
		key.window, key.number = f.window(time), 0
		if n := of.children[key]; n != nil {
			return n
		}
	}
	n := &node{parent: of, key: key, first: time, least: math.MaxInt64}
	if of.children == nil {
		of.children = map[nodeKey]*node{}
	}
	of.children[key] = n
	f.nodes++
	return n
}

// reduce folds until a quarter of the limit is free: by wider windows, and
// where those do not help by leaving out the shortest spans that hold no other.
func (f *folder) reduce() {
	goal := f.limit * 3 / 4
	for f.nodes > goal && f.shift < lastWindow {
		if f.shift < 0 {
			f.shift = firstWindow
		} else {
			f.shift++
		}
		f.nodes = 0
		for _, root := range f.roots {
			f.rebuild(root)
		}
	}
	for f.nodes > goal {
		var leaves []*node
		for _, root := range f.roots {
			root.walk(func(n *node) {
				if len(n.children) == 0 && n.parent != nil {
					leaves = append(leaves, n)
				}
			})
		}
		if len(leaves) == 0 {
			return // processes alone
		}
		slices.SortFunc(leaves, func(a, b *node) int {
			return cmp.Or(cmp.Compare(a.time, b.time), cmp.Compare(a.first, b.first), cmp.Compare(a.record.ID, b.record.ID), cmp.Compare(a.activity.ID, b.activity.ID))
		})
		for _, n := range leaves[:min(len(leaves), f.nodes-goal)] {
			parent := n.parent
			delete(parent.children, n.key)
			parent.omitted += n.count + n.omitted
			parent.omittedTime += n.time
			f.takeEvents(parent, n)
			n.merged = parent
			f.nodes--
		}
	}
}

// rebuild gives a node's children the keys of the current windows and merges
// those that became equal.
func (f *folder) rebuild(n *node) {
	f.nodes++
	old := n.ordered()
	n.children = make(map[nodeKey]*node, len(old))
	for _, c := range old {
		c.parent = n
		c.key.window, c.key.number = f.window(c.first), 0
		if into := n.children[c.key]; into != nil {
			f.merge(into, c)
		} else {
			n.children[c.key] = c
		}
	}
	for _, c := range n.children {
		f.rebuild(c)
	}
}

// merge adds a node to one that began earlier. Their children keep distinct
// keys until rebuild has been there.
func (f *folder) merge(into, from *node) {
	from.merged = into
	into.count += from.count
	into.last = max(into.last, from.last)
	into.time += from.time
	into.least, into.longest = min(into.least, from.least), max(into.longest, from.longest)
	into.bytes += from.bytes
	into.omitted += from.omitted
	into.omittedTime += from.omittedTime
	f.takeEvents(into, from)
	if into.children == nil && len(from.children) > 0 {
		into.children = map[nodeKey]*node{}
	}
	for key, c := range from.children {
		key.number = cmp.Or(c.record.ID, -c.activity.ID)
		into.children[key] = c
	}
	from.children = nil
}

func (f *folder) takeEvents(into, from *node) {
	into.ending.failed = cmp.Or(from.ending.failed, into.ending.failed)
	into.ending.lost += from.ending.lost
	for _, e := range from.ending.events {
		f.keepEvent(into, e)
	}
	from.ending.events = nil
}

func (f *folder) keepEvent(n *node, e *tracepb.Span_Event) {
	if f.shift >= 0 && len(n.ending.events) >= eventsInFold && e.Name != "exception" || len(n.ending.events) >= 4*eventsInFold {
		n.ending.lost++
		return
	}
	n.ending.events = append(n.ending.events, e)
}

func (f *folder) event(n *node, r *store.Record) {
	if r.Site.Kind == "error" {
		n.ending.failed = message(r.Site)
	}
	f.keepEvent(n, f.builder.event(r))
}

// resolve is the node that has taken a node's place.
func (n *node) resolve() *node {
	for n.merged != nil {
		n = n.merged
	}
	return n
}

// ordered are a node's children in the order of their begin.
func (n *node) ordered() []*node {
	return slices.SortedFunc(maps.Values(n.children), func(a, b *node) int {
		return cmp.Or(cmp.Compare(a.first, b.first), cmp.Compare(a.record.ID, b.record.ID), cmp.Compare(a.activity.ID, b.activity.ID))
	})
}

func (n *node) walk(visit func(*node)) {
	visit(n)
	for _, c := range n.children {
		c.walk(visit)
	}
}

func (n *node) add(start, end, duration, bytes int64) {
	n.count++
	n.first, n.last = min(n.first, start), max(n.last, end)
	n.time += duration
	n.least, n.longest = min(n.least, duration), max(n.longest, duration)
	n.bytes += bytes
}

// id is the span's: that of its record, unless it stands for several.
func (f *folder) id(n *node) SpanID {
	switch {
	case n.key.work != nil && n.count == 1:
		return f.ids.span(ofActivity, n.activity.ID)
	case n.key.work != nil:
		return f.ids.span(ofActivityFold, n.activity.ID)
	case n.count == 1:
		return f.ids.span(ofRecord, n.record.ID)
	}
	return f.ids.span(ofFold, n.record.ID)
}

func (f *folder) emitProcess(p *store.Process) error {
	n := f.roots[p.ID]
	span := f.root(p, n.ending)
	f.leftOut(span, n)
	if f.shift >= 0 {
		f.describe(span, func(a *attributes) {
			a.number("accscope.folded.limit", int64(f.limit))
			a.number("accscope.folded.window", 1<<f.shift)
		})
	}
	if err := f.send(f.ofProcess[p.ID], span); err != nil {
		return err
	}
	return f.emitChildren(n, f.process(p.ID), f.ofProcess[p.ID])
}

func (f *folder) emitChildren(of *node, parent SpanID, resource int) error {
	for _, n := range of.ordered() {
		span, to, err := f.span(n, parent, resource)
		if err != nil {
			return err
		}
		if err := f.send(to, span); err != nil {
			return err
		}
		if err := f.emitChildren(n, f.id(n), resource); err != nil {
			return err
		}
	}
	return nil
}

// span makes a node's span, and says of which resource it is.
func (f *folder) span(n *node, parent SpanID, resource int) (span *tracepb.Span, to int, err error) {
	if n.key.work != nil {
		resource = f.ofDevice[n.activity.Work.Device]
		cause, err := f.cause(n.activity.Record)
		if err != nil {
			return nil, 0, err
		}
		if span, err = f.activitySpan(&n.activity, cause); err != nil {
			return nil, 0, err
		}
		if n.count > 1 {
			f.foldedSpan(span, n, f.work(n.activity.Work))
		}
		return span, resource, nil
	}
	e := n.ending
	e.end = n.last
	span = f.recordSpan(&n.record, parent, e)
	if n.count > 1 {
		f.foldedSpan(span, n, f.site(n.record.Site))
		f.describe(span, func(a *attributes) { f.thread(a, n.record.Thread) })
	}
	f.leftOut(span, n)
	return span, resource, nil
}

// foldedSpan turns the span of a node's first record into that of all.
func (f *folder) foldedSpan(span *tracepb.Span, n *node, shared *prepared) {
	id := f.id(n)
	span.SpanId = id[:]
	span.StartTimeUnixNano, span.EndTimeUnixNano = f.unix(n.first), f.endOf(n.first, n.last)
	a := shared.begin(f.limits, 7)
	a.number("accscope.folded.count", n.count)
	a.number("accscope.folded.time", n.time)
	a.number("accscope.folded.shortest", n.least)
	a.number("accscope.folded.longest", n.longest)
	if n.bytes > 0 {
		a.number("accscope.bytes", n.bytes)
	}
	span.Attributes, span.DroppedAttributesCount = a.list, a.dropped
}

// leftOut says on a span what is missing below it.
func (f *folder) leftOut(span *tracepb.Span, n *node) {
	f.result.Events += int64(n.ending.lost)
	if n.omitted == 0 {
		return
	}
	f.result.Omitted += n.omitted
	f.describe(span, func(a *attributes) {
		a.number("accscope.omitted.count", n.omitted)
		a.number("accscope.omitted.time", n.omittedTime)
	})
}

// cause is the span that a record is in: its own, a folded one, or the nearest
// that encloses it and was not left out.
func (f *folder) cause(id int64) (SpanID, error) {
	if id <= 0 {
		return SpanID{}, nil
	}
	var path []*store.Record
	for id != 0 {
		r, err := f.trace.Record(id)
		if err != nil {
			return SpanID{}, err
		}
		if r == nil {
			break
		}
		path = append(path, r)
		id = r.Parent
	}
	if len(path) == 0 {
		return SpanID{}, nil
	}
	n := f.roots[path[0].Site.Process]
	var found SpanID
	for i := len(path) - 1; i >= 0 && n != nil; i-- {
		r := path[i]
		n = n.children[nodeKey{thread: r.Thread, site: r.Site.ID, window: f.window(r.Start), number: f.number(r.ID)}]
		if n != nil {
			found = f.id(n)
		}
	}
	return found, nil
}
