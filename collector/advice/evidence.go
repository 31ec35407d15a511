package advice

import (
	"cmp"
	"slices"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/collector/lookup"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
)

// groupKey is what a finding is about, and where.
type groupKey struct {
	subject, file, function string
	line                    int64
}

// place orders groups by where they are.
func (g *group) place(other *group) int {
	return cmp.Or(cmp.Compare(g.file, other.file), cmp.Compare(g.line, other.line), cmp.Compare(g.function, other.function), cmp.Compare(g.subject, other.subject))
}

// tells says whether a rule has evidence at a group's place.
func (seen *shown) tells(r *rule, g *group) bool {
	return seen.found[r] != nil && slices.ContainsFunc(seen.found[r].list, func(other *group) bool {
		return other.file == g.file && other.line == g.line && other.function == g.function
	})
}

// moveKey is what transfers in a direction are about, and where.
type moveKey struct {
	groupKey
	kind int32 // of the record
}

// evidence is what a watcher has found.
type evidence struct {
	byDescription map[*store.Description]*group // whose subject is what it names
	groups        map[groupKey]*group
	list          []*group
}

func newEvidence() *evidence {
	return &evidence{byDescription: map[*store.Description]*group{}, groups: map[groupKey]*group{}}
}

// of is the group of what happens at a site, with what it names as the subject.
func (e *evidence) of(s *store.Site) *group {
	return lookup.Make(e.byDescription, s.Description, func() *group {
		g := e.about(keyOf(s.Symbol, s.Description))
		if !slices.Contains(g.kinds, s.KindCode) {
			g.kinds = append(g.kinds, s.KindCode)
		}
		return g
	})
}

func keyOf(subject string, d *store.Description) groupKey {
	return groupKey{subject, d.File, d.Function, int64(d.Line)}
}

// about is the group of a subject at a place.
func (e *evidence) about(k groupKey) *group {
	return lookup.Make(e.groups, k, func() *group {
		e.list = append(e.list, &group{groupKey: k})
		return e.list[len(e.list)-1]
	})
}

// add adds a row.
func (g *group) add(o occurrence, bytes int64, detail string) {
	g.count++
	g.bytes += bytes
	g.rows = append(g.rows, o)
	if n := len(g.rows); n == 1 || o.start >= g.last {
		g.last, g.detail = o.start, detail
	}
}

// of a kind: of a finding the first and the last in the order of the alphabet are told.
func (g *group) ofKind(o occurrence, bytes int64, kind string) {
	g.add(o, bytes, "")
	g.mix(kind, kind)
}

// mix has a group be of further kinds.
func (g *group) mix(least, most string) {
	if g.leastKind == "" {
		g.leastKind, g.mostKind = least, most
	}
	g.leastKind, g.mostKind = min(g.leastKind, least), max(g.mostKind, most)
	g.detail = g.leastKind + " " + g.mostKind
}

// join adds a group of other processes, but for its rows.
func (g *group) join(other *group) {
	if g.count == 0 || other.first < g.first {
		g.first = other.first
	}
	if g.count == 0 || other.last >= g.last {
		g.last, g.detail = other.last, other.detail
	}
	if other.leastKind != "" {
		g.mix(other.leastKind, other.mostKind)
	}
	for _, kind := range other.kinds {
		if !slices.Contains(g.kinds, kind) {
			g.kinds = append(g.kinds, kind)
		}
	}
	g.count, g.bytes, g.processes, g.gain = g.count+other.count, g.bytes+other.bytes, g.processes+other.processes, max(g.gain, other.gain)
}

// order brings rows, and groups by their first ones, into the order of their starts.
func (e *evidence) order() {
	for _, g := range e.list {
		if len(g.rows) == 0 {
			continue // of joined ones
		}
		byStart := func(a, b occurrence) int { return cmp.Compare(a.start, b.start) }
		if !slices.IsSortedFunc(g.rows, byStart) {
			slices.SortStableFunc(g.rows, byStart)
		}
		g.first = g.rows[0].start
		seen := map[int64]bool{}
		for _, o := range g.rows {
			seen[o.process] = true
		}
		g.processes = len(seen)
	}
	slices.SortStableFunc(e.list, func(a, b *group) int { return cmp.Compare(a.first, b.first) })
}

// spared is the row of an enqueued operation: what the host and the device would be
// spared without it.
func (h *happening) spared() occurrence {
	o := h.row()
	o.start = h.Start
	if h.ended {
		o.end = h.End()
	}
	if h.measured {
		o.deviceStart, o.deviceEnd = h.device.start, h.device.end
	}
	return o
}

// row is an empty row at a record's place.
func (h *happening) row() occurrence { return rowAt(h.Site) }

func rowAt(s *store.Site) occurrence {
	return occurrence{process: int64(s.Process), thread: int64(s.Thread), queue: s.AsyncQueue, device: int64(s.Device)}
}

// onHost is a row of a time that the host alone would be spared.
func onHost(s *store.Site, start, end int64) occurrence {
	o := rowAt(s)
	o.queue, o.start, o.end = callbacks.AsyncSync, start, end
	return o
}

// upload, download, kernel and wait say what a record is.
func (h *happening) upload() bool   { return h.Site.KindCode == model.EnqueueUploadStart }
func (h *happening) download() bool { return h.Site.KindCode == model.EnqueueDownloadStart }
func (h *happening) kernel() bool   { return h.Site.KindCode == model.EnqueueLaunchStart }
func (h *happening) wait() bool     { return h.Site.KindCode == model.WaitStart }

// byAddress says whether a record is a transfer that no construct encloses, but at most an
// annotation: of acc_memcpy_to_device or acc_memcpy_from_device.
func (h *happening) byAddress() bool {
	return (h.upload() || h.download()) && (h.Parent == 0 || h.outside.site != nil && h.outside.site.Own() && h.outside.site.KindCode != model.MPIStart)
}

// contents are hashes of transfers, by thread and in order of their sequence there.
type contents map[model.ThreadID][]hashedTransfer

type hashedTransfer struct {
	sequence uint64
	content
}

func readContents(trace *store.Trace) (contents, error) {
	c := contents{}
	where := ""
	if trace.LimitedTo() != nil {
		where = "WHERE thread IN (SELECT thread FROM threads WHERE " + trace.ChosenSQL("process") + ") "
	}
	for s, err := range trace.Rows("reading hashes", "SELECT thread, sequence, hash, overwritten FROM content "+where+"ORDER BY thread, sequence") {
		if err != nil {
			return nil, err
		}
		thread := model.ThreadID(s.ColumnInt64(0))
		c[thread] = append(c[thread], hashedTransfer{uint64(s.ColumnInt64(1)), content{s.ColumnInt64(2), s.ColumnInt64(3), true, !s.ColumnIsNull(3)}})
	}
	return c, nil
}

// take gives the hashes of a transfer.
func (c contents) take(r *store.Record) content {
	of := c[r.Thread]
	at, found := slices.BinarySearchFunc(of, r.Sequence, func(t hashedTransfer, sequence uint64) int { return cmp.Compare(t.sequence, sequence) })
	if !found {
		return content{}
	}
	return of[at].content
}
